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

    /** Fields that say what becomes of the client's connection, which the proxy alone knows. */
    private static final Set<String> CONNECTION = Set.of("connection", "keep-alive", "proxy-connection", "upgrade");

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

    /** What only does harm in a request: HTTP/1.1 does not go without Host. */
    void checkForRequests(Checks checks, String at) {
        for (int i = 0; i < remove.size(); i++) {
            checks.check(
                    !remove.get(i).equalsIgnoreCase("host"),
                    at + ".remove[" + i + "]",
                    "is part of every request; set it to something else");
        }
    }

    /** What only does harm in a response. In a request, Connection and Upgrade are the server's to judge. */
    void checkForResponses(Checks checks, String at) {
        set.keySet().forEach(name -> checkConnection(checks, at + ".set." + name, name));
        for (int i = 0; i < remove.size(); i++) {
            checkConnection(checks, at + ".remove[" + i + "]", remove.get(i));
        }
    }

    private static void checkConnection(Checks checks, String field, String name) {
        checks.check(
                !CONNECTION.contains(name.toLowerCase(Locale.ROOT)),
                field,
                "belongs to the client's connection and is written by the proxy alone");
    }

    private static void checkName(Checks checks, String field, String name) {
        checks.check(HttpSyntax.isToken(name), field, "must be a header field name")
                .check(
                        !FRAMING.contains(name.toLowerCase(Locale.ROOT)),
                        field,
                        "frames the message and is written by the proxy alone");
    }
}
