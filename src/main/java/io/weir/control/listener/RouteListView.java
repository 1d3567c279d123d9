package io.weir.control.listener;

import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;

/** Documents the list of a listener's routes, as sent and as answered. */
@Schema(name = "RouteList")
record RouteListView(
        List<ListenerRouteView> items,
        @Schema(accessMode = Schema.AccessMode.READ_ONLY) long revision) {}
