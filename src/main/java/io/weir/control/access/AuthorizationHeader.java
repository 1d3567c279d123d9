package io.weir.control.access;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.web.authentication.AuthenticationConverter;
import org.springframework.security.web.authentication.www.BasicAuthenticationConverter;

/** Takes what a request says of itself from {@code Authorization}: a bearer token (RFC 6750), or HTTP Basic (RFC 7617). */
final class AuthorizationHeader implements AuthenticationConverter {

    private static final String BEARER = "Bearer ";

    private final AuthenticationConverter basic = new BasicAuthenticationConverter();

    @Override
    public @Nullable Authentication convert(HttpServletRequest request) {
        String sent = request.getHeader(HttpHeaders.AUTHORIZATION);
        if (sent != null && sent.regionMatches(true, 0, BEARER, 0, BEARER.length())) {
            String token = sent.substring(BEARER.length()).trim();
            return UsernamePasswordAuthenticationToken.unauthenticated(Credentials.TOKEN_USER, token);
        }
        return basic.convert(request);
    }
}
