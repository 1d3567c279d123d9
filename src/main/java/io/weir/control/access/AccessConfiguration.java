package io.weir.control.access;

import jakarta.servlet.DispatcherType;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.authentication.AuthenticationManager;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.config.observation.SecurityObservationSettings;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.authentication.AuthenticationEntryPointFailureHandler;
import org.springframework.security.web.authentication.AuthenticationFilter;
import org.springframework.security.web.authentication.www.BasicAuthenticationFilter;
import org.springframework.security.web.csrf.CsrfFilter;
import org.springframework.security.web.firewall.HttpFirewall;
import org.springframework.security.web.header.writers.CrossOriginOpenerPolicyHeaderWriter.CrossOriginOpenerPolicy;
import org.springframework.security.web.header.writers.CrossOriginResourcePolicyHeaderWriter.CrossOriginResourcePolicy;
import org.springframework.security.web.header.writers.ReferrerPolicyHeaderWriter.ReferrerPolicy;
import org.springframework.security.web.servlet.util.matcher.PathPatternRequestMatcher;
import org.springframework.security.web.util.matcher.NegatedRequestMatcher;
import org.springframework.security.web.util.matcher.RequestMatcher;

/**
 * Who may use the control plane.
 *
 * <p>As soon as a token or a user is configured, everything asks for it but health. Without, whoever can reach it may use it, and
 * so it must be bound to a loopback address, or Weir does not start. docs/adr/0017-access-to-the-control-plane.md has the
 * reasons.
 */
@Configuration(proxyBeanMethods = false)
class AccessConfiguration {

    private static final Logger log = LoggerFactory.getLogger(AccessConfiguration.class);

    /** What probes of others may see; they have no credentials. */
    private static final RequestMatcher OPEN = PathPatternRequestMatcher.pathPattern("/actuator/health/**");

    /** Swagger UI styles its elements and has pictures in its style sheet; it needs nothing of other sites. */
    private static final String CONTENT = "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline';"
            + " object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

    /** Being there, it also keeps Spring Boot from making up a user. */
    @Bean
    AuthenticationManager authenticationManager(
            AdminProperties properties,
            @Value("${server.address:}") String address,
            @Value("${management.server.port:}") String managementPort,
            @Value("${management.server.address:}") String managementAddress) {
        Credentials credentials = Credentials.of(properties);
        if (credentials.areAsked()) {
            log.info("The control plane asks for credentials");
            return credentials;
        }
        checkLoopback("server.address", address);
        if (!managementPort.isEmpty()) {
            checkLoopback("management.server.address", managementAddress);
        }
        log.warn("The control plane asks for no credentials: everybody on this host may change the configuration."
                + " Set weir.admin.token, or weir.admin.username and weir.admin.password.");
        return credentials;
    }

    private static void checkLoopback(String property, String address) {
        if (!isLoopback(address)) {
            throw new AccessException(
                    "The control plane is bound to " + (address.isEmpty() ? "all addresses" : address)
                            + ", which others can reach, and asks for no credentials.",
                    "Set weir.admin.token (WEIR_ADMIN_TOKEN) to a secret, or weir.admin.username and"
                            + " weir.admin.password, or " + property + " to 127.0.0.1.");
        }
    }

    private static boolean isLoopback(String address) {
        try {
            return !address.isEmpty() && InetAddress.getByName(address).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return false;
        }
    }

    @Bean
    SecurityFilterChain controlPlane(HttpSecurity http, AuthenticationManager manager, Refusals refusals) {
        boolean areAsked = manager instanceof Credentials credentials && credentials.areAsked();
        http.csrf(AbstractHttpConfigurer::disable)
                .formLogin(AbstractHttpConfigurer::disable)
                .logout(AbstractHttpConfigurer::disable)
                .requestCache(AbstractHttpConfigurer::disable)
                .sessionManagement(session -> session.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
                .exceptionHandling(exceptions -> exceptions.authenticationEntryPoint(refusals))
                .headers(headers -> headers.contentSecurityPolicy(policy -> policy.policyDirectives(CONTENT))
                        .referrerPolicy(referrer -> referrer.policy(ReferrerPolicy.NO_REFERRER))
                        .crossOriginOpenerPolicy(opener -> opener.policy(CrossOriginOpenerPolicy.SAME_ORIGIN))
                        .crossOriginResourcePolicy(resource -> resource.policy(CrossOriginResourcePolicy.SAME_ORIGIN)))
                .addFilterBefore(new BrowserGuard(!areAsked), CsrfFilter.class);
        if (areAsked) {
            http.addFilterAt(authentication(manager, refusals), BasicAuthenticationFilter.class)
                    .authorizeHttpRequests(requests -> requests
                            // the rest of a request that was let in
                            .dispatcherTypeMatchers(DispatcherType.ERROR, DispatcherType.ASYNC)
                            .permitAll()
                            .requestMatchers(OPEN)
                            .permitAll()
                            .anyRequest()
                            .authenticated());
        }
        return http.build();
    }

    /** A probe that sends outdated credentials is told of health all the same. */
    private static AuthenticationFilter authentication(AuthenticationManager manager, Refusals refusals) {
        AuthenticationFilter filter = new AuthenticationFilter(manager, new AuthorizationHeader());
        filter.setRequestMatcher(new NegatedRequestMatcher(OPEN));
        filter.setSuccessHandler((request, response, authentication) -> {});
        filter.setFailureHandler(new AuthenticationEntryPointFailureHandler(refusals));
        return filter;
    }

    @Bean
    Refusals refusals() {
        return new Refusals();
    }

    @Bean
    HttpFirewall httpFirewall() {
        return new PathFirewall();
    }

    /** How long filters take is no metric that anybody watches. */
    @Bean
    SecurityObservationSettings securityObservations() {
        return SecurityObservationSettings.noObservations();
    }
}
