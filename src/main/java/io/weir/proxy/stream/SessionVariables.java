package io.weir.proxy.stream;

import io.weir.config.StreamListenerConfig;
import io.weir.config.Template;
import io.weir.proxy.loop.ValueText;
import io.weir.upstream.Attempt;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.Function;

/**
 * What nginx's variables are worth for a session as it stands. One without a value is empty.
 *
 * @see <a href="https://nginx.org/en/docs/stream/ngx_stream_core_module.html#variables">ngx_stream_core_module</a>
 */
final class SessionVariables {

    private static final Map<String, Function<Session, String>> NAMED = Map.ofEntries(
            Map.entry("binary_remote_addr", s -> ValueText.binary(s.clientAddress())),
            Map.entry("bytes_received", s -> Long.toString(s.bytesReceived())),
            Map.entry("bytes_sent", s -> Long.toString(s.bytesSent())),
            Map.entry("connection", s -> Long.toString(s.number())),
            Map.entry("hostname", s -> ValueText.hostname()),
            Map.entry("msec", s -> ValueText.msec()),
            Map.entry("protocol", s -> protocol(s.config())),
            Map.entry("proxy_protocol_addr", s -> ValueText.host(s.proxyHeader().source())),
            Map.entry("proxy_protocol_port", s -> ValueText.port(s.proxyHeader().source())),
            Map.entry(
                    "proxy_protocol_server_addr",
                    s -> ValueText.host(s.proxyHeader().destination())),
            Map.entry(
                    "proxy_protocol_server_port",
                    s -> ValueText.port(s.proxyHeader().destination())),
            Map.entry("realip_remote_addr", s -> ValueText.host(s.connectedFrom())),
            Map.entry("realip_remote_port", s -> ValueText.port(s.connectedFrom())),
            Map.entry("remote_addr", s -> ValueText.host(s.remoteAddress())),
            Map.entry("remote_port", s -> ValueText.port(s.remoteAddress())),
            Map.entry("server_addr", s -> ValueText.host(s.localAddress())),
            Map.entry("server_port", s -> ValueText.port(s.localAddress())),
            Map.entry("session_time", s -> ValueText.seconds(s.elapsedNanos())),
            Map.entry("ssl_preread_alpn_protocols", s -> said(s, ClientHello::protocols)),
            Map.entry("ssl_preread_protocol", s -> said(s, ClientHello::version)),
            Map.entry("ssl_preread_server_name", s -> said(s, ClientHello::serverName)),
            Map.entry("status", s -> s.isOver() ? Integer.toString(s.status()) : "000"),
            Map.entry("time_iso8601", s -> ValueText.timeIso8601()),
            Map.entry("time_local", s -> ValueText.timeLocal()),
            Map.entry("upstream_addr", s -> ValueText.attempts(s.peers(), Attempt::peerName)),
            Map.entry(
                    "upstream_bytes_received",
                    s -> ValueText.attempts(s.peers(), a -> Long.toString(a.bytesReceived()))),
            Map.entry("upstream_bytes_sent", s -> ValueText.attempts(s.peers(), a -> Long.toString(a.bytesSent()))),
            Map.entry(
                    "upstream_connect_time",
                    s -> ValueText.attempts(s.peers(), a -> ValueText.seconds(a.connectNanos()))),
            Map.entry(
                    "upstream_first_byte_time",
                    s -> ValueText.attempts(s.peers(), a -> ValueText.seconds(a.headerNanos()))),
            Map.entry(
                    "upstream_session_time",
                    s -> ValueText.attempts(s.peers(), a -> ValueText.seconds(a.responseNanos()))));

    private SessionVariables() {}

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
        if (template.parts().size() == 1) {
            return value(template.parts().get(0), session);
        }
        StringBuilder out = new StringBuilder();
        for (Template.Part part : template.parts()) {
            out.append(value(part, session));
        }
        return out.toString();
    }

    private static String value(Template.Part part, Session session) {
        return part instanceof Template.Reference variable
                ? of(variable.name()).apply(session)
                : bytes(((Template.Literal) part).text());
    }

    /** The UTF-8 bytes of a text of the configuration, one char each. */
    private static String bytes(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }

    static String protocol(StreamListenerConfig config) {
        return config.protocol().isDatagram() ? "UDP" : "TCP";
    }

    static String said(Session session, Function<ClientHello, String> what) {
        ClientHello hello = session.hello();
        return hello == null ? "" : what.apply(hello);
    }
}
