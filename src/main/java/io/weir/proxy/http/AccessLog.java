package io.weir.proxy.http;

import io.weir.config.AccessLogConfig;
import io.weir.config.GroupProtocol;
import io.weir.proxy.log.LogFormat;
import io.weir.proxy.log.LogWriter;

/**
 * Where the requests of a listener are logged, and in which form. Immutable.
 *
 * @param needsSentHead whether the head of a response has to be kept until its line is written
 */
record AccessLog(LogWriter writer, LogFormat<Exchange> format, boolean needsSentHead) {

    static AccessLog of(LogWriter writer, AccessLogConfig config) {
        LogFormat<Exchange> format = LogFormat.compile(config, GroupProtocol.HTTP, LogValues::of, JsonLine::write);
        return new AccessLog(writer, format, format.names(name -> name.startsWith(LogValues.SENT_HTTP)));
    }
}
