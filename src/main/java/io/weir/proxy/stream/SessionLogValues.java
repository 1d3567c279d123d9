package io.weir.proxy.stream;

import io.weir.config.AccessLogConfig.Escape;
import io.weir.proxy.log.LogValue;
import io.weir.proxy.loop.CommonValues;
import io.weir.proxy.loop.CommonValues.AttemptValue;
import java.util.Map;
import java.util.function.Function;

/**
 * Variables as log lines have them: the same values as {@link SessionVariables}, and those that most lines have are
 * appended without a string in between.
 */
final class SessionLogValues {

    private static final long NANOS_IN_MILLI = 1_000_000;

    /** Values that need no escapes. */
    private static final Map<String, LogValue<Session>> PLAIN = Map.of(
            "status", (line, s) -> line.threeDigits(s.status()),
            "bytes_sent", (line, s) -> line.number(s.bytesSent()),
            "bytes_received", (line, s) -> line.number(s.bytesReceived()),
            "session_time", (line, s) -> line.seconds(s.elapsedNanos() / NANOS_IN_MILLI),
            "connection", (line, s) -> line.number(s.number()),
            "protocol", (line, s) -> line.put(SessionVariables.protocol(s.config())));

    private static final Map<String, LogValue<Session>> CLOCK =
            CommonValues.clock(session -> session.loop().logLines());

    /** Values of each attempt, joined by commas. */
    private static final Map<String, AttemptValue> OF_ATTEMPTS = Map.of(
            "upstream_addr", (line, a) -> line.put(a.peerName()),
            "upstream_connect_time", (line, a) -> CommonValues.timeOrHyphen(line, a.connectNanos()),
            "upstream_first_byte_time", (line, a) -> CommonValues.timeOrHyphen(line, a.headerNanos()),
            "upstream_session_time", (line, a) -> CommonValues.timeOrHyphen(line, a.responseNanos()),
            "upstream_bytes_sent", (line, a) -> line.number(a.bytesSent()),
            "upstream_bytes_received", (line, a) -> line.number(a.bytesReceived()));

    private SessionLogValues() {}

    /**
     * What appends a variable.
     *
     * @param name known to {@link io.weir.config.StreamVariable}
     */
    static LogValue<Session> of(String name, Escape escape) {
        LogValue<Session> plain = PLAIN.getOrDefault(name, CLOCK.get(name));
        if (plain != null) {
            return plain;
        }
        AttemptValue ofAttempts = OF_ATTEMPTS.get(name);
        if (ofAttempts != null) {
            return CommonValues.attempts(Session::peers, ofAttempts, escape);
        }
        if (name.equals("remote_addr")) {
            return CommonValues.address(Session::clientAddress, escape);
        }
        Function<Session, String> variable = SessionVariables.of(name);
        return LogValue.text(
                session -> {
                    String value = variable.apply(session);
                    return value.isEmpty() ? null : value;
                },
                escape);
    }
}
