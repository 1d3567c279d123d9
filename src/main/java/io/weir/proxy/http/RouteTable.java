package io.weir.proxy.http;

import io.weir.config.RouteConfig;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The routes of a listener, ready for requests. Immutable.
 *
 * @param listener its name
 * @param accessLog null for none
 */
public record RouteTable(
        String listener,
        Map<RouteConfig, Route> routes,
        Router router,
        @Nullable AccessLog accessLog) {

    /** The table of a listener that has none. */
    public static final RouteTable EMPTY = new RouteTable("", Map.of(), new Router(List.of()), null);
}
