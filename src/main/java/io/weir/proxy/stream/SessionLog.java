package io.weir.proxy.stream;

import io.weir.config.AccessLogConfig;
import io.weir.config.GroupProtocol;
import io.weir.proxy.log.LogFormat;
import io.weir.proxy.log.LogWriter;

/** Where the sessions of a listener are logged, and in which form. Immutable. */
record SessionLog(LogWriter writer, LogFormat<Session> format) {

    static SessionLog of(LogWriter writer, AccessLogConfig config) {
        return new SessionLog(
                writer, LogFormat.compile(config, GroupProtocol.STREAM, SessionLogValues::of, SessionJson::write));
    }
}
