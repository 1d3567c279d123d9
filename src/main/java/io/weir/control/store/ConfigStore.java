package io.weir.control.store;

import io.weir.config.InvalidConfigException;
import io.weir.config.ListenerConfig;
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
import org.springframework.dao.DataAccessException;
import org.springframework.stereotype.Component;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The database that holds the configuration. Safe on every thread; each call is one transaction.
 *
 * <p>Every method throws {@link StoreException} when the database does not do what was asked.
 */
@Component
public class ConfigStore {

    /** Seconds after which a database that does not answer has failed; a change holds up all others meanwhile. */
    private static final int TRANSACTION_TIMEOUT_SECONDS = 20;

    private final ConfigStateRows states;
    private final UpstreamRows upstreams;
    private final ServerRows servers;
    private final ListenerRows listeners;
    private final RouteRows routes;
    private final StreamRouteRows streamRoutes;
    private final RowWriter writer;
    private final TransactionTemplate reading;
    private final TransactionTemplate writing;

    ConfigStore(
            ConfigStateRows states,
            UpstreamRows upstreams,
            ServerRows servers,
            ListenerRows listeners,
            RouteRows routes,
            StreamRouteRows streamRoutes,
            RowWriter writer,
            PlatformTransactionManager transactions) {
        this.states = states;
        this.upstreams = upstreams;
        this.servers = servers;
        this.listeners = listeners;
        this.routes = routes;
        this.streamRoutes = streamRoutes;
        this.writer = writer;
        reading = new TransactionTemplate(transactions);
        reading.setReadOnly(true);
        reading.setTimeout(TRANSACTION_TIMEOUT_SECONDS);
        // all tables as of one moment
        reading.setIsolationLevel(TransactionTemplate.ISOLATION_REPEATABLE_READ);
        writing = new TransactionTemplate(transactions);
        writing.setTimeout(TRANSACTION_TIMEOUT_SECONDS);
    }

    /** Everything that is stored. */
    public ConfigState load() {
        return call(() -> reading.execute(status -> read()));
    }

    /** The revision of the whole that is stored. */
    public long revision() {
        return call(() -> reading.execute(status -> states.revision()));
    }

    /**
     * Replaces {@code before} by {@code after}, writing only what differs; all of it or nothing.
     *
     * @throws StoreException also if what is stored is no longer {@code before}
     */
    public void save(ConfigState before, ConfigState after) {
        call(() -> {
            writing.executeWithoutResult(status -> {
                long from = before.config().revision();
                if (states.advance(from, after.config().revision()) != 1) {
                    throw new StoreException("the stored configuration is no longer at revision " + from);
                }
                writer.write(before, after);
            });
            return after;
        });
    }

    private ConfigState read() {
        Map<Resource, Long> revisions = new HashMap<>();
        Map<String, List<ServerConfig>> serversByUpstream = new HashMap<>();
        for (ServerRow row : servers.findAllByOrderByUpstreamAscPositionAsc()) {
            serversByUpstream
                    .computeIfAbsent(row.upstream(), u -> new ArrayList<>())
                    .add(row.toConfig());
            revisions.put(Resource.server(row.upstream(), row.id()), row.revision());
        }
        Map<String, Integer> nextServerIds = new HashMap<>();
        List<UpstreamConfig> allUpstreams = new ArrayList<>();
        for (UpstreamRow row : upstreams.findAllByOrderByName()) {
            allUpstreams.add(row.toConfig(serversByUpstream.getOrDefault(row.name(), List.of())));
            nextServerIds.put(row.name(), row.nextServerId());
            revisions.put(Resource.upstream(row.name()), row.revision());
        }
        Map<String, List<RouteConfig>> routesByListener = new HashMap<>();
        for (RouteRow row : routes.findAllByOrderByListenerAscPositionAsc()) {
            routesByListener
                    .computeIfAbsent(row.listener(), l -> new ArrayList<>())
                    .add(row.toConfig());
            revisions.put(Resource.route(row.listener(), row.name()), row.revision());
        }
        Map<String, List<StreamRouteConfig>> streamRoutesByListener = new HashMap<>();
        for (StreamRouteRow row : streamRoutes.findAllByOrderByListenerAscPositionAsc()) {
            streamRoutesByListener
                    .computeIfAbsent(row.listener(), l -> new ArrayList<>())
                    .add(row.toConfig());
            revisions.put(Resource.route(row.listener(), row.name()), row.revision());
        }
        List<ListenerConfig> allListeners = new ArrayList<>();
        for (ListenerRow row : listeners.findAllByOrderByName()) {
            allListeners.add(row.toConfig(
                    routesByListener.getOrDefault(row.name(), List.of()),
                    streamRoutesByListener.getOrDefault(row.name(), List.of())));
            revisions.put(Resource.listener(row.name()), row.revision());
        }
        return new ConfigState(
                new ProxyConfig(states.revision(), allUpstreams, allListeners), revisions, nextServerIds);
    }

    /** A call of the database. */
    private interface Call<T> {
        T run();
    }

    private static <T> T call(Call<T> call) {
        try {
            return call.run();
        } catch (InvalidConfigException e) {
            throw new StoreException("the stored configuration is not valid: " + e.getMessage(), e);
        } catch (DataAccessException | TransactionException e) {
            throw new StoreException(
                    "the database failed: " + e.getMostSpecificCause().getMessage(), e);
        }
    }
}
