package io.weir.config;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Text with nginx's variables in it: {@code $host:$server_port}, {@code ${scheme}://$host}. {@code $$} is a dollar sign.
 *
 * @param text as the operator wrote it
 * @param parts literals and variables in order; neighbouring literals are joined
 */
public record Template(String text, List<Part> parts) {

    /** A piece of a template. */
    public sealed interface Part {}

    /** Text that stands for itself. */
    public record Literal(String text) implements Part {}

    /** The value of a variable; {@code name} is without the dollar sign and known to {@link Variable} or {@link StreamVariable}. */
    public record Reference(String name) implements Part {}

    private static final Pattern TOKEN = Pattern.compile("\\$(?:(\\$)|\\{([A-Za-z0-9_]+)}|([A-Za-z0-9_]+)|)");

    /**
     * Reads a template.
     *
     * @throws InvalidConfigException on an unknown variable or a dollar sign that begins none, with an empty field
     */
    public static Template parse(String text) {
        return parse(text, Variable::isKnown);
    }

    /** Reads a template of log lines, which also know what the client was sent. */
    public static Template parseForLog(String text) {
        return parse(text, Variable::isKnownToLogs);
    }

    /** Reads a template of sessions of streams: log lines and hash keys. */
    public static Template parseForStream(String text) {
        return parse(text, StreamVariable.NAMES::contains);
    }

    /** Reads a template of which is known that it is right for its log. */
    static Template parseForAnyLog(String text) {
        return parse(text, name -> Variable.isKnownToLogs(name) || StreamVariable.NAMES.contains(name));
    }

    private static Template parse(String text, Predicate<String> known) {
        List<Part> parts = new ArrayList<>();
        StringBuilder literal = new StringBuilder();
        Matcher m = TOKEN.matcher(text);
        int at = 0;
        while (m.find()) {
            literal.append(text, at, m.start());
            at = m.end();
            if (m.group(1) != null) {
                literal.append('$');
                continue;
            }
            String name = m.group(2) != null ? m.group(2) : m.group(3);
            if (name == null) {
                throw new InvalidConfigException("", "has a $ that begins no variable; write $$ for a dollar sign");
            }
            if (!known.test(name)) {
                throw new InvalidConfigException("", "unknown variable $" + name);
            }
            flush(literal, parts);
            parts.add(new Reference(name));
        }
        literal.append(text, at, text.length());
        flush(literal, parts);
        return new Template(text, List.copyOf(parts));
    }

    private static void flush(StringBuilder literal, List<Part> parts) {
        if (!literal.isEmpty()) {
            parts.add(new Literal(literal.toString()));
            literal.setLength(0);
        }
    }

    /** Whether the value is the same for every request. */
    public boolean isConstant() {
        return parts.stream().allMatch(Literal.class::isInstance);
    }

    @Override
    public String toString() {
        return text;
    }
}
