package io.weir.control.state;

import io.weir.config.ListenerConfig;
import io.weir.config.ProxyConfig;
import io.weir.config.UpstreamConfig;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The configuration with all that is kept about it: exactly what the store holds. Immutable.
 *
 * @param config groups and listeners in the order of their names, so that it is the same after a restart
 * @param revisions of every group, server, listener and route: the revision of the whole at which it changed last
 * @param nextServerIds of every group: the id of the next server, since none is ever used again
 */
public record ConfigState(ProxyConfig config, Map<Resource, Long> revisions, Map<String, Integer> nextServerIds) {

    /** Ids of a group's servers begin here. */
    public static final int FIRST_SERVER_ID = 1;

    public static final ConfigState EMPTY = new ConfigState(ProxyConfig.EMPTY, Map.of(), Map.of());

    public ConfigState {
        revisions = Map.copyOf(revisions);
        nextServerIds = Map.copyOf(nextServerIds);
    }

    /** The revision of a resource, or null if there is none. */
    public @Nullable Long revision(Resource resource) {
        return switch (resource.kind()) {
            case UPSTREAMS, LISTENERS -> Long.valueOf(config.revision());
            case SERVERS -> revisions.get(Resource.upstream(resource.parent()));
            case ROUTES -> revisions.get(Resource.listener(resource.parent()));
            case UPSTREAM, SERVER, LISTENER, ROUTE -> revisions.get(resource);
        };
    }

    /** The revision of a resource that must be there. */
    public long requireRevision(Resource resource) {
        Long revision = revision(resource);
        if (revision == null) {
            throw new IllegalStateException("no revision of " + resource);
        }
        return revision;
    }

    /** The id that the next server of this group gets. */
    public int nextServerId(String upstream) {
        return nextServerIds.getOrDefault(upstream, FIRST_SERVER_ID);
    }

    /** This as it is. */
    public Draft unchanged(Resource subject) {
        return new Draft(this, config.upstreams(), config.listeners(), nextServerIds, subject);
    }

    /** This with a group added or replaced. */
    public Draft with(UpstreamConfig upstream, int nextServerId, Resource subject) {
        List<UpstreamConfig> upstreams = new ArrayList<>(config.upstreams());
        upstreams.removeIf(u -> u.name().equals(upstream.name()));
        upstreams.add(upstream);
        upstreams.sort(Comparator.comparing(UpstreamConfig::name));
        Map<String, Integer> ids = new HashMap<>(nextServerIds);
        ids.put(upstream.name(), nextServerId);
        return new Draft(this, upstreams, config.listeners(), ids, subject);
    }

    public Draft withoutUpstream(String name) {
        List<UpstreamConfig> upstreams = new ArrayList<>(config.upstreams());
        upstreams.removeIf(u -> u.name().equals(name));
        Map<String, Integer> ids = new HashMap<>(nextServerIds);
        ids.remove(name);
        return new Draft(this, upstreams, config.listeners(), ids, Resource.upstream(name));
    }

    /** This with a listener added or replaced. */
    public Draft with(ListenerConfig listener, Resource subject) {
        List<ListenerConfig> listeners = new ArrayList<>(config.listeners());
        listeners.removeIf(l -> l.name().equals(listener.name()));
        listeners.add(listener);
        listeners.sort(Comparator.comparing(ListenerConfig::name));
        return new Draft(this, config.upstreams(), listeners, nextServerIds, subject);
    }

    public Draft withoutListener(String name) {
        List<ListenerConfig> listeners = new ArrayList<>(config.listeners());
        listeners.removeIf(l -> l.name().equals(name));
        return new Draft(this, config.upstreams(), listeners, nextServerIds, Resource.listener(name));
    }
}
