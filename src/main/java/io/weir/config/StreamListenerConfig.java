package io.weir.config;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A socket that accepts TCP connections or UDP datagrams, each of which begins or belongs to a session with one server.
 *
 * @param protocol TCP or UDP
 * @param client what its clients are granted
 * @param sslPreread whether routes are chosen by what a TLS client says first; TCP only
 * @param routes in the operator's order; only with {@code sslPreread}
 * @param upstream the group that takes whom no route takes; null if nobody does, and then there are routes
 * @param proxy how its servers are talked to
 */
public record StreamListenerConfig(
        String name,
        ListenerProtocol protocol,
        String bind,
        int port,
        boolean proxyProtocol,
        @Nullable RealIpConfig realIp,
        AccessLogConfig accessLog,
        StreamClientSettings client,
        boolean sslPreread,
        List<StreamRouteConfig> routes,
        @Nullable String upstream,
        StreamSettings proxy)
        implements ListenerConfig {

    public StreamListenerConfig {
        routes = List.copyOf(routes);
        boolean datagrams = protocol.isDatagram();
        Checks checks = ListenerConfig.checkCommon(name, protocol, bind, port, proxyProtocol, realIp, accessLog)
                .check(protocol != ListenerProtocol.HTTP, "protocol", "must be tcp or udp")
                .check(!proxyProtocol || !datagrams, "proxyProtocol", "goes with tcp only")
                .check(
                        realIp == null || realIp.fromProxyProtocol(),
                        "realIp.header",
                        "must be proxy_protocol: a session has no header fields")
                .check(!sslPreread || !datagrams, "sslPreread", "goes with tcp only")
                .check(routes.isEmpty() || sslPreread, "routes", "need sslPreread to be true")
                .check(upstream != null || !routes.isEmpty(), "upstream", "is required")
                .check(datagrams || proxy.requests() == 0, "proxy.requests", "goes with udp only")
                .check(datagrams || proxy.responses() == null, "proxy.responses", "goes with udp only")
                .check(!datagrams || !proxy.halfClose(), "proxy.halfClose", "goes with tcp only");
        Set<String> names = new HashSet<>();
        for (int i = 0; i < routes.size(); i++) {
            checks.check(names.add(routes.get(i).name()), "routes[" + i + "].name", "stands twice in this listener");
        }
        checks.done();
    }

    /** A listener of which all sessions go to one group, with nginx's defaults and without a log. */
    public StreamListenerConfig(String name, ListenerProtocol protocol, String bind, int port, String upstream) {
        this(
                name,
                protocol,
                bind,
                port,
                false,
                null,
                AccessLogConfig.STREAM_DEFAULT,
                StreamClientSettings.DEFAULT,
                false,
                List.of(),
                upstream,
                StreamSettings.DEFAULT);
    }

    public StreamListenerConfig withRoutes(List<StreamRouteConfig> changed) {
        return new StreamListenerConfig(
                name,
                protocol,
                bind,
                port,
                proxyProtocol,
                realIp,
                accessLog,
                client,
                sslPreread,
                changed,
                upstream,
                proxy);
    }

    @Override
    public List<Reference> references() {
        List<Reference> references = new ArrayList<>();
        for (int i = 0; i < routes.size(); i++) {
            StreamRouteConfig route = routes.get(i);
            references.add(new Reference(
                    "routes[" + i + "].upstream", "route " + route.name() + " of listener " + name, route.upstream()));
        }
        if (upstream != null) {
            references.add(new Reference("upstream", "listener " + name, upstream));
        }
        return references;
    }
}
