package io.weir.proxy.log;

import io.weir.config.AccessLogConfig.Escape;

/**
 * The variables that the log lines of a protocol know.
 *
 * @param <T> what a line is about: a request, or a session
 */
@FunctionalInterface
public interface LogVariables<T> {

    /**
     * What appends a variable. Asked once for each time that a format names it, on a control thread.
     *
     * @param name without its dollar; one that the configuration has found to be known
     */
    LogValue<T> of(String name, Escape escape);
}
