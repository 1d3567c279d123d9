package io.weir.balance;

import io.weir.config.Checks;
import io.weir.config.GroupProtocol;
import io.weir.config.InvalidConfigException;
import io.weir.config.MethodSpec;
import io.weir.config.Template;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reads the arguments of a method; what is left over at the {@link #end} is refused. Fields are their names. */
final class Arguments {

    private static final Template NOTHING = Template.parse("");

    private final String method;
    private final GroupProtocol protocol;
    private final Map<String, Object> left;
    private final Checks checks = new Checks();

    /** @param protocol of the group */
    Arguments(MethodSpec spec, GroupProtocol protocol) {
        method = spec.method();
        this.protocol = protocol;
        left = new TreeMap<>(spec.arguments());
    }

    /** Whether the group is one of streams. */
    boolean areOfStreams() {
        return protocol == GroupProtocol.STREAM;
    }

    /** Text with variables, which has to be there. */
    Template template(String name) {
        Object value = left.remove(name);
        if (value == null) {
            checks.check(false, name, "is required by " + method);
        } else if (value instanceof String text && !text.isEmpty()) {
            Template template =
                    checks.attempt(name, () -> areOfStreams() ? Template.parseForStream(text) : Template.parse(text));
            return template == null ? NOTHING : template;
        } else {
            checks.check(
                    false,
                    name,
                    "must be text with variables such as " + (areOfStreams() ? "$remote_addr" : "$request_uri")
                            + ", not empty");
        }
        return NOTHING;
    }

    /** True or false; false if it is not there. */
    boolean flag(String name) {
        Object value = left.remove(name);
        checks.check(value == null || value instanceof Boolean, name, "must be true or false");
        return Boolean.TRUE.equals(value);
    }

    /** One of these words, which has to be there. */
    String requiredWord(String name, String... words) {
        checks.check(left.containsKey(name), name, "is required by " + method + ": one of " + String.join(", ", words));
        String word = word(name, words);
        return word == null ? words[0] : word;
    }

    /** One of these words; null if it is not there. */
    @Nullable
    String word(String name, String... words) {
        Object value = left.remove(name);
        if (value == null) {
            return null;
        }
        List<String> known = Arrays.asList(words);
        boolean ok = value instanceof String text && known.contains(text);
        checks.check(ok, name, "must be one of " + String.join(", ", known));
        return ok ? (String) value : null;
    }

    Arguments check(boolean ok, String name, String message) {
        checks.check(ok, name, message);
        return this;
    }

    /**
     * There are no more.
     *
     * @throws InvalidConfigException with all that is wrong
     */
    void end() {
        left.keySet().forEach(name -> checks.check(false, name, "is not an argument of " + method));
        checks.done();
    }
}
