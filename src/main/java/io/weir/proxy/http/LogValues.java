package io.weir.proxy.http;

import io.netty.util.AsciiString;
import io.netty.util.NetUtil;
import io.weir.config.AccessLogConfig.Escape;
import io.weir.proxy.log.LineBuffer;
import io.weir.upstream.Attempt;
import io.weir.upstream.PeerConnection;
import java.net.Inet4Address;
import java.net.InetAddress;
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
    private static final Map<String, LogValue> PLAIN = Map.ofEntries(
            Map.entry("status", (line, e) -> line.threeDigits(e.response().status())),
            Map.entry("bytes_sent", (line, e) -> line.number(e.response().bytesSent())),
            Map.entry("body_bytes_sent", (line, e) -> line.number(e.response().bodyBytesSent())),
            Map.entry("request_length", (line, e) -> line.number(e.requestLength())),
            Map.entry("request_time", (line, e) -> line.seconds(e.elapsedNanos() / NANOS_IN_MILLI)),
            Map.entry("connection", (line, e) -> line.number(e.client().id())),
            Map.entry("connection_requests", (line, e) -> line.number(e.requestNumber())),
            Map.entry("msec", (line, e) -> line.seconds(time(e).millis())),
            Map.entry("time_local", (line, e) -> line.put(time(e).timeLocal())),
            Map.entry("time_iso8601", (line, e) -> {
                line.put(time(e).isoSeconds());
                line.put(time(e).isoOffset());
            }));

    /** Values of each attempt, joined by commas as nginx joins them. */
    private static final Map<String, AttemptValue> OF_ATTEMPTS = Map.of(
            "upstream_addr", (line, a) -> line.put(a.peerName()),
            "upstream_status", (line, a) -> numberOrHyphen(line, a.status()),
            "upstream_connect_time", (line, a) -> timeOrHyphen(line, a.connectNanos()),
            "upstream_header_time", (line, a) -> timeOrHyphen(line, a.headerNanos()),
            "upstream_response_time", (line, a) -> timeOrHyphen(line, a.responseNanos()),
            "upstream_response_length", (line, a) -> line.number(a.bodyBytes()),
            "upstream_bytes_sent", (line, a) -> line.number(a.bytesSent()),
            "upstream_bytes_received", (line, a) -> line.number(a.bytesReceived()));

    private interface AttemptValue {
        void write(LineBuffer line, Attempt attempt);
    }

    private LogValues() {}

    /**
     * What appends a variable.
     *
     * @param name known to {@link io.weir.config.Variable#isKnownToLogs}
     */
    static LogValue of(String name, Escape escape) {
        LogValue plain = PLAIN.get(name);
        if (plain != null) {
            return plain;
        }
        AttemptValue ofAttempts = OF_ATTEMPTS.get(name);
        if (ofAttempts != null) {
            return (line, exchange) -> attempts(line, exchange, ofAttempts, escape);
        }
        if (name.equals("remote_addr")) {
            return (line, exchange) -> {
                if (!address(line, exchange.clientAddress())) {
                    absent(line, escape);
                }
            };
        }
        if (name.equals("request") && escape == Escape.DEFAULT) {
            return LogValues::request;
        }
        Function<Exchange, @Nullable String> text = text(name);
        return escape == Escape.JSON
                ? (line, exchange) -> {
                    String value = text.apply(exchange);
                    if (value != null) {
                        line.json(value);
                    }
                }
                : (line, exchange) -> {
                    String value = text.apply(exchange);
                    if (value == null) {
                        line.put('-');
                    } else {
                        line.escaped(value);
                    }
                };
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

    private static LocalTime time(Exchange exchange) {
        return exchange.loop().logLines().time();
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

    /** Appends an address; false for none. */
    static boolean address(LineBuffer line, @Nullable InetAddress address) {
        if (address == null) {
            return false;
        }
        if (address instanceof Inet4Address) {
            byte[] parts = address.getAddress();
            for (int i = 0; i < parts.length; i++) {
                if (i > 0) {
                    line.put('.');
                }
                line.number(parts[i] & 0xff);
            }
        } else {
            line.put(NetUtil.toAddressString(address));
        }
        return true;
    }

    private static void attempts(LineBuffer line, Exchange exchange, AttemptValue value, Escape escape) {
        PeerConnection peers = exchange.peers();
        int count = peers == null ? 0 : peers.attempts();
        if (peers == null || count == 0) {
            absent(line, escape);
            return;
        }
        for (int i = 0; i < count; i++) {
            if (i > 0) {
                line.put(',');
                line.put(' ');
            }
            value.write(line, peers.attempt(i));
        }
    }

    private static void absent(LineBuffer line, Escape escape) {
        if (escape == Escape.DEFAULT) {
            line.put('-');
        }
    }

    private static void numberOrHyphen(LineBuffer line, int value) {
        if (value == 0) {
            line.put('-');
        } else {
            line.number(value);
        }
    }

    private static void timeOrHyphen(LineBuffer line, long nanos) {
        if (nanos < 0) {
            line.put('-');
        } else {
            line.seconds(nanos / NANOS_IN_MILLI);
        }
    }
}
