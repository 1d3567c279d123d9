package io.weir.control.listener;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.swagger.v3.oas.annotations.media.Schema;
import io.weir.config.StreamListenerConfig;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A listener of TCP or UDP as the API shows it. */
@Schema(
        name = "StreamListener",
        description = "A socket that accepts TCP connections or UDP datagrams, whose sessions each go to one server.")
@JsonInclude(JsonInclude.Include.NON_NULL)
record StreamListenerView(
        @Schema(description = "1 to 64 characters of A-Z a-z 0-9 . _ -")
        String name,

        @Schema(allowableValues = {"tcp", "udp"}) String protocol,

        @Schema(description = "An IP address of this host; 0.0.0.0 or :: for all.", defaultValue = "0.0.0.0")
        String bind,

        @Schema(description = "1 to 65535; one of tcp and one of udp may have the same.")
        int port,

        @Schema(
                description = "tcp: whether each connection begins with a PROXY protocol header, version 1 or 2.",
                defaultValue = "false")
        boolean proxyProtocol,

        @Schema(
                description = "tcp: whose PROXY protocol header is believed as to a client's address; without it, the"
                        + " peer is the client. Its header is proxy_protocol.")
        @Nullable
        RealIpView realIp,

        @Schema(description = "As for HTTP, with the format basic unless told.")
        AccessLogView accessLog,

        StreamClientView client,

        @Schema(
                description = "tcp: whether routes are chosen by the names that a TLS client says before it encrypts.",
                defaultValue = "false")
        @Nullable
        Boolean sslPreread,

        @Schema(description = "The group, of protocol stream, of all whom no route takes.") @Nullable
        String upstream,

        StreamProxyView proxy,

        @Schema(description = "tcp, with sslPreread. An exact host beats a wildcard, whatever the order.") @Nullable
        List<StreamRouteView> routes)
        implements ListenerView {

    static StreamListenerView of(StreamListenerConfig config) {
        boolean datagrams = config.protocol().isDatagram();
        return new StreamListenerView(
                config.name(),
                config.protocol().word(),
                config.bind(),
                config.port(),
                config.proxyProtocol(),
                RealIpView.of(config.realIp()),
                AccessLogView.of(config.accessLog()),
                StreamClientView.of(config.client()),
                datagrams ? null : config.sslPreread(),
                config.upstream(),
                StreamProxyView.of(config.proxy(), datagrams),
                datagrams
                        ? null
                        : config.routes().stream().map(StreamRouteView::of).toList());
    }
}
