package io.weir.control.listener;

import io.weir.config.HttpListenerConfig;
import io.weir.config.ListenerConfig;
import io.weir.config.ListenerRoute;
import io.weir.config.RouteConfig;
import io.weir.config.StreamListenerConfig;
import io.weir.config.StreamRouteConfig;
import io.weir.control.change.Refusal;
import io.weir.control.web.Fields;
import io.weir.control.web.MergePatch;
import io.weir.control.web.StrictJson;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Finds, reads and changes the routes of a listener, which are of one kind with it. */
final class Routes {

    private Routes() {}

    static Optional<? extends ListenerRoute> route(ListenerConfig listener, String route) {
        return listener.routes().stream().filter(r -> r.name().equals(route)).findFirst();
    }

    static ListenerRoute find(ListenerConfig listener, String route) {
        Optional<? extends ListenerRoute> found = route(listener, route);
        if (found.isEmpty()) {
            throw Refusal.notFound("route " + route + " in listener " + listener.name());
        }
        return found.get();
    }

    /**
     * Reads a whole document as a route of the listener.
     *
     * @param name that the path gives, null if it gives none
     * @throws io.weir.config.InvalidConfigException with all that is wrong
     */
    static ListenerRoute read(ListenerConfig listener, JsonNode document, @Nullable String name) {
        return listener instanceof HttpListenerConfig
                ? RouteRequest.read(document, name)
                : StreamRouteView.read(document, name);
    }

    /** Reads one of many; null if something is wrong, which is then in the checks of {@code fields}. */
    static @Nullable ListenerRoute read(ListenerConfig listener, Fields fields) {
        return listener instanceof HttpListenerConfig
                ? RouteRequest.read(fields, null)
                : StreamRouteView.read(fields, null);
    }

    /** The document of the route that a merge patch makes of one. */
    static JsonNode patch(ListenerRoute route, JsonNode patch) {
        return route instanceof RouteConfig http
                ? RoutePatch.apply(RouteView.of(http), patch)
                : MergePatch.apply(StrictJson.of(ListenerRouteView.of(route)), patch);
    }

    /** The listener with other routes of its kind. */
    static ListenerConfig with(ListenerConfig listener, List<? extends ListenerRoute> routes) {
        return listener instanceof HttpListenerConfig http
                ? http.withRoutes(routes.stream().map(RouteConfig.class::cast).toList())
                : ((StreamListenerConfig) listener)
                        .withRoutes(routes.stream()
                                .map(StreamRouteConfig.class::cast)
                                .toList());
    }

    /** With a route in the place of the one of that name, or at the end. */
    static ListenerConfig with(ListenerConfig listener, ListenerRoute route) {
        List<ListenerRoute> routes = new ArrayList<>(listener.routes());
        routes.replaceAll(r -> r.name().equals(route.name()) ? route : r);
        if (!routes.contains(route)) {
            routes.add(route);
        }
        return with(listener, routes);
    }

    static ListenerConfig without(ListenerConfig listener, String route) {
        return with(
                listener,
                listener.routes().stream().filter(r -> !r.name().equals(route)).toList());
    }
}
