package io.weir.control.listener;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.swagger.v3.oas.annotations.media.Schema;
import io.weir.config.HttpListenerConfig;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A listener of HTTP as the API shows it. */
@Schema(name = "HttpListener", description = "A socket that accepts clients of HTTP, and the routes of what comes in.")
@JsonInclude(JsonInclude.Include.NON_NULL)
record HttpListenerView(
        @Schema(description = "1 to 64 characters of A-Z a-z 0-9 . _ -")
        String name,

        @Schema(
                allowableValues = {"http"},
                defaultValue = "http")
        String protocol,

        @Schema(description = "An IP address of this host; 0.0.0.0 or :: for all.", defaultValue = "0.0.0.0")
        String bind,

        @Schema(description = "1 to 65535.") int port,

        @Schema(
                description = "Whether each connection begins with a PROXY protocol header, version 1 or 2.",
                defaultValue = "false")
        boolean proxyProtocol,

        @Schema(description = "Whose word is taken for a client's address; without it, the peer is the client.")
        @Nullable
        RealIpView realIp,

        AccessLogView accessLog,

        ClientView client,

        @Schema(description = "In the order in which regular expressions are tried.")
        List<RouteView> routes)
        implements ListenerView {

    static HttpListenerView of(HttpListenerConfig config) {
        return new HttpListenerView(
                config.name(),
                config.protocol().word(),
                config.bind(),
                config.port(),
                config.proxyProtocol(),
                RealIpView.of(config.realIp()),
                AccessLogView.of(config.accessLog()),
                ClientView.of(config.client()),
                config.routes().stream().map(RouteView::of).toList());
    }
}
