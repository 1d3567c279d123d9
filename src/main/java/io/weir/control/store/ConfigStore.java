package io.weir.control.store;

import io.weir.config.InvalidConfigException;
import io.weir.control.state.ConfigState;
import jakarta.persistence.EntityManager;
import java.util.UUID;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
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
    private final EntityManager entities;
    private final StoreHealth health;
    private final boolean shared;
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
            EntityManager entities,
            StoreHealth health,
            JdbcConnectionDetails details,
            PlatformTransactionManager transactions) {
        this.states = states;
        this.upstreams = upstreams;
        this.servers = servers;
        this.listeners = listeners;
        this.routes = routes;
        this.streamRoutes = streamRoutes;
        this.writer = writer;
        this.entities = entities;
        this.health = health;
        shared = Database.isShared(details.getJdbcUrl());
        reading = new TransactionTemplate(transactions);
        reading.setReadOnly(true);
        reading.setTimeout(TRANSACTION_TIMEOUT_SECONDS);
        // all tables as of one moment
        reading.setIsolationLevel(TransactionTemplate.ISOLATION_REPEATABLE_READ);
        writing = new TransactionTemplate(transactions);
        writing.setTimeout(TRANSACTION_TIMEOUT_SECONDS);
    }

    /** Whether other nodes may change what is stored. */
    public boolean isShared() {
        return shared;
    }

    /**
     * Everything that is stored.
     *
     * @throws UnreadableException if this version of Weir does not understand it
     */
    public Stored load() {
        return call(() -> reading.execute(status -> read()));
    }

    /** The version of the whole that is stored. */
    public Version version() {
        return call(() -> reading.execute(status -> states.version()));
    }

    /**
     * Replaces {@code before} by {@code after}, writing only what differs; all of it or nothing. Nodes that listen are told.
     *
     * @return the version that is stored then
     * @throws OvertakenException if what is stored is no longer {@code before}
     */
    public Version save(Stored before, ConfigState after) {
        Version from = before.version();
        Version to = new Version(after.config().revision(), UUID.randomUUID().toString());
        return call(() -> {
            writing.executeWithoutResult(status -> {
                if (states.advance(from.revision(), from.change(), to.revision(), to.change()) != 1) {
                    throw new OvertakenException(from);
                }
                writer.write(before.state(), after);
                if (shared) {
                    entities.createNativeQuery(StoreLink.NOTIFY).executeUpdate();
                }
            });
            return to;
        });
    }

    private Stored read() {
        Version version = states.version();
        Rows rows = new Rows(
                upstreams.findAllByOrderByName(),
                servers.findAllByOrderByUpstreamAscPositionAsc(),
                listeners.findAllByOrderByName(),
                routes.findAllByOrderByListenerAscPositionAsc(),
                streamRoutes.findAllByOrderByListenerAscPositionAsc());
        try {
            return new Stored(version, rows.toState(version.revision()));
        } catch (InvalidConfigException e) {
            throw new UnreadableException("the stored configuration is not valid: " + e.getMessage(), e);
        } catch (RuntimeException e) {
            throw new UnreadableException("the stored configuration cannot be read by this version: " + e, e);
        }
    }

    /** A call of the database. */
    private interface Call<T> {
        T run();
    }

    private <T> T call(Call<T> call) {
        T result;
        try {
            result = call.run();
        } catch (DataAccessException | TransactionException e) {
            String reason = String.valueOf(e.getMostSpecificCause().getMessage());
            health.failed(reason);
            throw new StoreException("the database failed: " + reason, e);
        }
        health.worked();
        return result;
    }
}
