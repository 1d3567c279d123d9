package io.weir.control.listener;

import io.weir.config.AccessLogConfig;
import io.weir.config.Checks;
import io.weir.config.ClientSettings;
import io.weir.config.HttpListenerConfig;
import io.weir.config.InvalidConfigException;
import io.weir.config.RealIpConfig;
import io.weir.config.RouteConfig;
import io.weir.control.web.Fields;
import io.weir.control.web.Names;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A listener as a client wants it.
 *
 * @param routes null if the client says nothing about them
 */
record ListenerRequest(
        String name,
        String bind,
        int port,
        boolean proxyProtocol,
        @Nullable RealIpConfig realIp,
        AccessLogConfig accessLog,
        ClientSettings client,
        @Nullable List<RouteConfig> routes) {

    private static final String ANY_ADDRESS = "0.0.0.0";

    /**
     * Reads a document.
     *
     * @param name that the path gives, null if it gives none
     * @throws InvalidConfigException with all that is wrong
     */
    static ListenerRequest read(JsonNode document, @Nullable String name) {
        Checks checks = new Checks();
        Fields fields = Fields.of(document, checks);
        String named = Names.read(fields, name);
        String protocol = fields.text("protocol", ListenerView.HTTP);
        checks.check(protocol.equals(ListenerView.HTTP), "protocol", "must be http; this version has no other");
        String bind = fields.text("bind", ANY_ADDRESS);
        fields.require("port");
        Integer port = fields.integer("port");
        boolean proxyProtocol = fields.flag("proxyProtocol", false);
        RealIpConfig realIp = RealIpView.read(fields.object("realIp"));
        AccessLogConfig accessLog = AccessLogRequest.read(fields.object("accessLog"));
        ClientSettings client = ClientView.read(fields.object("client"));
        List<Fields> items = fields.objects("routes");
        List<RouteConfig> routes = items == null
                ? null
                : items.stream()
                        .map(item -> RouteRequest.read(item, null))
                        .filter(Objects::nonNull)
                        .toList();
        fields.end();
        if (port != null) {
            // with a name that is always right, since the name has been judged; and routes only if all of them could be
            // read
            List<RouteConfig> read = routes == null || checks.hasViolations() ? List.of() : routes;
            checks.attempt(
                    "", () -> new HttpListenerConfig("-", bind, port, proxyProtocol, realIp, accessLog, client, read));
        }
        checks.done();
        return new ListenerRequest(
                named, bind, port == null ? 0 : port, proxyProtocol, realIp, accessLog, client, routes);
    }

    /** The listener, which had or has these routes. */
    HttpListenerConfig toConfig(List<RouteConfig> old) {
        return new HttpListenerConfig(
                name, bind, port, proxyProtocol, realIp, accessLog, client, routes == null ? old : routes);
    }
}
