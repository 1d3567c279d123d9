package io.weir.config;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A socket that accepts clients of HTTP, and the routes of what comes in.
 *
 * @param bind an IP address of this host, {@code 0.0.0.0} or {@code ::} for all
 * @param port 1 to 65535
 * @param proxyProtocol whether each connection begins with a PROXY protocol header
 * @param realIp whose word is taken for the address of a client; null if the peer of the connection is the client
 * @param accessLog where its requests are logged
 * @param client what its clients are granted
 * @param routes in the operator's order, which is the order in which regular expressions are tried
 */
public record HttpListenerConfig(
        String name,
        String bind,
        int port,
        boolean proxyProtocol,
        @Nullable RealIpConfig realIp,
        AccessLogConfig accessLog,
        ClientSettings client,
        List<RouteConfig> routes)
        implements ListenerConfig {

    public HttpListenerConfig {
        routes = List.copyOf(routes);
        Checks checks =
                ListenerConfig.checkCommon(name, ListenerProtocol.HTTP, bind, port, proxyProtocol, realIp, accessLog);
        Set<String> names = new HashSet<>();
        for (int i = 0; i < routes.size(); i++) {
            checks.check(names.add(routes.get(i).name()), "routes[" + i + "].name", "stands twice in this listener");
        }
        checks.done();
    }

    /** A listener whose clients connect to it themselves, without a log. */
    public HttpListenerConfig(String name, String bind, int port, List<RouteConfig> routes) {
        this(name, bind, port, false, null, AccessLogConfig.DEFAULT, routes);
    }

    /** With nginx's limits for clients. */
    public HttpListenerConfig(
            String name,
            String bind,
            int port,
            boolean proxyProtocol,
            @Nullable RealIpConfig realIp,
            AccessLogConfig accessLog,
            List<RouteConfig> routes) {
        this(name, bind, port, proxyProtocol, realIp, accessLog, ClientSettings.DEFAULT, routes);
    }

    public HttpListenerConfig withRoutes(List<RouteConfig> routes) {
        return new HttpListenerConfig(name, bind, port, proxyProtocol, realIp, accessLog, client, routes);
    }

    @Override
    public ListenerProtocol protocol() {
        return ListenerProtocol.HTTP;
    }

    @Override
    public List<Reference> references() {
        List<Reference> references = new ArrayList<>();
        for (int i = 0; i < routes.size(); i++) {
            RouteConfig route = routes.get(i);
            if (route.target() instanceof RouteTarget.Upstream target) {
                references.add(new Reference(
                        "routes[" + i + "].upstream", "route " + route.name() + " of listener " + name, target.name()));
            }
        }
        return references;
    }
}
