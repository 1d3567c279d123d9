package io.weir.proxy.http;

import io.weir.config.AccessLogConfig;
import io.weir.config.AccessLogConfig.Escape;
import io.weir.config.GroupProtocol;
import io.weir.config.Template;
import io.weir.proxy.log.LineBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The form of log lines, compiled: each literal and variable has become something that appends bytes. Immutable. */
final class LogFormat {

    private final LogValue[] values;
    private final boolean namesSentFields;

    private LogFormat(List<LogValue> values, boolean namesSentFields) {
        this.values = values.toArray(LogValue[]::new);
        this.namesSentFields = namesSentFields;
    }

    static LogFormat compile(AccessLogConfig config) {
        Template template = config.template(GroupProtocol.HTTP);
        return template == null
                ? new LogFormat(List.of(JsonLine::write), false)
                : new LogFormat(values(template, config.escape()), namesSentFields(template));
    }

    private static List<LogValue> values(Template template, Escape escape) {
        return template.parts().stream()
                .map(part -> part instanceof Template.Reference variable
                        ? LogValues.of(variable.name(), escape)
                        : literal(((Template.Literal) part).text()))
                .toList();
    }

    private static LogValue literal(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return (line, exchange) -> line.put(bytes);
    }

    private static boolean namesSentFields(Template template) {
        return template.parts().stream()
                .anyMatch(part -> part instanceof Template.Reference variable
                        && variable.name().startsWith(LogValues.SENT_HTTP));
    }

    /** Whether the head of the response has to be kept until the line is written. */
    static boolean needsSentHead(@Nullable AccessLog log) {
        return log != null && log.format().namesSentFields;
    }

    /** Appends the line, without its end. */
    void write(LineBuffer line, Exchange exchange) {
        for (LogValue value : values) {
            value.write(line, exchange);
        }
    }
}
