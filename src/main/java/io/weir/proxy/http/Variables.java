package io.weir.proxy.http;

import io.weir.proxy.loop.ValueText;
import io.weir.upstream.Attempt;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What nginx's variables are worth for an exchange. A variable without a value is empty.
 *
 * @see <a href="https://nginx.org/en/docs/varindex.html">nginx: alphabetical index of variables</a>
 */
final class Variables {

    private static final Map<String, Function<Exchange, String>> NAMED = Map.ofEntries(
            Map.entry("args", e -> orEmpty(e.request().target().query())),
            Map.entry("query_string", e -> orEmpty(e.request().target().query())),
            Map.entry("is_args", e -> orEmpty(e.request().target().query()).isEmpty() ? "" : "?"),
            Map.entry("uri", e -> e.request().target().path()),
            Map.entry("document_uri", e -> e.request().target().path()),
            Map.entry("request_uri", e -> e.request().target().raw()),
            Map.entry("request_method", e -> e.request().method()),
            Map.entry("request", Variables::request),
            Map.entry("request_id", Exchange::requestId),
            Map.entry("request_length", e -> Long.toString(e.requestLength())),
            Map.entry("request_time", e -> ValueText.seconds(e.elapsedNanos())),
            Map.entry("host", Exchange::host),
            Map.entry("scheme", e -> "http"),
            Map.entry("server_protocol", e -> e.request().protocol()),
            Map.entry("server_name", e -> e.client().listener().name()),
            Map.entry("server_addr", e -> ValueText.host(e.client().localAddress())),
            Map.entry("server_port", e -> ValueText.port(e.client().localAddress())),
            Map.entry("remote_addr", e -> ValueText.host(e.remoteAddress())),
            Map.entry("remote_port", e -> ValueText.port(e.remoteAddress())),
            Map.entry("binary_remote_addr", e -> ValueText.binary(e.clientAddress())),
            Map.entry("realip_remote_addr", e -> ValueText.host(e.client().peerAddress())),
            Map.entry("realip_remote_port", e -> ValueText.port(e.client().peerAddress())),
            Map.entry(
                    "proxy_protocol_addr",
                    e -> ValueText.host(e.client().proxyHeader().source())),
            Map.entry(
                    "proxy_protocol_port",
                    e -> ValueText.port(e.client().proxyHeader().source())),
            Map.entry(
                    "proxy_protocol_server_addr",
                    e -> ValueText.host(e.client().proxyHeader().destination())),
            Map.entry(
                    "proxy_protocol_server_port",
                    e -> ValueText.port(e.client().proxyHeader().destination())),
            Map.entry("remote_user", e -> orEmpty(BasicUser.of(e.request().headers()))),
            Map.entry("content_length", e -> orEmpty(e.request().headers().joined("content-length"))),
            Map.entry("content_type", e -> orEmpty(e.request().headers().joined("content-type"))),
            Map.entry("connection", e -> Long.toString(e.client().id())),
            Map.entry("connection_requests", e -> Integer.toString(e.requestNumber())),
            Map.entry("status", e -> ValueText.status(e.response().status())),
            Map.entry("bytes_sent", e -> Long.toString(e.response().bytesSent())),
            Map.entry("body_bytes_sent", e -> Long.toString(e.response().bodyBytesSent())),
            Map.entry("hostname", e -> ValueText.hostname()),
            Map.entry("msec", e -> ValueText.msec()),
            Map.entry("time_local", e -> ValueText.timeLocal()),
            Map.entry("time_iso8601", e -> ValueText.timeIso8601()),
            Map.entry("proxy_host", Exchange::proxyHost),
            Map.entry("proxy_port", e -> proxyPort(e.proxyHost())),
            Map.entry("proxy_add_x_forwarded_for", Variables::forwardedFor),
            Map.entry("upstream_addr", e -> ValueText.attempts(e.peers(), Attempt::peerName)),
            Map.entry("upstream_status", e -> ValueText.attempts(e.peers(), a -> ValueText.status(a.status()))),
            Map.entry(
                    "upstream_connect_time",
                    e -> ValueText.attempts(e.peers(), a -> ValueText.seconds(a.connectNanos()))),
            Map.entry(
                    "upstream_header_time",
                    e -> ValueText.attempts(e.peers(), a -> ValueText.seconds(a.headerNanos()))),
            Map.entry(
                    "upstream_response_time",
                    e -> ValueText.attempts(e.peers(), a -> ValueText.seconds(a.responseNanos()))),
            Map.entry(
                    "upstream_response_length", e -> ValueText.attempts(e.peers(), a -> Long.toString(a.bodyBytes()))),
            Map.entry("upstream_bytes_sent", e -> ValueText.attempts(e.peers(), a -> Long.toString(a.bytesSent()))),
            Map.entry(
                    "upstream_bytes_received",
                    e -> ValueText.attempts(e.peers(), a -> Long.toString(a.bytesReceived()))));

    private Variables() {}

    /**
     * The function behind a name.
     *
     * @param name known to {@link io.weir.config.Variable}
     */
    static Function<Exchange, String> of(String name) {
        Function<Exchange, String> named = NAMED.get(name);
        if (named != null) {
            return named;
        }
        if (name.startsWith("arg_")) {
            String argument = name.substring("arg_".length());
            return e -> argument(e.request().target().query(), argument);
        }
        if (name.startsWith("cookie_")) {
            String cookie = name.substring("cookie_".length());
            return e -> Cookies.find(e.request().headers(), cookie);
        }
        if (name.startsWith("http_")) {
            String field = fieldName(name, "http_");
            return e -> orEmpty(e.request().headers().joined(field));
        }
        if (name.startsWith("upstream_http_")) {
            String field = fieldName(name, "upstream_http_");
            return e -> responseField(e.upstreamResponse(), field);
        }
        if (name.startsWith("upstream_cookie_")) {
            String cookie = name.substring("upstream_cookie_".length());
            return e -> {
                ResponseHead response = e.upstreamResponse();
                return response == null ? "" : Cookies.findSet(response.headers(), cookie);
            };
        }
        throw new IllegalArgumentException(name);
    }

    private static String fieldName(String name, String prefix) {
        return name.substring(prefix.length()).replace('_', '-');
    }

    private static String responseField(@Nullable ResponseHead response, String name) {
        return response == null ? "" : orEmpty(response.headers().joined(name));
    }

    private static String orEmpty(@Nullable String value) {
        return value == null ? "" : value;
    }

    private static String forwardedFor(Exchange exchange) {
        String before = orEmpty(exchange.request().headers().joined("x-forwarded-for"));
        String address = ValueText.host(exchange.remoteAddress());
        return before.isEmpty() ? address : before + ", " + address;
    }

    private static String argument(@Nullable String query, String name) {
        int at = 0;
        while (query != null && at <= query.length()) {
            int end = query.indexOf('&', at);
            end = end < 0 ? query.length() : end;
            if (query.regionMatches(true, at, name, 0, name.length())) {
                int equals = at + name.length();
                if (equals < end && query.charAt(equals) == '=') {
                    return query.substring(equals + 1, end);
                }
            }
            at = end + 1;
        }
        return "";
    }

    private static String request(Exchange exchange) {
        ClientRequest request = exchange.request();
        String broken = request.brokenLine();
        return broken == null ? request.method() + " " + request.uri() + " " + request.protocol() : broken;
    }

    private static String proxyPort(String proxyHost) {
        int colon = proxyHost.lastIndexOf(':');
        return colon > proxyHost.lastIndexOf(']') ? proxyHost.substring(colon + 1) : "80";
    }
}
