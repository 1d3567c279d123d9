package io.weir.control.listener;

import io.swagger.v3.oas.annotations.media.Schema;
import io.weir.config.ListenerRoute;
import io.weir.config.RouteConfig;
import io.weir.config.StreamRouteConfig;

/** A route of a listener of any kind as the API shows it. */
@Schema(
        name = "ListenerRoute",
        description = "Of an HTTP listener: Route. Of a tcp listener: StreamRoute.",
        oneOf = {RouteView.class, StreamRouteView.class})
sealed interface ListenerRouteView permits RouteView, StreamRouteView {

    static ListenerRouteView of(ListenerRoute route) {
        return route instanceof RouteConfig http ? RouteView.of(http) : StreamRouteView.of((StreamRouteConfig) route);
    }
}
