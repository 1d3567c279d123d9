package io.weir.proxy.stream;

import io.weir.config.HostTable;
import io.weir.config.StreamListenerConfig;
import io.weir.config.StreamRouteConfig;
import io.weir.proxy.address.Hosts;
import io.weir.upstream.UpstreamGroup;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Finds where a session goes, by what its client said before it encrypted: an exact name before the longest
 * {@code *.example.org}, before the longest {@code www.example.*}, before routes of any name; among routes of the same name the
 * first whose protocols are offered. Where no route of the best name takes it, those of the next best are asked, and last the
 * listener's own group takes it. Immutable.
 *
 * @see <a href="https://nginx.org/en/docs/stream/ngx_stream_core_module.html#server_name">nginx: server_name</a>
 */
final class StreamRoutes {

    private record Route(List<String> alpn, StreamTarget target) {
        boolean accepts(List<String> offered) {
            return alpn.isEmpty() || offered.stream().anyMatch(alpn::contains);
        }
    }

    private final HostTable<List<Route>> hosts;
    private final List<Route> any;
    private final @Nullable StreamTarget rest;
    private final boolean empty;

    private StreamRoutes(Map<String, List<Route>> byHost, List<Route> any, @Nullable StreamTarget rest) {
        this.hosts = new HostTable<>(byHost);
        this.any = List.copyOf(any);
        this.rest = rest;
        this.empty = byHost.isEmpty() && any.isEmpty();
    }

    /** @param groups finds a group by its name; what it does not know takes nobody */
    static StreamRoutes of(StreamListenerConfig config, Function<String, @Nullable UpstreamGroup> groups) {
        Map<String, List<Route>> byHost = new HashMap<>();
        List<Route> any = new ArrayList<>();
        for (StreamRouteConfig route : config.routes()) {
            StreamTarget target = target(route.name(), route.upstream(), groups);
            if (target == null) {
                continue;
            }
            Route compiled = new Route(route.alpn(), target);
            if (route.hosts().isEmpty()) {
                any.add(compiled);
            }
            route.hosts()
                    .forEach(host ->
                            byHost.computeIfAbsent(host, h -> new ArrayList<>()).add(compiled));
        }
        return new StreamRoutes(
                byHost, any, config.upstream() == null ? null : target(null, config.upstream(), groups));
    }

    private static @Nullable StreamTarget target(
            @Nullable String route, String upstream, Function<String, @Nullable UpstreamGroup> groups) {
        UpstreamGroup group = groups.apply(upstream);
        return group == null ? null : new StreamTarget(route, group);
    }

    /**
     * @param hello what the client of TLS said; null if nobody has looked
     * @return null if nobody takes it
     */
    @Nullable
    StreamTarget find(@Nullable ClientHello hello) {
        if (hello == null || empty) {
            return rest;
        }
        List<String> offered = Arrays.asList(hello.protocols().split(","));
        String host = Hosts.name(hello.serverName());
        StreamTarget found = host == null || host.isEmpty() ? null : named(host, offered);
        if (found == null) {
            found = first(any, offered);
        }
        return found == null ? rest : found;
    }

    private @Nullable StreamTarget named(String host, List<String> offered) {
        List<Route> exact = hosts.exact(host);
        StreamTarget found = exact == null ? null : first(exact, offered);
        for (HostTable.Wildcard<List<Route>> wildcard : hosts.wildcards()) {
            if (found == null && wildcard.matches(host)) {
                found = first(wildcard.value(), offered);
            }
        }
        return found;
    }

    private static @Nullable StreamTarget first(List<Route> routes, List<String> offered) {
        for (Route route : routes) {
            if (route.accepts(offered)) {
                return route.target();
            }
        }
        return null;
    }
}
