package io.weir.control.listener;

import io.weir.config.GroupProtocol;
import io.weir.config.HttpListenerConfig;
import io.weir.config.InvalidConfigException;
import io.weir.config.ListenerConfig;
import io.weir.config.ListenerProtocol;
import io.weir.config.RealIpConfig;
import io.weir.config.StreamListenerConfig;
import io.weir.control.web.MergePatch;
import io.weir.control.web.StrictJson;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A merge patch of a listener. One that makes an HTTP listener of a stream listener, or the other way round, is not held
 * against what only followed from the defaults of the old kind; what was set stays, and is refused where it does not fit.
 */
final class ListenerPatch {

    /** What has no default. */
    private static final Set<String> ALWAYS_SET = Set.of("name", "port", "upstream");

    private static final String ROUTES = "routes";

    private ListenerPatch() {}

    /**
     * The document of the listener that the patch makes.
     *
     * @throws InvalidConfigException if the patch is no object
     */
    static JsonNode apply(ListenerConfig listener, JsonNode patch) {
        ObjectNode old = (ObjectNode) StrictJson.of(ListenerView.of(listener));
        if (group(listener, patch.get(ListenerRequest.PROTOCOL))
                != listener.protocol().group()) {
            removeDefaults(old, defaults(listener));
        }
        JsonNode merged = MergePatch.apply(old, patch);
        if (patch.path(ROUTES).isNull() && merged instanceof ObjectNode listed) {
            // a document that says nothing of routes keeps them
            listed.putArray(ROUTES);
        }
        return merged;
    }

    private static GroupProtocol group(ListenerConfig listener, @Nullable JsonNode wanted) {
        if (wanted == null) {
            return listener.protocol().group();
        }
        if (wanted.isNull()) {
            return GroupProtocol.HTTP;
        }
        for (ListenerProtocol protocol : ListenerProtocol.values()) {
            if (wanted.isString() && protocol.word().equals(wanted.stringValue())) {
                return protocol.group();
            }
        }
        // refused when it is read
        return listener.protocol().group();
    }

    /** A listener of that kind of which nothing was set but what has to be. */
    private static JsonNode defaults(ListenerConfig listener) {
        boolean http = listener instanceof HttpListenerConfig;
        ListenerConfig plain = http
                ? new HttpListenerConfig("-", "0.0.0.0", 1, List.of())
                : new StreamListenerConfig("-", listener.protocol(), "0.0.0.0", 1, "-");
        ObjectNode defaults = (ObjectNode) StrictJson.of(ListenerView.of(plain));
        defaults.putObject("realIp")
                .put("header", http ? RealIpConfig.DEFAULT_HEADER : RealIpConfig.PROXY_PROTOCOL)
                .put("recursive", false);
        return defaults;
    }

    private static void removeDefaults(ObjectNode document, JsonNode defaults) {
        for (String name : List.copyOf(document.propertyNames())) {
            JsonNode value = document.get(name);
            JsonNode standard = defaults.get(name);
            if (ALWAYS_SET.contains(name)) {
                continue;
            }
            if (value.equals(standard)) {
                document.remove(name);
            } else if (value instanceof ObjectNode part && standard instanceof ObjectNode) {
                removeDefaults(part, standard);
            }
        }
    }
}
