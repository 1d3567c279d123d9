package io.weir.control.access;

import io.weir.control.web.ProblemWriter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.web.AuthenticationEntryPoint;
import org.springframework.security.web.firewall.RequestRejectedException;
import org.springframework.security.web.firewall.RequestRejectedHandler;

/** What Spring Security refuses is answered with a problem, as all else is. */
final class Refusals implements AuthenticationEntryPoint, RequestRejectedHandler {

    /** Always the same, whatever was wrong. */
    @Override
    public void commence(HttpServletRequest request, HttpServletResponse response, AuthenticationException e)
            throws IOException {
        if (e instanceof BusyException) {
            response.setHeader(HttpHeaders.RETRY_AFTER, "1");
            String detail = "another password is being checked; try again";
            ProblemWriter.write(request, response, HttpStatus.TOO_MANY_REQUESTS, "TOO_MANY_REQUESTS", detail);
            return;
        }
        response.addHeader(HttpHeaders.WWW_AUTHENTICATE, "Bearer realm=\"weir\"");
        // what a browser asks its user for; the charset is RFC 7617's
        response.addHeader(HttpHeaders.WWW_AUTHENTICATE, "Basic realm=\"weir\", charset=\"UTF-8\"");
        String detail =
                "send the admin token as Authorization: Bearer TOKEN, or a user name and a password by HTTP Basic";
        ProblemWriter.write(request, response, HttpStatus.UNAUTHORIZED, "UNAUTHORIZED", detail);
    }

    @Override
    public void handle(HttpServletRequest request, HttpServletResponse response, RequestRejectedException e)
            throws IOException {
        String detail = "the path, the query or the method has something that nothing here needs, such as ; or //";
        ProblemWriter.write(request, response, HttpStatus.BAD_REQUEST, "BAD_REQUEST", detail);
    }
}
