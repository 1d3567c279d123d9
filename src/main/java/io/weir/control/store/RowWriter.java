package io.weir.control.store;

import io.weir.config.HttpListenerConfig;
import io.weir.config.ListenerConfig;
import io.weir.config.ListenerRoute;
import io.weir.config.ServerConfig;
import io.weir.config.StreamListenerConfig;
import io.weir.config.UpstreamConfig;
import io.weir.control.state.ConfigState;
import io.weir.control.state.Resource;
import jakarta.persistence.EntityManager;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.springframework.stereotype.Component;

/**
 * Turns the difference between two states into rows. Inside a transaction.
 *
 * <p>Rows are found by the revision of their resource; Hibernate then writes those whose columns differ. The order is that
 * of the foreign keys.
 */
@Component
class RowWriter {

    private final EntityManager entities;
    private final ServerRows servers;
    private final RouteRows routes;
    private final StreamRouteRows streamRoutes;

    RowWriter(EntityManager entities, ServerRows servers, RouteRows routes, StreamRouteRows streamRoutes) {
        this.entities = entities;
        this.servers = servers;
        this.routes = routes;
        this.streamRoutes = streamRoutes;
    }

    void write(ConfigState before, ConfigState after) {
        Set<String> upstreams = names(after.config().upstreams(), UpstreamConfig::name);
        Set<String> listeners = names(after.config().listeners(), ListenerConfig::name);
        for (UpstreamConfig upstream : after.config().upstreams()) {
            if (isDifferent(before, after, Resource.upstream(upstream.name()))) {
                write(upstream, after);
            }
        }
        entities.flush();
        for (ListenerConfig listener : before.config().listeners()) {
            if (!listeners.contains(listener.name())) {
                routes.deleteByListener(listener.name());
                streamRoutes.deleteByListener(listener.name());
                remove(ListenerRow.class, listener.name());
            }
        }
        for (ListenerConfig listener : after.config().listeners()) {
            if (isDifferent(before, after, Resource.listener(listener.name()))) {
                write(listener, after);
            }
        }
        entities.flush();
        for (UpstreamConfig upstream : before.config().upstreams()) {
            if (!upstreams.contains(upstream.name())) {
                servers.deleteByUpstream(upstream.name());
                remove(UpstreamRow.class, upstream.name());
            }
        }
    }

    private static <T> Set<String> names(List<? extends T> items, Function<T, String> name) {
        return items.stream().map(name).collect(Collectors.toSet());
    }

    private static boolean isDifferent(ConfigState before, ConfigState after, Resource resource) {
        Long revision = before.revision(resource);
        return revision == null || !revision.equals(after.revision(resource));
    }

    private void remove(Class<?> type, String name) {
        Object row = entities.find(type, name);
        if (row != null) {
            entities.remove(row);
        }
    }

    private void write(UpstreamConfig upstream, ConfigState after) {
        String name = upstream.name();
        UpstreamRow row = entities.find(UpstreamRow.class, name);
        boolean isNew = row == null;
        if (row == null) {
            row = new UpstreamRow(name);
        }
        row.update(upstream, after.requireRevision(Resource.upstream(name)), after.nextServerId(name));
        if (isNew) {
            entities.persist(row);
        }
        writeServers(upstream, after);
    }

    private void writeServers(UpstreamConfig upstream, ConfigState after) {
        String name = upstream.name();
        Map<Integer, ServerRow> rows = new LinkedHashMap<>();
        servers.findByUpstreamOrderByPosition(name).forEach(row -> rows.put(row.id(), row));
        Set<Integer> kept =
                upstream.servers().stream().map(ServerConfig::id).collect(Collectors.toCollection(HashSet::new));
        rows.values().stream().filter(row -> !kept.contains(row.id())).forEach(entities::remove);
        int last = -1;
        for (ServerConfig server : upstream.servers()) {
            ServerRow row = rows.get(server.id());
            boolean isNew = row == null;
            if (row == null) {
                row = new ServerRow(name, server.id());
            }
            last = position(isNew ? -1 : row.position(), last);
            row.update(server, after.requireRevision(Resource.server(name, server.id())), last);
            if (isNew) {
                entities.persist(row);
            }
        }
    }

    private void write(ListenerConfig listener, ConfigState after) {
        String name = listener.name();
        ListenerRow row = entities.find(ListenerRow.class, name);
        boolean isNew = row == null;
        if (row == null) {
            row = new ListenerRow(name);
        }
        row.update(listener, after.requireRevision(Resource.listener(name)));
        if (isNew) {
            entities.persist(row);
        }
        writeRoutes(listener, after);
    }

    /** Of both kinds, so that nothing is left of what the listener was before. */
    private void writeRoutes(ListenerConfig listener, ConfigState after) {
        String name = listener.name();
        writeRoutes(
                name,
                routes.findByListenerOrderByPosition(name),
                listener instanceof HttpListenerConfig http ? http.routes() : List.of(),
                route -> new RouteRow(name, route),
                after);
        writeRoutes(
                name,
                streamRoutes.findByListenerOrderByPosition(name),
                listener instanceof StreamListenerConfig stream ? stream.routes() : List.of(),
                route -> new StreamRouteRow(name, route),
                after);
    }

    private <C extends ListenerRoute, R extends PlacedRow<C>> void writeRoutes(
            String listener, List<R> stored, List<C> wanted, Function<String, R> create, ConfigState after) {
        Map<String, R> rows = new LinkedHashMap<>();
        stored.forEach(row -> rows.put(row.name(), row));
        Set<String> kept = names(wanted, ListenerRoute::name);
        rows.values().stream().filter(row -> !kept.contains(row.name())).forEach(entities::remove);
        int last = -1;
        for (C route : wanted) {
            R row = rows.get(route.name());
            boolean isNew = row == null;
            if (row == null) {
                row = create.apply(route.name());
            }
            last = position(isNew ? -1 : row.position(), last);
            row.update(route, after.requireRevision(Resource.route(listener, route.name())), last);
            if (isNew) {
                entities.persist(row);
            }
        }
    }

    /** Keeps a position that is still in order, so that removing the first of many rewrites none of the rest. */
    private static int position(int old, int last) {
        return old > last ? old : last + 1;
    }
}
