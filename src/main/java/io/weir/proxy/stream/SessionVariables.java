package io.weir.proxy.stream;

import io.netty.util.NetUtil;
import io.weir.config.StreamListenerConfig;
import io.weir.config.Template;
import io.weir.upstream.Attempt;
import io.weir.upstream.PeerConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What nginx's variables are worth for a session as it stands. One without a value is empty.
 *
 * @see <a href="https://nginx.org/en/docs/stream/ngx_stream_core_module.html#variables">ngx_stream_core_module</a>
 */
final class SessionVariables {

    private static final DateTimeFormatter TIME_LOCAL =
            DateTimeFormatter.ofPattern("dd/MMM/yyyy:HH:mm:ss Z", Locale.ENGLISH);
    private static final DateTimeFormatter TIME_ISO8601 = DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ssxxx");
    private static final long NANOS_IN_MILLI = 1_000_000;
    private static final String HOSTNAME = hostname();

    private static final Map<String, Function<Session, String>> NAMED = Map.ofEntries(
            Map.entry("binary_remote_addr", SessionVariables::binaryAddress),
            Map.entry("bytes_received", s -> Long.toString(s.bytesReceived())),
            Map.entry("bytes_sent", s -> Long.toString(s.bytesSent())),
            Map.entry("connection", s -> Long.toString(s.number())),
            Map.entry("hostname", s -> HOSTNAME),
            Map.entry("msec", s -> seconds(System.currentTimeMillis())),
            Map.entry("protocol", s -> protocol(s.config())),
            Map.entry("proxy_protocol_addr", s -> host(s.proxyHeader().source())),
            Map.entry("proxy_protocol_port", s -> port(s.proxyHeader().source())),
            Map.entry("proxy_protocol_server_addr", s -> host(s.proxyHeader().destination())),
            Map.entry("proxy_protocol_server_port", s -> port(s.proxyHeader().destination())),
            Map.entry("realip_remote_addr", s -> host(s.connectedFrom())),
            Map.entry("realip_remote_port", s -> port(s.connectedFrom())),
            Map.entry("remote_addr", s -> host(s.remoteAddress())),
            Map.entry("remote_port", s -> port(s.remoteAddress())),
            Map.entry("server_addr", s -> host(s.localAddress())),
            Map.entry("server_port", s -> port(s.localAddress())),
            Map.entry("session_time", s -> seconds(s.elapsedNanos() / NANOS_IN_MILLI)),
            Map.entry("ssl_preread_alpn_protocols", s -> said(s, ClientHello::protocols)),
            Map.entry("ssl_preread_protocol", s -> said(s, ClientHello::version)),
            Map.entry("ssl_preread_server_name", s -> said(s, ClientHello::serverName)),
            Map.entry("status", s -> s.isOver() ? Integer.toString(s.status()) : "000"),
            Map.entry(
                    "time_iso8601", s -> TIME_ISO8601.format(ZonedDateTime.now().truncatedTo(ChronoUnit.SECONDS))),
            Map.entry("time_local", s -> TIME_LOCAL.format(ZonedDateTime.now())),
            Map.entry("upstream_addr", s -> attempts(s, Attempt::peerName)),
            Map.entry("upstream_bytes_received", s -> attempts(s, a -> Long.toString(a.bytesReceived()))),
            Map.entry("upstream_bytes_sent", s -> attempts(s, a -> Long.toString(a.bytesSent()))),
            Map.entry("upstream_connect_time", s -> attempts(s, a -> timeOrHyphen(a.connectNanos()))),
            Map.entry("upstream_first_byte_time", s -> attempts(s, a -> timeOrHyphen(a.headerNanos()))),
            Map.entry("upstream_session_time", s -> attempts(s, a -> timeOrHyphen(a.responseNanos()))));

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

    static String host(@Nullable SocketAddress address) {
        return address instanceof InetSocketAddress inet && inet.getAddress() != null
                ? NetUtil.toAddressString(inet.getAddress())
                : "";
    }

    /** Empty where a proxy in front has named an address without a port. */
    private static String port(@Nullable SocketAddress address) {
        return address instanceof InetSocketAddress inet && inet.getPort() > 0 ? Integer.toString(inet.getPort()) : "";
    }

    /** Four or sixteen bytes, one char each. */
    private static String binaryAddress(Session session) {
        InetAddress address = session.clientAddress();
        return address == null ? "" : new String(address.getAddress(), StandardCharsets.ISO_8859_1);
    }

    private static String timeOrHyphen(long nanos) {
        return nanos < 0 ? "-" : seconds(nanos / NANOS_IN_MILLI);
    }

    private static String seconds(long millis) {
        return millis / 1000 + "." + Long.toString(1000 + millis % 1000).substring(1);
    }

    private static String attempts(Session session, Function<Attempt, String> shown) {
        PeerConnection peers = session.peers();
        int count = peers == null ? 0 : peers.attempts();
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < count && peers != null; i++) {
            out.append(i == 0 ? "" : ", ").append(shown.apply(peers.attempt(i)));
        }
        return out.toString();
    }

    private static String hostname() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "localhost";
        }
    }
}
