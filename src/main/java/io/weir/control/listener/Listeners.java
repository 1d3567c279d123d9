package io.weir.control.listener;

import io.weir.config.AccessLogConfig;
import io.weir.config.HttpListenerConfig;
import io.weir.config.InvalidConfigException;
import io.weir.config.ListenerConfig;
import io.weir.config.RouteConfig;
import io.weir.control.change.Refusal;
import io.weir.control.state.ConfigState;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** Finds listeners and routes in a state, and changes the routes of one. */
final class Listeners {

    private Listeners() {}

    static HttpListenerConfig find(ConfigState state, String listener) {
        return state.config()
                .listener(listener)
                .map(HttpListenerConfig.class::cast)
                .orElseThrow(() -> Refusal.notFound("listener " + listener));
    }

    /** Checks that no other listener has the address, and says so of the listener that the request is about. */
    static void checkPortFree(ConfigState state, HttpListenerConfig listener) {
        for (ListenerConfig other : state.config().listeners()) {
            if (!other.name().equals(listener.name()) && other.sharesSocketWith(listener)) {
                throw new InvalidConfigException("port", "is taken by listener " + other.name());
            }
        }
    }

    /** Checks that the listeners that log to the same file rotate it in one way; says so of this one, wherever it stands. */
    static void checkRotation(ConfigState state, HttpListenerConfig listener) {
        AccessLogConfig log = listener.accessLog();
        for (ListenerConfig other :
                log.file() == null ? List.<ListenerConfig>of() : state.config().listeners()) {
            if (!other.name().equals(listener.name())
                    && Objects.equals(other.accessLog().file(), log.file())
                    && !Objects.equals(other.accessLog().rotate(), log.rotate())) {
                throw new InvalidConfigException(
                        "accessLog.rotate",
                        "must be that of listener " + other.name() + ", which logs to the same file");
            }
        }
    }

    static Optional<RouteConfig> route(HttpListenerConfig listener, String route) {
        return listener.routes().stream().filter(r -> r.name().equals(route)).findFirst();
    }

    static RouteConfig findRoute(HttpListenerConfig listener, String route) {
        return route(listener, route)
                .orElseThrow(() -> Refusal.notFound("route " + route + " in listener " + listener.name()));
    }

    /** With a route in the place of the one of that name, or at the end. */
    static HttpListenerConfig withRoute(HttpListenerConfig listener, RouteConfig route) {
        List<RouteConfig> routes = new ArrayList<>(listener.routes());
        routes.replaceAll(r -> r.name().equals(route.name()) ? route : r);
        if (!routes.contains(route)) {
            routes.add(route);
        }
        return listener.withRoutes(routes);
    }

    static HttpListenerConfig withoutRoute(HttpListenerConfig listener, String route) {
        return listener.withRoutes(
                listener.routes().stream().filter(r -> !r.name().equals(route)).toList());
    }
}
