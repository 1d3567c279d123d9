package io.weir.proxy.http;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.weir.config.RouteTarget;
import io.weir.proxy.log.LineBuffer;
import io.weir.proxy.log.LocalTime;
import io.weir.proxy.loop.CommonValues;
import io.weir.upstream.Attempt;
import io.weir.upstream.PeerConnection;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The format {@code json}: one object for each request, whose members are named as nginx's variables are. Numbers are
 * numbers, times are seconds with three decimals, and what has no value is left out.
 */
final class JsonLine {

    private static final long NANOS_IN_MILLI = 1_000_000;

    private static final byte[] LISTENER = key("listener");
    private static final byte[] ROUTE = key("route");
    private static final byte[] REMOTE_ADDR = key("remote_addr");
    private static final byte[] REMOTE_USER = key("remote_user");
    private static final byte[] REQUEST = key("request");
    private static final byte[] REQUEST_METHOD = key("request_method");
    private static final byte[] REQUEST_URI = key("request_uri");
    private static final byte[] SERVER_PROTOCOL = key("server_protocol");
    private static final byte[] HOST = key("host");
    private static final byte[] STATUS = key("status");
    private static final byte[] BODY_BYTES_SENT = key("body_bytes_sent");
    private static final byte[] BYTES_SENT = key("bytes_sent");
    private static final byte[] REQUEST_LENGTH = key("request_length");
    private static final byte[] REQUEST_TIME = key("request_time");
    private static final byte[] HTTP_REFERER = key("http_referer");
    private static final byte[] HTTP_USER_AGENT = key("http_user_agent");
    private static final byte[] UPSTREAM = key("upstream");
    private static final byte[] ATTEMPTS = key("attempts");
    private static final byte[] CONNECT_TIME = key("connect_time");
    private static final byte[] HEADER_TIME = key("header_time");
    private static final byte[] RESPONSE_TIME = key("response_time");

    private static final byte[] TIME = ascii("{\"time\":\"");
    private static final byte[] ADDR = ascii("{\"addr\":\"");

    private JsonLine() {}

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** A name with what stands before and behind it. */
    private static byte[] key(String name) {
        return ascii(",\"" + name + "\":");
    }

    static void write(LineBuffer line, Exchange exchange) {
        LocalTime time = exchange.loop().logLines().time();
        line.put(TIME);
        line.put(time.isoSeconds());
        line.put('.');
        line.threeDigits((int) (time.millis() % 1000));
        line.put(time.isoOffset());
        line.put('"');
        text(line, LISTENER, exchange.client().listener().name());
        Route route = exchange.route();
        text(line, ROUTE, route == null ? null : route.config().name());
        line.put(REMOTE_ADDR);
        line.put('"');
        InetAddress client = exchange.clientAddress();
        if (client != null) {
            CommonValues.address(line, client);
        }
        line.put('"');
        text(line, REMOTE_USER, BasicUser.of(exchange.request().headers()));
        request(line, exchange);
        line.put(STATUS);
        line.number(exchange.response().status());
        number(line, BODY_BYTES_SENT, exchange.response().bodyBytesSent());
        number(line, BYTES_SENT, exchange.response().bytesSent());
        number(line, REQUEST_LENGTH, exchange.requestLength());
        time(line, REQUEST_TIME, exchange.elapsedNanos());
        text(line, HTTP_REFERER, exchange.request().headers().joined(HttpHeaderNames.REFERER));
        text(line, HTTP_USER_AGENT, exchange.request().headers().joined(HttpHeaderNames.USER_AGENT));
        attempts(line, exchange, route);
        line.put('}');
    }

    private static void request(LineBuffer line, Exchange exchange) {
        ClientRequest request = exchange.request();
        String broken = request.brokenLine();
        if (broken != null) {
            text(line, REQUEST, broken.isEmpty() ? null : broken);
            return;
        }
        text(line, REQUEST_METHOD, request.method());
        text(line, REQUEST_URI, request.uri());
        text(line, SERVER_PROTOCOL, request.protocol());
        text(line, HOST, exchange.host());
    }

    private static void attempts(LineBuffer line, Exchange exchange, @Nullable Route route) {
        PeerConnection peers = exchange.peers();
        if (peers == null) {
            return;
        }
        if (route != null && route.config().target() instanceof RouteTarget.Upstream group) {
            text(line, UPSTREAM, group.name());
        }
        line.put(ATTEMPTS);
        line.put('[');
        for (int i = 0; i < peers.attempts(); i++) {
            if (i > 0) {
                line.put(',');
            }
            attempt(line, peers.attempt(i));
        }
        line.put(']');
    }

    private static void attempt(LineBuffer line, Attempt attempt) {
        line.put(ADDR);
        line.json(attempt.peerName());
        line.put('"');
        if (attempt.status() != 0) {
            number(line, STATUS, attempt.status());
        }
        time(line, CONNECT_TIME, attempt.connectNanos());
        time(line, HEADER_TIME, attempt.headerNanos());
        time(line, RESPONSE_TIME, attempt.responseNanos());
        line.put('}');
    }

    private static void text(LineBuffer line, byte[] key, @Nullable String value) {
        if (value != null) {
            line.put(key);
            line.put('"');
            line.json(value);
            line.put('"');
        }
    }

    private static void number(LineBuffer line, byte[] key, long value) {
        line.put(key);
        line.number(value);
    }

    private static void time(LineBuffer line, byte[] key, long nanos) {
        if (nanos >= 0) {
            line.put(key);
            line.seconds(nanos / NANOS_IN_MILLI);
        }
    }
}
