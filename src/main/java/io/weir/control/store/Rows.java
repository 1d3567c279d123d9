package io.weir.control.store;

import io.weir.config.ListenerConfig;
import io.weir.config.ListenerRoute;
import io.weir.config.ProxyConfig;
import io.weir.config.RouteConfig;
import io.weir.config.ServerConfig;
import io.weir.config.StreamRouteConfig;
import io.weir.config.UpstreamConfig;
import io.weir.control.state.ConfigState;
import io.weir.control.state.Resource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A whole configuration as rows, in their order. */
record Rows(
        List<UpstreamRow> upstreams,
        List<ServerRow> servers,
        List<ListenerRow> listeners,
        List<RouteRow> routes,
        List<StreamRouteRow> streamRoutes) {

    static Rows of(ConfigState state) {
        Rows rows =
                new Rows(new ArrayList<>(), new ArrayList<>(), new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        state.config().upstreams().forEach(upstream -> rows.add(upstream, state));
        state.config().listeners().forEach(listener -> rows.add(listener, state));
        return rows;
    }

    private void add(UpstreamConfig upstream, ConfigState state) {
        String name = upstream.name();
        UpstreamRow row = new UpstreamRow(name);
        row.update(upstream, state.requireRevision(Resource.upstream(name)), state.nextServerId(name));
        upstreams.add(row);
        int position = 0;
        for (ServerConfig server : upstream.servers()) {
            ServerRow its = new ServerRow(name, server.id());
            its.update(server, state.requireRevision(Resource.server(name, server.id())), position++);
            servers.add(its);
        }
    }

    private void add(ListenerConfig listener, ConfigState state) {
        String name = listener.name();
        ListenerRow added = new ListenerRow(name);
        added.update(listener, state.requireRevision(Resource.listener(name)));
        listeners.add(added);
        int position = 0;
        for (ListenerRoute route : listener.routes()) {
            long its = state.requireRevision(Resource.route(name, route.name()));
            if (route instanceof RouteConfig http) {
                RouteRow row = new RouteRow(name, route.name());
                row.update(http, its, position++);
                routes.add(row);
            } else if (route instanceof StreamRouteConfig stream) {
                StreamRouteRow row = new StreamRouteRow(name, route.name());
                row.update(stream, its, position++);
                streamRoutes.add(row);
            }
        }
    }

    /** @param revision of the whole */
    ConfigState toState(long revision) {
        Map<Resource, Long> revisions = new HashMap<>();
        Map<String, List<ServerConfig>> serversByUpstream = new HashMap<>();
        for (ServerRow row : servers) {
            serversByUpstream
                    .computeIfAbsent(row.upstream(), u -> new ArrayList<>())
                    .add(row.toConfig());
            revisions.put(Resource.server(row.upstream(), row.id()), row.revision());
        }
        Map<String, Integer> nextServerIds = new HashMap<>();
        List<UpstreamConfig> allUpstreams = new ArrayList<>();
        for (UpstreamRow row : upstreams) {
            allUpstreams.add(row.toConfig(serversByUpstream.getOrDefault(row.name(), List.of())));
            nextServerIds.put(row.name(), row.nextServerId());
            revisions.put(Resource.upstream(row.name()), row.revision());
        }
        Map<String, List<RouteConfig>> routesByListener = new HashMap<>();
        for (RouteRow row : routes) {
            routesByListener
                    .computeIfAbsent(row.listener(), l -> new ArrayList<>())
                    .add(row.toConfig());
            revisions.put(Resource.route(row.listener(), row.name()), row.revision());
        }
        Map<String, List<StreamRouteConfig>> streamRoutesByListener = new HashMap<>();
        for (StreamRouteRow row : streamRoutes) {
            streamRoutesByListener
                    .computeIfAbsent(row.listener(), l -> new ArrayList<>())
                    .add(row.toConfig());
            revisions.put(Resource.route(row.listener(), row.name()), row.revision());
        }
        List<ListenerConfig> allListeners = new ArrayList<>();
        for (ListenerRow row : listeners) {
            allListeners.add(row.toConfig(
                    routesByListener.getOrDefault(row.name(), List.of()),
                    streamRoutesByListener.getOrDefault(row.name(), List.of())));
            revisions.put(Resource.listener(row.name()), row.revision());
        }
        return new ConfigState(new ProxyConfig(revision, allUpstreams, allListeners), revisions, nextServerIds);
    }
}
