package io.weir.control.listener;

import io.weir.config.ClientSettings;
import io.weir.config.HttpListenerConfig;
import io.weir.config.ListenerConfig;
import io.weir.config.RouteConfig;
import io.weir.control.web.Fields;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A listener of HTTP as a client wants it.
 *
 * @param routes null if the client says nothing about them
 */
record HttpListenerRequest(
        ListenerRequest.Common common,
        ClientSettings client,
        @Nullable List<RouteConfig> routes) implements ListenerRequest {

    /** Reads what the common fields have left; what is wrong is in the checks of {@code fields}. */
    static HttpListenerRequest read(Fields fields, Common common) {
        ClientSettings client = ClientView.read(fields.object("client"));
        List<Fields> items = fields.objects("routes");
        List<RouteConfig> routes = items == null
                ? null
                : items.stream()
                        .map(item -> RouteRequest.read(item, null))
                        .filter(Objects::nonNull)
                        .toList();
        fields.end();
        HttpListenerRequest request = new HttpListenerRequest(common, client, routes);
        if (common.port() != null) {
            // with a name that is always right, since the name has been judged; and routes only if all of them could be
            // read
            List<RouteConfig> read = routes == null || fields.checks().hasViolations() ? List.of() : routes;
            fields.checks().attempt("", () -> request.toConfig("-", read));
        }
        return request;
    }

    @Override
    public String name() {
        return common.name();
    }

    @Override
    public ListenerConfig toConfig(@Nullable ListenerConfig old) {
        List<RouteConfig> kept = old instanceof HttpListenerConfig http ? http.routes() : List.of();
        return toConfig(name(), routes == null ? kept : routes);
    }

    private HttpListenerConfig toConfig(String checkedName, List<RouteConfig> its) {
        return new HttpListenerConfig(
                checkedName,
                common.bind(),
                common.requiredPort(),
                common.proxyProtocol(),
                common.realIp(),
                common.accessLog(),
                client,
                its);
    }
}
