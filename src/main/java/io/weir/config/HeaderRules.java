package io.weir.config;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Changes to the header fields of a message.
 *
 * @param set fields to set in this order, in place of any of that name; an empty value removes the field
 * @param remove names of fields to leave out
 */
public record HeaderRules(Map<String, Template> set, List<String> remove) {

    public static final HeaderRules NONE = new HeaderRules(Map.of(), List.of());

    /** Fields that frame the message; Weir alone writes them, or the framing could be forged. */
    private static final Set<String> FRAMING = Set.of("content-length", "transfer-encoding", "te", "trailer");

    public HeaderRules {
        set = Collections.unmodifiableMap(new LinkedHashMap<>(set));
        remove = List.copyOf(remove);
        Checks checks = new Checks();
        Set<String> seen = new TreeSet<>();
        set.forEach((name, value) -> {
            String field = "set." + name;
            checkName(checks, field, name);
            checks.check(seen.add(name.toLowerCase(Locale.ROOT)), field, "stands twice");
            checks.check(HttpSyntax.isFieldValue(value.text()), field, "must not have control characters");
        });
        for (int i = 0; i < remove.size(); i++) {
            checkName(checks, "remove[" + i + "]", remove.get(i));
        }
        checks.done();
    }

    private static void checkName(Checks checks, String field, String name) {
        checks.check(HttpSyntax.isToken(name), field, "must be a header field name")
                .check(
                        !FRAMING.contains(name.toLowerCase(Locale.ROOT)),
                        field,
                        "frames the message and is written by the proxy alone");
    }
}
