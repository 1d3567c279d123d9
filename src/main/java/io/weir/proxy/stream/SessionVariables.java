package io.weir.proxy.stream;

import io.weir.config.Template;
import io.weir.proxy.loop.ValueText;
import io.weir.upstream.Attempt;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What nginx's variables are worth for a session. A variable without a value is empty.
 *
 * @see <a href="https://nginx.org/en/docs/varindex.html">nginx: alphabetical index of variables</a>
 */
final class SessionVariables {

    private static final Map<String, Function<Session, String>> NAMED = Map.ofEntries(
            Map.entry("remote_addr", s -> ValueText.host(s.client())),
            Map.entry("remote_port", s -> ValueText.port(s.client())),
            Map.entry("binary_remote_addr", s -> ValueText.binary(s.clientAddress())),
            Map.entry("realip_remote_addr", s -> ValueText.host(s.peerAddress())),
            Map.entry("realip_remote_port", s -> ValueText.port(s.peerAddress())),
            Map.entry("server_addr", s -> ValueText.host(s.localAddress())),
            Map.entry("server_port", s -> ValueText.port(s.localAddress())),
            Map.entry("proxy_protocol_addr", s -> ValueText.host(s.proxyHeader().source())),
            Map.entry("proxy_protocol_port", s -> ValueText.port(s.proxyHeader().source())),
            Map.entry(
                    "proxy_protocol_server_addr",
                    s -> ValueText.host(s.proxyHeader().destination())),
            Map.entry(
                    "proxy_protocol_server_port",
                    s -> ValueText.port(s.proxyHeader().destination())),
            Map.entry("protocol", Session::protocol),
            Map.entry("connection", s -> Long.toString(s.number())),
            Map.entry("hostname", s -> ValueText.hostname()),
            Map.entry("msec", s -> ValueText.msec()),
            Map.entry("time_local", s -> ValueText.timeLocal()),
            Map.entry("time_iso8601", s -> ValueText.timeIso8601()),
            Map.entry("status", s -> ValueText.status(s.status())),
            Map.entry("bytes_received", s -> Long.toString(s.bytesReceived())),
            Map.entry("bytes_sent", s -> Long.toString(s.bytesSent())),
            Map.entry("session_time", s -> ValueText.seconds(s.elapsedNanos())),
            Map.entry("ssl_preread_server_name", s -> ofHello(s.hello(), ClientHello::serverName)),
            Map.entry("ssl_preread_alpn_protocols", s -> ofHello(s.hello(), ClientHello::protocols)),
            Map.entry("ssl_preread_protocol", s -> ofHello(s.hello(), ClientHello::version)),
            Map.entry("upstream_addr", s -> ValueText.attempts(s.peers(), Attempt::peerName)),
            Map.entry(
                    "upstream_connect_time",
                    s -> ValueText.attempts(s.peers(), a -> ValueText.seconds(a.connectNanos()))),
            Map.entry(
                    "upstream_first_byte_time",
                    s -> ValueText.attempts(s.peers(), a -> ValueText.seconds(a.headerNanos()))),
            Map.entry(
                    "upstream_session_time",
                    s -> ValueText.attempts(s.peers(), a -> ValueText.seconds(a.responseNanos()))),
            Map.entry("upstream_bytes_sent", s -> ValueText.attempts(s.peers(), a -> Long.toString(a.bytesSent()))),
            Map.entry(
                    "upstream_bytes_received",
                    s -> ValueText.attempts(s.peers(), a -> Long.toString(a.bytesReceived()))));

    private SessionVariables() {}

    private static String ofHello(@Nullable ClientHello hello, Function<ClientHello, String> value) {
        return hello == null ? "" : value.apply(hello);
    }

    /**
     * The function behind a name.
     *
     * @param name known to {@link io.weir.config.StreamVariable}
     */
    static Function<Session, String> of(String name) {
        Function<Session, String> named = NAMED.get(name);
        if (named == null) {
            throw new IllegalArgumentException(name);
        }
        return named;
    }

    static String value(Template template, Session session) {
        StringBuilder value = new StringBuilder();
        for (Template.Part part : template.parts()) {
            value.append(
                    part instanceof Template.Reference variable
                            ? of(variable.name()).apply(session)
                            : ((Template.Literal) part).text());
        }
        return value.toString();
    }
}
