package io.weir.proxy.http;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.weir.config.RouteTarget;
import io.weir.proxy.log.LineBuffer;
import io.weir.proxy.loop.JsonFields;
import io.weir.upstream.Attempt;
import io.weir.upstream.PeerConnection;
import org.jspecify.annotations.Nullable;

/**
 * The format {@code json}: one object for each request, whose members are named as nginx's variables are. Numbers are
 * numbers, times are seconds with three decimals, and what has no value is left out.
 */
final class JsonLine {

    private static final byte[] LISTENER = JsonFields.key("listener");
    private static final byte[] ROUTE = JsonFields.key("route");
    private static final byte[] REMOTE_ADDR = JsonFields.key("remote_addr");
    private static final byte[] REMOTE_USER = JsonFields.key("remote_user");
    private static final byte[] REQUEST = JsonFields.key("request");
    private static final byte[] REQUEST_METHOD = JsonFields.key("request_method");
    private static final byte[] REQUEST_URI = JsonFields.key("request_uri");
    private static final byte[] SERVER_PROTOCOL = JsonFields.key("server_protocol");
    private static final byte[] HOST = JsonFields.key("host");
    private static final byte[] STATUS = JsonFields.key("status");
    private static final byte[] BODY_BYTES_SENT = JsonFields.key("body_bytes_sent");
    private static final byte[] BYTES_SENT = JsonFields.key("bytes_sent");
    private static final byte[] REQUEST_LENGTH = JsonFields.key("request_length");
    private static final byte[] REQUEST_TIME = JsonFields.key("request_time");
    private static final byte[] HTTP_REFERER = JsonFields.key("http_referer");
    private static final byte[] HTTP_USER_AGENT = JsonFields.key("http_user_agent");
    private static final byte[] UPSTREAM = JsonFields.key("upstream");
    private static final byte[] CONNECT_TIME = JsonFields.key("connect_time");
    private static final byte[] HEADER_TIME = JsonFields.key("header_time");
    private static final byte[] RESPONSE_TIME = JsonFields.key("response_time");

    private JsonLine() {}

    static void write(LineBuffer line, Exchange exchange) {
        JsonFields.begin(line, exchange.loop().logLines().time());
        JsonFields.text(line, LISTENER, exchange.client().listener().name());
        Route route = exchange.route();
        JsonFields.text(line, ROUTE, route == null ? null : route.config().name());
        JsonFields.address(line, REMOTE_ADDR, exchange.clientAddress());
        JsonFields.text(line, REMOTE_USER, BasicUser.of(exchange.request().headers()));
        request(line, exchange);
        line.put(STATUS);
        line.number(exchange.response().status());
        JsonFields.number(line, BODY_BYTES_SENT, exchange.response().bodyBytesSent());
        JsonFields.number(line, BYTES_SENT, exchange.response().bytesSent());
        JsonFields.number(line, REQUEST_LENGTH, exchange.requestLength());
        JsonFields.time(line, REQUEST_TIME, exchange.elapsedNanos());
        JsonFields.text(line, HTTP_REFERER, exchange.request().headers().joined(HttpHeaderNames.REFERER));
        JsonFields.text(line, HTTP_USER_AGENT, exchange.request().headers().joined(HttpHeaderNames.USER_AGENT));
        attempts(line, exchange, route);
        line.put('}');
    }

    private static void request(LineBuffer line, Exchange exchange) {
        ClientRequest request = exchange.request();
        String broken = request.brokenLine();
        if (broken != null) {
            JsonFields.text(line, REQUEST, broken.isEmpty() ? null : broken);
            return;
        }
        JsonFields.text(line, REQUEST_METHOD, request.method());
        JsonFields.text(line, REQUEST_URI, request.uri());
        JsonFields.text(line, SERVER_PROTOCOL, request.protocol());
        JsonFields.text(line, HOST, exchange.host());
    }

    private static void attempts(LineBuffer line, Exchange exchange, @Nullable Route route) {
        PeerConnection peers = exchange.peers();
        if (peers == null) {
            return;
        }
        if (route != null && route.config().target() instanceof RouteTarget.Upstream group) {
            JsonFields.text(line, UPSTREAM, group.name());
        }
        JsonFields.attempts(line, peers, JsonLine::attempt);
    }

    private static void attempt(LineBuffer line, Attempt attempt) {
        JsonFields.time(line, CONNECT_TIME, attempt.connectNanos());
        JsonFields.time(line, HEADER_TIME, attempt.headerNanos());
        JsonFields.time(line, RESPONSE_TIME, attempt.responseNanos());
    }
}
