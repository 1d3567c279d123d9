package io.weir.control.web;

import io.weir.config.InvalidConfigException;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * A JSON merge patch: fields replace fields, null removes one, objects are merged, arrays are replaced whole.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc7396">RFC 7396</a>
 */
public final class MergePatch {

    private MergePatch() {}

    /**
     * The target with the patch applied; neither is changed.
     *
     * @throws InvalidConfigException if the patch is no object, since no resource here is anything else
     */
    public static JsonNode apply(JsonNode target, JsonNode patch) {
        return apply(target, patch, Map.of());
    }

    /**
     * The same, but for parts of several kinds: where the patch changes the kind, what belonged to the old one goes, since
     * the client never sent it and cannot know that it has to take it away.
     *
     * @param kinds by the name of a part, that of its field which tells the kind
     * @throws InvalidConfigException if the patch is no object, since no resource here is anything else
     */
    public static JsonNode apply(JsonNode target, JsonNode patch, Map<String, String> kinds) {
        if (!patch.isObject()) {
            throw new InvalidConfigException("", "must be a JSON object");
        }
        if (!(target.deepCopy() instanceof ObjectNode kept)) {
            return merge(target, patch);
        }
        kinds.forEach((part, kind) -> {
            JsonNode wanted = patch.path(part).get(kind);
            if (wanted != null && !wanted.equals(kept.path(part).get(kind))) {
                kept.remove(part);
            }
        });
        return merge(kept, patch);
    }

    private static JsonNode merge(JsonNode target, JsonNode patch) {
        if (!patch.isObject()) {
            return patch;
        }
        ObjectNode merged =
                target instanceof ObjectNode object ? object.deepCopy() : JsonNodeFactory.instance.objectNode();
        patch.forEachEntry((name, value) -> {
            if (value.isNull()) {
                merged.remove(name);
            } else {
                JsonNode old = merged.get(name);
                merged.set(name, merge(old == null ? JsonNodeFactory.instance.nullNode() : old, value));
            }
        });
        return merged;
    }
}
