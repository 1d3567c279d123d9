package io.weir.control.access;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.springframework.security.web.firewall.FirewalledRequest;
import org.springframework.security.web.firewall.HttpFirewall;
import org.springframework.security.web.firewall.StrictHttpFirewall;

/**
 * Refuses paths that could mean one thing to the rules of access and another to Spring MVC. That takes in {@code ;}: what
 * follows it would be dropped, and a write would reach another resource.
 *
 * <p>Names of the API may hold an encoded slash or percent sign, as {@code unix:%2Frun%2Fapp.sock} does: rules and Spring MVC alike
 * decode a path after they have split it.
 */
final class PathFirewall implements HttpFirewall {

    private static final String API = "/api/";

    private final StrictHttpFirewall api = create();
    private final StrictHttpFirewall rest = create();

    PathFirewall() {
        api.setAllowUrlEncodedSlash(true);
        api.setAllowUrlEncodedPercent(true);
    }

    private static StrictHttpFirewall create() {
        StrictHttpFirewall firewall = new StrictHttpFirewall();
        // a wrong method is answered with 405 by whoever has the path
        firewall.setUnsafeAllowAnyHttpMethod(true);
        // Tomcat has checked them, and what is refused when a controller reads it would be a 500
        firewall.setAllowedHeaderValues(value -> true);
        return firewall;
    }

    @Override
    public FirewalledRequest getFirewalledRequest(HttpServletRequest request) {
        return (request.getRequestURI().startsWith(API) ? api : rest).getFirewalledRequest(request);
    }

    @Override
    public HttpServletResponse getFirewalledResponse(HttpServletResponse response) {
        return rest.getFirewalledResponse(response);
    }
}
