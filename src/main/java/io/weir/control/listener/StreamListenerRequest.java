package io.weir.control.listener;

import io.weir.config.ListenerConfig;
import io.weir.config.ListenerProtocol;
import io.weir.config.StreamClientSettings;
import io.weir.config.StreamListenerConfig;
import io.weir.config.StreamRouteConfig;
import io.weir.config.StreamSettings;
import io.weir.control.web.Fields;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A listener of TCP or UDP as a client wants it.
 *
 * @param upstream null for none
 * @param routes null if the client says nothing about them
 */
record StreamListenerRequest(
        ListenerRequest.Common common,
        ListenerProtocol protocol,
        StreamClientSettings client,
        boolean sslPreread,
        @Nullable String upstream,
        StreamSettings proxy,
        @Nullable List<StreamRouteConfig> routes)
        implements ListenerRequest {

    /** Reads what the common fields have left; what is wrong is in the checks of {@code fields}. */
    static StreamListenerRequest read(Fields fields, Common common, ListenerProtocol protocol) {
        StreamClientSettings client = StreamClientView.read(fields.object("client"));
        boolean sslPreread = fields.flag("sslPreread", false);
        String upstream = fields.text("upstream");
        StreamSettings proxy = StreamProxyView.read(fields.object("proxy"));
        List<Fields> items = fields.objects("routes");
        List<StreamRouteConfig> routes = items == null
                ? null
                : items.stream()
                        .map(item -> StreamRouteView.read(item, null))
                        .filter(Objects::nonNull)
                        .toList();
        fields.end();
        StreamListenerRequest request =
                new StreamListenerRequest(common, protocol, client, sslPreread, upstream, proxy, routes);
        if (common.port() != null) {
            boolean complete = routes != null && items != null && routes.size() == items.size();
            List<StreamRouteConfig> read = complete && routes != null ? routes : List.of();
            // whether a group is missing is known only with all the routes, be they new or old
            String checkedUpstream = upstream == null && !complete ? "-" : upstream;
            fields.checks().attempt("", () -> request.toConfig("-", checkedUpstream, read));
        }
        return request;
    }

    @Override
    public String name() {
        return common.name();
    }

    @Override
    public ListenerConfig toConfig(@Nullable ListenerConfig old) {
        List<StreamRouteConfig> kept = old instanceof StreamListenerConfig stream ? stream.routes() : List.of();
        return toConfig(name(), upstream, routes == null ? kept : routes);
    }

    private StreamListenerConfig toConfig(String checkedName, @Nullable String group, List<StreamRouteConfig> its) {
        return new StreamListenerConfig(
                checkedName,
                protocol,
                common.bind(),
                common.requiredPort(),
                common.proxyProtocol(),
                common.realIp(),
                common.accessLog(),
                client,
                sslPreread,
                its,
                group,
                proxy);
    }
}
