package io.weir.proxy.http;

import io.netty.util.AsciiString;
import io.weir.config.AccessLogConfig.Escape;
import io.weir.proxy.log.LineBuffer;
import io.weir.proxy.log.LogValue;
import io.weir.proxy.loop.CommonValues;
import io.weir.proxy.loop.CommonValues.AttemptValue;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Variables as log lines have them: the same values as {@link Variables}, and those that most lines have are appended
 * without a string in between.
 */
final class LogValues {

    static final String SENT_HTTP = "sent_http_";

    private static final long NANOS_IN_MILLI = 1_000_000;

    /** Values that need no escapes. */
    private static final Map<String, LogValue<Exchange>> PLAIN = Map.of(
            "status", (line, e) -> line.threeDigits(e.response().status()),
            "bytes_sent", (line, e) -> line.number(e.response().bytesSent()),
            "body_bytes_sent", (line, e) -> line.number(e.response().bodyBytesSent()),
            "request_length", (line, e) -> line.number(e.requestLength()),
            "request_time", (line, e) -> line.seconds(e.elapsedNanos() / NANOS_IN_MILLI),
            "connection", (line, e) -> line.number(e.client().id()),
            "connection_requests", (line, e) -> line.number(e.requestNumber()));

    private static final Map<String, LogValue<Exchange>> CLOCK =
            CommonValues.clock(exchange -> exchange.loop().logLines());

    /** Values of each attempt, joined by commas as nginx joins them. */
    private static final Map<String, AttemptValue> OF_ATTEMPTS = Map.of(
            "upstream_addr", (line, a) -> line.put(a.peerName()),
            "upstream_status", (line, a) -> numberOrHyphen(line, a.status()),
            "upstream_connect_time", (line, a) -> CommonValues.timeOrHyphen(line, a.connectNanos()),
            "upstream_header_time", (line, a) -> CommonValues.timeOrHyphen(line, a.headerNanos()),
            "upstream_response_time", (line, a) -> CommonValues.timeOrHyphen(line, a.responseNanos()),
            "upstream_response_length", (line, a) -> line.number(a.bodyBytes()),
            "upstream_bytes_sent", (line, a) -> line.number(a.bytesSent()),
            "upstream_bytes_received", (line, a) -> line.number(a.bytesReceived()));

    private LogValues() {}

    /**
     * What appends a variable.
     *
     * @param name known to {@link io.weir.config.Variable#isKnownToLogs}
     */
    static LogValue<Exchange> of(String name, Escape escape) {
        LogValue<Exchange> plain = PLAIN.getOrDefault(name, CLOCK.get(name));
        if (plain != null) {
            return plain;
        }
        AttemptValue ofAttempts = OF_ATTEMPTS.get(name);
        if (ofAttempts != null) {
            return CommonValues.attempts(Exchange::peers, ofAttempts, escape);
        }
        if (name.equals("remote_addr")) {
            return CommonValues.address(Exchange::clientAddress, escape);
        }
        if (name.equals("request") && escape == Escape.DEFAULT) {
            return LogValues::request;
        }
        return LogValue.text(text(name), escape);
    }

    /** The value as it is; null for none. As in nginx, a field that is there and empty is no missing one. */
    private static Function<Exchange, @Nullable String> text(String name) {
        if (name.startsWith("http_")) {
            AsciiString field = new AsciiString(fieldName(name, "http_"));
            return e -> e.request().headers().joined(field);
        }
        if (name.startsWith(SENT_HTTP)) {
            String field = fieldName(name, SENT_HTTP);
            return e -> e.response().sentField(field);
        }
        Function<Exchange, String> variable = Variables.of(name);
        return e -> {
            String value = variable.apply(e);
            return value.isEmpty() ? null : value;
        };
    }

    private static String fieldName(String name, String prefix) {
        return name.substring(prefix.length()).replace('_', '-');
    }

    /** The request line; of what was no request, as much of it as was read. */
    private static void request(LineBuffer line, Exchange exchange) {
        ClientRequest request = exchange.request();
        String broken = request.brokenLine();
        if (broken == null) {
            line.escaped(request.method());
            line.put(' ');
            line.escaped(request.uri());
            line.put(' ');
            line.put(request.protocol());
        } else if (broken.isEmpty()) {
            line.put('-');
        } else {
            line.escaped(broken);
        }
    }

    private static void numberOrHyphen(LineBuffer line, int value) {
        if (value == 0) {
            line.put('-');
        } else {
            line.number(value);
        }
    }
}
