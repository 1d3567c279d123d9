package io.weir.proxy.http;

import io.weir.config.Template;
import java.nio.charset.StandardCharsets;
import java.util.function.Function;

/**
 * A template compiled: literals and functions of the exchange. Immutable.
 *
 * <p>As everywhere on the path of a request, one char is one byte: what the operator wrote is taken as UTF-8, and what
 * came in a message as it came.
 */
final class Text {

    private final Object[] parts;

    private Text(Object[] parts) {
        this.parts = parts;
    }

    static Text compile(Template template) {
        return new Text(template.parts().stream()
                .map(part -> part instanceof Template.Literal literal
                        ? bytes(literal.text())
                        : Variables.of(((Template.Reference) part).name()))
                .toArray());
    }

    /** The value of a template that is not worth compiling: the configuration that it is in belongs to others. */
    static String of(Template template, Exchange exchange) {
        StringBuilder out = new StringBuilder();
        for (Template.Part part : template.parts()) {
            out.append(
                    part instanceof Template.Literal literal
                            ? bytes(literal.text())
                            : Variables.of(((Template.Reference) part).name()).apply(exchange));
        }
        return out.toString();
    }

    /** The UTF-8 bytes of a text of the configuration, one char each. */
    static String bytes(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }

    /** The value for this exchange as it stands; a variable without a value is empty. */
    String of(Exchange exchange) {
        if (parts.length == 1) {
            return value(parts[0], exchange);
        }
        StringBuilder out = new StringBuilder();
        for (Object part : parts) {
            out.append(value(part, exchange));
        }
        return out.toString();
    }

    @SuppressWarnings("unchecked")
    private static String value(Object part, Exchange exchange) {
        return part instanceof String literal ? literal : ((Function<Exchange, String>) part).apply(exchange);
    }
}
