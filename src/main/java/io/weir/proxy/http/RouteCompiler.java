package io.weir.proxy.http;

import io.weir.config.HttpListenerConfig;
import io.weir.config.RouteConfig;
import io.weir.config.RouteTarget;
import io.weir.config.ServerAddress;
import io.weir.proxy.log.LogWriter;
import io.weir.upstream.UpstreamGroup;
import io.weir.upstream.Upstreams;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Makes the routes of the configuration ready for requests. On control threads, where a name may be looked up. */
final class RouteCompiler {

    private final Upstreams upstreams;

    RouteCompiler(Upstreams upstreams) {
        this.upstreams = upstreams;
    }

    /**
     * Compiles what has changed and takes over the rest, so that an implicit group keeps its state.
     *
     * @param previous the table in force
     * @param writer of the listener's log; null if it has none
     */
    RouteTable compile(HttpListenerConfig config, RouteTable previous, @Nullable LogWriter writer) {
        Map<RouteConfig, Route> routes = new LinkedHashMap<>();
        boolean sameListener = config.name().equals(previous.listener());
        for (RouteConfig route : config.routes()) {
            Route before = sameListener ? previous.routes().get(route) : null;
            routes.put(route, before != null && isCurrent(before) ? before : compile(config.name(), route));
        }
        AccessLog log = writer == null ? null : AccessLog.of(writer, config.accessLog());
        return new RouteTable(config.name(), routes, new Router(List.copyOf(routes.values())), log);
    }

    /** Whether it holds the group that now bears the name. */
    private boolean isCurrent(Route route) {
        return !(route.config().target() instanceof RouteTarget.Upstream target)
                || upstreams.group(target.name()) == route.group();
    }

    private Route compile(String listener, RouteConfig route) {
        if (route.target() instanceof RouteTarget.Upstream target) {
            return new Route(listener, route, upstreams.group(target.name()), target.name());
        }
        if (route.target() instanceof RouteTarget.Address target && target.url().isConstant()) {
            ServerAddress address = RouteTarget.Address.parse(target.url().text());
            return new Route(listener, route, implicit(address), proxyHost(address));
        }
        return new Route(listener, route, null, "");
    }

    /** Null if the name cannot be looked up now: each request will try then. */
    private @Nullable UpstreamGroup implicit(ServerAddress address) {
        if (address.isUnix()) {
            return upstreams.implicit(address.text(), List.of(UnixDomainSocketAddress.of(address.host())));
        }
        try {
            List<SocketAddress> found = Arrays.stream(InetAddress.getAllByName(address.host()))
                    .map(ip -> (SocketAddress) new InetSocketAddress(ip, address.port()))
                    .toList();
            return upstreams.implicit(address.canonical(), found);
        } catch (UnknownHostException e) {
            return null;
        }
    }

    /** nginx's {@code $proxy_host}: host and port, the scheme's default port left out. */
    static String proxyHost(ServerAddress address) {
        if (address.isUnix()) {
            return "localhost";
        }
        String canonical = address.canonical();
        return address.port() == 80 ? canonical.substring(0, canonical.length() - ":80".length()) : canonical;
    }
}
