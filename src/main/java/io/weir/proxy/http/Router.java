package io.weir.proxy.http;

import io.weir.config.HostTable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Finds the route of a request, as nginx finds first the server and then the location: an exact host before the longest
 * wildcard before routes of any host; within those an exact path, then the longest prefix, unless a regular expression
 * matches.
 *
 * <p>Differs from nginx: where no path of the best host matches, routes of the next best host are asked, so that a route
 * of any host serves as a default for all. Immutable.
 *
 * @see <a href="https://nginx.org/en/docs/http/ngx_http_core_module.html#location">nginx: location</a>
 * @see <a href="https://nginx.org/en/docs/http/server_names.html">nginx: server names</a>
 */
final class Router {

    private final boolean empty;
    private final HostTable<Paths> hosts;
    private final @Nullable Paths anyHost;

    Router(List<Route> routes) {
        empty = routes.isEmpty();
        Map<String, List<Route>> byHost = new LinkedHashMap<>();
        List<Route> any = new ArrayList<>();
        for (Route route : routes) {
            if (route.config().hosts().isEmpty()) {
                any.add(route);
            }
            for (String host : route.config().hosts()) {
                byHost.computeIfAbsent(host, h -> new ArrayList<>()).add(route);
            }
        }
        Map<String, Paths> paths = new LinkedHashMap<>();
        byHost.forEach((host, its) -> paths.put(host, new Paths(its)));
        hosts = new HostTable<>(paths);
        anyHost = any.isEmpty() ? null : new Paths(any);
    }

    /** Whether there is no route at all. */
    boolean isEmpty() {
        return empty;
    }

    /**
     * @param host lower case, without port
     * @param path decoded
     * @throws PathRegex.TooCostly if a regular expression does not come to an end
     */
    @Nullable
    Route find(String host, String path, String method, HttpFields headers) {
        Paths named = hosts.exact(host);
        Route found = named == null ? null : named.find(path, method, headers);
        List<HostTable.Wildcard<Paths>> wildcards = hosts.wildcards();
        for (int i = 0; i < wildcards.size() && found == null; i++) {
            if (wildcards.get(i).matches(host)) {
                found = wildcards.get(i).value().find(path, method, headers);
            }
        }
        if (found != null) {
            return found;
        }
        return anyHost == null ? null : anyHost.find(path, method, headers);
    }

    /** The routes of one host. */
    private static final class Paths {

        private final Map<String, List<Route>> exact = new HashMap<>();
        private final TreeMap<String, Prefix> prefixes = new TreeMap<>();
        private final List<Regex> regexes = new ArrayList<>();

        /** @param shorter the longest other prefix that this one begins with */
        private record Prefix(
                String text, List<Route> routes, @Nullable Prefix shorter) {}

        private record Regex(PathRegex pattern, Route route) {}

        Paths(List<Route> routes) {
            TreeMap<String, List<Route>> byPrefix = new TreeMap<>();
            for (Route route : routes) {
                String path = route.path();
                switch (route.config().path().type()) {
                    case EXACT ->
                        exact.computeIfAbsent(path, p -> new ArrayList<>()).add(route);
                    case PREFIX ->
                        byPrefix.computeIfAbsent(path, p -> new ArrayList<>()).add(route);
                    case REGEX -> regexes.add(new Regex(new PathRegex(path), route));
                }
            }
            // in this order each prefix comes after all that it begins with
            byPrefix.forEach((text, its) -> prefixes.put(text, new Prefix(text, its, longest(text))));
        }

        @Nullable
        Route find(String path, String method, HttpFields headers) {
            if (!exact.isEmpty()) {
                List<Route> routes = exact.get(path);
                Route route = routes == null ? null : first(routes, method, headers);
                if (route != null) {
                    return route;
                }
            }
            Route best = null;
            for (Prefix p = longest(path); p != null && best == null; p = p.shorter()) {
                best = first(p.routes(), method, headers);
            }
            if (best == null || !best.config().path().noRegex()) {
                for (int i = 0; i < regexes.size(); i++) {
                    Regex regex = regexes.get(i);
                    if (regex.route().accepts(method, headers)
                            && regex.pattern().isFoundIn(path)) {
                        return regex.route();
                    }
                }
            }
            return best;
        }

        /**
         * The longest prefix that {@code path} begins with. All such prefixes sort at or before the path, and whatever
         * sorts between one of them and the path begins with it too: so from the nearest one the way leads down.
         */
        private @Nullable Prefix longest(String path) {
            Map.Entry<String, Prefix> nearest = prefixes.floorEntry(path);
            Prefix prefix = nearest == null ? null : nearest.getValue();
            while (prefix != null && !path.startsWith(prefix.text())) {
                prefix = prefix.shorter();
            }
            return prefix;
        }

        private static @Nullable Route first(List<Route> routes, String method, HttpFields headers) {
            for (int i = 0; i < routes.size(); i++) {
                if (routes.get(i).accepts(method, headers)) {
                    return routes.get(i);
                }
            }
            return null;
        }
    }
}
