package io.weir.control.change;

import io.weir.config.InvalidConfigException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a client expects of the version of a resource that it writes: {@code If-Match} and {@code If-None-Match}.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc9110#section-13.1">RFC 9110, preconditions</a>
 */
public final class Precondition {

    public static final Precondition NONE = new Precondition(null, null);

    private static final Pattern TAG =
            Pattern.compile("[ \\t]*(?:(W/)?\"([\\x21\\x23-\\x7e\\x80-\\xff]*)\")?[ \\t]*(,|$)");

    /** The value of one of the two fields. */
    private record Tags(boolean any, List<String> strong, List<String> weak) {}

    private final @Nullable Tags match;
    private final @Nullable Tags noneMatch;

    private Precondition(@Nullable Tags match, @Nullable Tags noneMatch) {
        this.match = match;
        this.noneMatch = noneMatch;
    }

    /**
     * Reads the two fields; null for one that was not sent.
     *
     * @throws InvalidConfigException naming the field that is not a list of entity tags
     */
    public static Precondition parse(@Nullable String ifMatch, @Nullable String ifNoneMatch) {
        return new Precondition(tags("If-Match", ifMatch), tags("If-None-Match", ifNoneMatch));
    }

    private static @Nullable Tags tags(String field, @Nullable String value) {
        if (value == null) {
            return null;
        }
        if (value.trim().equals("*")) {
            return new Tags(true, List.of(), List.of());
        }
        List<String> strong = new ArrayList<>();
        List<String> weak = new ArrayList<>();
        Matcher m = TAG.matcher(value);
        int at = 0;
        while (at < value.length()) {
            if (!m.find(at) || m.start() != at) {
                throw malformed(field);
            }
            if (m.group(2) != null) {
                (m.group(1) == null ? strong : weak).add(m.group(2));
            }
            at = m.end();
        }
        if (strong.isEmpty() && weak.isEmpty()) {
            throw malformed(field);
        }
        return new Tags(false, strong, weak);
    }

    private static InvalidConfigException malformed(String field) {
        return new InvalidConfigException(field, "must be * or a list of entity tags such as \"17\"");
    }

    /**
     * Compares with what is there.
     *
     * @param revision of the resource, null if it does not exist
     * @throws Refusal if the client expected something else
     */
    public void check(@Nullable Long revision) {
        checkMatch(revision);
        if (noneMatch == null || revision == null) {
            return;
        }
        String tag = revision.toString();
        // weak comparison: RFC 9110 section 13.1.2
        if (noneMatch.any || noneMatch.strong.contains(tag) || noneMatch.weak.contains(tag)) {
            throw failed("it exists, at revision " + tag);
        }
    }

    /** Compares {@code If-Match} alone: for an addition to a collection, which always exists. */
    public void checkMatch(@Nullable Long revision) {
        if (match == null) {
            return;
        }
        if (revision == null) {
            throw failed("it does not exist");
        }
        // strong comparison: a weak tag never matches, RFC 9110 section 13.1.1
        if (!match.any && !match.strong.contains(revision.toString())) {
            throw failed("it is at revision " + revision);
        }
    }

    private static Refusal failed(String why) {
        return new Refusal(Refusal.Reason.PRECONDITION_FAILED, "the resource is not what the request expects: " + why);
    }
}
