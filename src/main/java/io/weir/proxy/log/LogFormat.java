package io.weir.proxy.log;

import io.weir.config.AccessLogConfig;
import io.weir.config.AccessLogConfig.Escape;
import io.weir.config.GroupProtocol;
import io.weir.config.Template;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Predicate;

/**
 * The form of log lines, compiled: each literal and variable has become something that appends bytes. Immutable.
 *
 * @param <T> what a line is about: a request, or a session
 */
public final class LogFormat<T> {

    private final LogValue<T>[] values;
    private final List<String> names;

    @SuppressWarnings({"unchecked", "rawtypes"}) // there are no arrays of a generic type
    private LogFormat(List<LogValue<T>> values, List<String> names) {
        this.values = values.toArray(new LogValue[0]);
        this.names = names;
    }

    /**
     * @param protocol whose variables the format is checked to name
     * @param variables what the format may name
     * @param json the whole line of the format {@code json}
     */
    public static <T> LogFormat<T> compile(
            AccessLogConfig config, GroupProtocol protocol, LogVariables<T> variables, LogValue<T> json) {
        Template template = config.template(protocol);
        return template == null
                ? new LogFormat<>(List.of(json), List.of())
                : new LogFormat<>(values(template, config.escape(), variables), names(template));
    }

    private static <T> List<LogValue<T>> values(Template template, Escape escape, LogVariables<T> variables) {
        return template.parts().stream()
                .map(part -> part instanceof Template.Reference variable
                        ? variables.of(variable.name(), escape)
                        : LogFormat.<T>literal(((Template.Literal) part).text()))
                .toList();
    }

    private static <T> LogValue<T> literal(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return (line, subject) -> line.put(bytes);
    }

    private static List<String> names(Template template) {
        return template.parts().stream()
                .filter(Template.Reference.class::isInstance)
                .map(part -> ((Template.Reference) part).name())
                .toList();
    }

    /** Whether it has a variable of such a name; what {@code json} has is for its author to know. */
    public boolean names(Predicate<String> name) {
        return names.stream().anyMatch(name);
    }

    /** Appends the line, without its end. */
    public void write(LineBuffer line, T subject) {
        for (LogValue<T> value : values) {
            value.write(line, subject);
        }
    }
}
