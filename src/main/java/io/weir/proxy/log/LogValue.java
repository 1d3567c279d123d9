package io.weir.proxy.log;

import io.weir.config.AccessLogConfig.Escape;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One piece of a log line.
 *
 * @param <T> what a line is about: a request, or a session
 */
@FunctionalInterface
public interface LogValue<T> {

    /** Appends what it is worth for a subject that is over, escaped. On the subject's loop. */
    void write(LineBuffer line, T subject);

    /**
     * A text that anybody may have sent.
     *
     * @param text the value as it is, one char for each byte; null for none, which is no empty one
     */
    static <T> LogValue<T> text(Function<T, @Nullable String> text, Escape escape) {
        return escape == Escape.JSON
                ? (line, subject) -> {
                    String value = text.apply(subject);
                    if (value != null) {
                        line.json(value);
                    }
                }
                : (line, subject) -> {
                    String value = text.apply(subject);
                    if (value == null) {
                        line.put('-');
                    } else {
                        line.escaped(value);
                    }
                };
    }

    /** Appends what stands for a value that is not there. */
    static void absent(LineBuffer line, Escape escape) {
        if (escape == Escape.DEFAULT) {
            line.put('-');
        }
    }
}
