package io.weir.proxy.stream;

import io.weir.config.AccessRule;
import io.weir.config.HostTable;
import io.weir.config.RealIpConfig;
import io.weir.config.StreamListenerConfig;
import io.weir.config.StreamRouteConfig;
import io.weir.proxy.address.Hosts;
import io.weir.proxy.address.ProxyHeader;
import io.weir.proxy.log.LogWriter;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the sessions of a listener follow, ready for use. A session keeps those that it began with. Immutable.
 */
final class StreamRules {

    private final StreamListenerConfig config;
    private final @Nullable StreamLog log;
    private final HostTable<List<StreamRouteConfig>> byHost;
    private final List<StreamRouteConfig> anyHost = new ArrayList<>();

    /** @param writer null for no log */
    StreamRules(StreamListenerConfig config, @Nullable LogWriter writer) {
        this.config = config;
        this.log = writer == null ? null : StreamLog.of(writer, config.accessLog());
        Map<String, List<StreamRouteConfig>> routes = new LinkedHashMap<>();
        for (StreamRouteConfig route : config.routes()) {
            if (route.hosts().isEmpty()) {
                anyHost.add(route);
            }
            for (String host : route.hosts()) {
                routes.computeIfAbsent(host, h -> new ArrayList<>()).add(route);
            }
        }
        byHost = new HostTable<>(routes);
    }

    StreamListenerConfig config() {
        return config;
    }

    /** Null for none. */
    @Nullable
    StreamLog log() {
        return log;
    }

    /** Who the client is, where a proxy in front is trusted to say so. */
    InetSocketAddress client(InetSocketAddress peer, ProxyHeader header) {
        RealIpConfig trust = config.realIp();
        InetSocketAddress source = header.source();
        return trust != null && source != null && trust.trusts(peer.getAddress()) ? source : peer;
    }

    boolean allows(InetSocketAddress client) {
        return AccessRule.allows(config.client().access(), client.getAddress());
    }

    /**
     * The group that takes a client, by what it has said: of the routes with the best name, the first whose protocols it
     * offers one of, then of the next best name, then of those for any name, then the listener's own.
     *
     * @param hello null where none was waited for
     * @return null if nobody takes it
     */
    @Nullable
    String upstream(@Nullable ClientHello hello) {
        if (hello == null || config.routes().isEmpty()) {
            return config.upstream();
        }
        String name = Hosts.name(hello.serverName());
        List<String> offered = List.of(hello.protocols().split(","));
        StreamRouteConfig route = name == null || name.isEmpty() ? null : named(name, offered);
        if (route == null) {
            route = first(anyHost, offered);
        }
        return route == null ? config.upstream() : route.upstream();
    }

    private @Nullable StreamRouteConfig named(String name, List<String> offered) {
        List<StreamRouteConfig> exact = byHost.exact(name);
        StreamRouteConfig route = exact == null ? null : first(exact, offered);
        for (HostTable.Wildcard<List<StreamRouteConfig>> wildcard : byHost.wildcards()) {
            if (route == null && wildcard.matches(name)) {
                route = first(wildcard.value(), offered);
            }
        }
        return route;
    }

    private static @Nullable StreamRouteConfig first(List<StreamRouteConfig> routes, List<String> offered) {
        for (StreamRouteConfig route : routes) {
            if (route.alpn().isEmpty() || route.alpn().stream().anyMatch(offered::contains)) {
                return route;
            }
        }
        return null;
    }
}
