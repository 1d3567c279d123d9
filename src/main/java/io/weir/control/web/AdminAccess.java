package io.weir.control.web;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Who may use the control plane.
 *
 * <p>With {@code weir.admin.token} set, whoever sends it as a bearer token; health is open to all, and so is the
 * description of the API, which is no secret and in which a browser can be given the token. Without, whoever can
 * reach it, and so it must be bound to a loopback address, or Weir does not start. In both cases pages of other sites
 * cannot write through somebody's browser, and without a token they cannot read by rebinding their own name either.
 */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE + 1)
class AdminAccess extends OncePerRequestFilter {

    private static final Logger log = LoggerFactory.getLogger(AdminAccess.class);

    /** With all that is beneath them. */
    private static final List<String> OPEN =
            List.of("/actuator/health", "/swagger-ui", "/swagger-ui.html", "/v3/api-docs");

    private static final String BEARER = "Bearer ";
    private static final Set<String> READS = Set.of("GET", "HEAD", "OPTIONS");

    private final byte[] token;

    AdminAccess(@Value("${weir.admin.token:}") String token, @Value("${server.address:}") String address) {
        this.token = token.getBytes(StandardCharsets.UTF_8);
        if (token.isEmpty()) {
            if (!isLoopback(address)) {
                throw new OpenControlPlaneException(address);
            }
            log.info("The control plane has no weir.admin.token: everybody on this host may change the configuration");
        }
    }

    private static boolean isLoopback(String address) {
        try {
            return !address.isEmpty() && InetAddress.getByName(address).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return false;
        }
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        if (token.length == 0 && !BrowserOrigin.isUnrebindable(request.getHeader(HttpHeaders.HOST))) {
            String detail = "without weir.admin.token the control plane answers to localhost and IP addresses only";
            ProblemWriter.write(request, response, HttpStatus.FORBIDDEN, "FORBIDDEN_HOST", detail);
        } else if (!READS.contains(request.getMethod()) && !BrowserOrigin.isOwn(request)) {
            String detail = "a page of another origin may not write";
            ProblemWriter.write(request, response, HttpStatus.FORBIDDEN, "FORBIDDEN_ORIGIN", detail);
        } else if (token.length > 0 && !isOpen(request) && !isAuthorized(request)) {
            response.setHeader(HttpHeaders.WWW_AUTHENTICATE, "Bearer realm=\"weir\"");
            String detail = "send the admin token as Authorization: Bearer TOKEN";
            ProblemWriter.write(request, response, HttpStatus.UNAUTHORIZED, "UNAUTHORIZED", detail);
        } else {
            chain.doFilter(request, response);
        }
    }

    private static boolean isOpen(HttpServletRequest request) {
        String path = request.getServletPath();
        return path.equals("/") || OPEN.stream().anyMatch(open -> path.equals(open) || path.startsWith(open + "/"));
    }

    private boolean isAuthorized(HttpServletRequest request) {
        String sent = request.getHeader(HttpHeaders.AUTHORIZATION);
        if (sent == null || !sent.regionMatches(true, 0, BEARER, 0, BEARER.length())) {
            return false;
        }
        byte[] bytes = sent.substring(BEARER.length()).trim().getBytes(StandardCharsets.UTF_8);
        // in constant time, so that how long it takes says nothing about the token
        return MessageDigest.isEqual(bytes, token);
    }
}
