package io.weir.control.listener;

import io.weir.control.web.MergePatch;
import io.weir.control.web.StrictJson;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A merge patch of a route: what only followed from the rest, or belonged to another target, is not held against it. */
final class RoutePatch {

    private static final String RESPOND = "respond";
    private static final List<String> TARGETS = List.of("upstream", "address", RESPOND);

    private RoutePatch() {}

    /**
     * The document of the route that the patch makes.
     *
     * @throws io.weir.config.InvalidConfigException if the patch is no object
     */
    static JsonNode apply(RouteView route, JsonNode patch) {
        ObjectNode old = (ObjectNode) StrictJson.of(route);
        if (TARGETS.stream().anyMatch(target -> patch.hasNonNull(target) && !old.has(target))) {
            old.remove(TARGETS);
            if (patch.hasNonNull(RESPOND)) {
                old.remove("rewritePrefix");
            }
        }
        if (route.proxy().followsBuffers()) {
            ((ObjectNode) old.get("proxy")).remove("busyBuffersSize");
        }
        return MergePatch.apply(old, patch);
    }
}
