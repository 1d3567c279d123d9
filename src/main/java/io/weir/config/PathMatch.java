package io.weir.config;

import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * Which paths a route takes, as nginx's {@code location} does.
 *
 * @param value begins with a slash unless it is a regular expression; compared with the decoded path
 * @param noRegex for a prefix: if it is the longest that matches, regular expressions are not tried ({@code ^~})
 */
public record PathMatch(Type type, String value, boolean noRegex) {

    /** How the value is compared. */
    public enum Type {
        EXACT,
        PREFIX,
        REGEX
    }

    public static final PathMatch ALL = new PathMatch(Type.PREFIX, "/", false);

    public PathMatch {
        Checks checks = new Checks()
                .check(value.length() <= 4096, "value", "must be at most 4096 characters")
                .check(!noRegex || type == Type.PREFIX, "noRegex", "goes with a prefix only");
        if (type == Type.REGEX) {
            try {
                Pattern.compile(value);
            } catch (PatternSyntaxException e) {
                checks.check(false, "value", "is not a regular expression: " + e.getDescription());
            }
            checks.check(!value.isEmpty(), "value", "must not be empty");
        } else {
            checks.check(value.startsWith("/"), "value", "must begin with /");
        }
        checks.done();
    }
}
