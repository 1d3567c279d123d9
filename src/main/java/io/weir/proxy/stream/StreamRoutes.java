package io.weir.proxy.stream;

import io.weir.config.StreamListenerConfig;
import io.weir.config.StreamRouteConfig;
import io.weir.upstream.UpstreamGroup;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
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

    private record Wildcard(String text, boolean leading, List<Route> routes) {
        boolean matches(String host) {
            // *.example.org stands for one label or more in front of .example.org
            return host.length() > text.length() && (leading ? host.endsWith(text) : host.startsWith(text));
        }
    }

    private final Map<String, List<Route>> exact = new HashMap<>();
    private final List<Wildcard> wildcards = new ArrayList<>();
    private final List<Route> any = new ArrayList<>();
    private final @Nullable StreamTarget rest;

    private StreamRoutes(@Nullable StreamTarget rest) {
        this.rest = rest;
    }

    /** @param groups finds a group by its name; what it does not know takes nobody */
    static StreamRoutes of(StreamListenerConfig config, Function<String, @Nullable UpstreamGroup> groups) {
        StreamRoutes routes =
                new StreamRoutes(config.upstream() == null ? null : target(null, config.upstream(), groups));
        Map<String, List<Route>> byHost = new HashMap<>();
        for (StreamRouteConfig route : config.routes()) {
            StreamTarget target = target(route.name(), route.upstream(), groups);
            if (target == null) {
                continue;
            }
            Route compiled = new Route(route.alpn(), target);
            if (route.hosts().isEmpty()) {
                routes.any.add(compiled);
            }
            route.hosts()
                    .forEach(host ->
                            byHost.computeIfAbsent(host, h -> new ArrayList<>()).add(compiled));
        }
        byHost.forEach(routes::add);
        routes.wildcards.sort(Comparator.comparing((Wildcard w) -> !w.leading())
                .thenComparing(w -> -w.text().length()));
        return routes;
    }

    private static @Nullable StreamTarget target(
            @Nullable String route, String upstream, Function<String, @Nullable UpstreamGroup> groups) {
        UpstreamGroup group = groups.apply(upstream);
        return group == null ? null : new StreamTarget(route, group);
    }

    private void add(String host, List<Route> its) {
        if (host.startsWith("*")) {
            wildcards.add(new Wildcard(host.substring(1), true, its));
        } else if (host.endsWith("*")) {
            wildcards.add(new Wildcard(host.substring(0, host.length() - 1), false, its));
        } else {
            exact.put(host, its);
        }
    }

    /**
     * @param hello what the client of TLS said; null if nobody has looked
     * @return null if nobody takes it
     */
    @Nullable
    StreamTarget find(@Nullable ClientHello hello) {
        if (hello == null || exact.isEmpty() && wildcards.isEmpty() && any.isEmpty()) {
            return rest;
        }
        String host = normalized(hello.serverName());
        List<String> offered = Arrays.asList(hello.protocols().split(","));
        StreamTarget found = host.isEmpty() ? null : first(exact.getOrDefault(host, List.of()), offered);
        for (int i = 0; i < wildcards.size() && found == null && !host.isEmpty(); i++) {
            if (wildcards.get(i).matches(host)) {
                found = first(wildcards.get(i).routes(), offered);
            }
        }
        if (found == null) {
            found = first(any, offered);
        }
        return found == null ? rest : found;
    }

    private static @Nullable StreamTarget first(List<Route> routes, List<String> offered) {
        for (Route route : routes) {
            if (route.accepts(offered)) {
                return route.target();
            }
        }
        return null;
    }

    /** As nginx takes a name: in lower case, without a port and without a dot at its end. */
    private static String normalized(String name) {
        int colon = name.startsWith("[") ? name.indexOf(':', Math.max(0, name.indexOf(']'))) : name.indexOf(':');
        String host = (colon < 0 ? name : name.substring(0, colon)).toLowerCase(Locale.ROOT);
        return host.endsWith(".") ? host.substring(0, host.length() - 1) : host;
    }
}
