package io.weir.config;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A socket that accepts clients, and what becomes of them. */
public sealed interface ListenerConfig permits HttpListenerConfig, StreamListenerConfig {

    String name();

    ListenerProtocol protocol();

    /** An IP address of this host, {@code 0.0.0.0} or {@code ::} for all. */
    String bind();

    /** 1 to 65535. */
    int port();

    /** Whether each connection begins with a PROXY protocol header. */
    boolean proxyProtocol();

    /** Whose word is taken for the address of a client; null if the peer of the connection is the client. */
    @Nullable
    RealIpConfig realIp();

    /** Where its requests or sessions are logged. */
    AccessLogConfig accessLog();

    /** In the operator's order. */
    List<? extends ListenerRoute> routes();

    /** The groups it hands clients to. */
    List<Reference> references();

    /**
     * A mention of an upstream group.
     *
     * @param field where it stands in the listener
     * @param user what mentions it, for people: {@code route api of listener web}
     */
    record Reference(String field, String user, String upstream) {}

    /** Whether both want the same socket. */
    default boolean sharesSocketWith(ListenerConfig other) {
        return port() == other.port()
                && bind().equals(other.bind())
                && protocol().isDatagram() == other.protocol().isDatagram();
    }

    /** What holds for listeners of every protocol. */
    static Checks checkCommon(
            String name,
            ListenerProtocol protocol,
            String bind,
            int port,
            boolean proxyProtocol,
            @Nullable RealIpConfig realIp,
            AccessLogConfig accessLog) {
        Checks checks = new Checks()
                .name("name", name)
                .check(IpAddresses.isV4(bind) || IpAddresses.isV6(bind), "bind", "must be an IP address")
                .range("port", port, 1, 65535)
                .check(
                        realIp == null || !realIp.fromProxyProtocol() || proxyProtocol,
                        "realIp.header",
                        "proxy_protocol needs proxyProtocol to be true");
        checks.attempt("accessLog", () -> {
            accessLog.checkFor(protocol.group());
            return accessLog;
        });
        return checks;
    }
}
