package io.weir.proxy.stream;

import io.weir.config.AccessLogConfig;
import io.weir.proxy.log.LogFormat;
import io.weir.proxy.log.LogWriter;

/** Where the sessions of a listener are logged, and in which form. Immutable. */
record StreamLog(LogWriter writer, LogFormat<Session> format) {

    static StreamLog of(LogWriter writer, AccessLogConfig config) {
        return new StreamLog(writer, LogFormat.compile(config, SessionLogValues::of, SessionJsonLine::write));
    }
}
