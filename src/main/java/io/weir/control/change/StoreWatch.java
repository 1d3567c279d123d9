package io.weir.control.change;

import io.weir.config.InvalidConfigException;
import io.weir.control.node.Node;
import io.weir.control.node.Nodes;
import io.weir.control.store.ConfigStore;
import io.weir.control.store.Schema;
import io.weir.control.store.StoreException;
import io.weir.control.store.StoreHealth;
import io.weir.control.store.StoreLink;
import io.weir.control.store.StoreLinks;
import io.weir.control.store.Version;
import java.sql.SQLException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.stereotype.Component;

/**
 * A thread that keeps this node and its database in touch. It finds out when a database that failed works again, and makes
 * the tables then if the start could not.
 *
 * <p>On a database that nodes share it also sees what the others store, by being told or else by looking, and tells that
 * this node lives. What is to be applied is left to a {@link Follower}.
 */
@Component
class StoreWatch {

    private static final Logger log = LoggerFactory.getLogger(StoreWatch.class);

    /** How long a change of another node goes unseen when nobody tells of it. */
    private static final int LOOK_MILLIS = 500;

    private static final long BEAT_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long TIDY_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final int RETRY_MILLIS = 1000;

    /** A database that hangs must not hang the stop; the thread is a daemon. */
    private static final int STOP_MILLIS = 5000;

    private final Schema schema;
    private final ConfigStore store;
    private final Running running;
    private final Configuration configuration;
    private final FirstListener firstListener;
    private final StoreHealth health;
    private final StoreLinks links;
    private final Nodes nodes;
    private @Nullable Watch watch;

    StoreWatch(
            Schema schema,
            ConfigStore store,
            Running running,
            Configuration configuration,
            FirstListener firstListener,
            StoreHealth health,
            StoreLinks links,
            Nodes nodes) {
        this.schema = schema;
        this.store = store;
        this.running = running;
        this.configuration = configuration;
        this.firstListener = firstListener;
        this.health = health;
        this.links = links;
        this.nodes = nodes;
    }

    /** From the end of the start on. */
    synchronized void start() {
        Watch started = new Watch();
        watch = started;
        if (!store.isShared()) {
            health.onFailure(started.due::release);
        }
        running.onChange(started.follower::tell);
        started.follower.start();
        started.thread.start();
    }

    synchronized void stop() {
        if (watch != null) {
            watch.stop();
            watch = null;
        }
    }

    /** From a start to a stop. */
    private final class Watch {

        private final Follower follower = new Follower(configuration, health, links, store.isShared());
        private final Thread thread = new Thread(this::run, "weir-store");

        /** Given when the database is to be looked at. */
        private final Semaphore due = new Semaphore(0);

        private volatile boolean stopped;

        Watch() {
            thread.setDaemon(true);
        }

        void stop() {
            stopped = true;
            follower.stop();
            due.release();
            try {
                thread.join(STOP_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private void run() {
            while (!stopped) {
                try {
                    if (store.isShared()) {
                        watchShared();
                    } else {
                        watchOwn();
                    }
                } catch (SQLException | DataAccessException | StoreException e) {
                    log.debug("no link to the database", e);
                } catch (InterruptedException e) {
                    return;
                } catch (RuntimeException | Error e) {
                    log.error("Watching the database failed; it goes on", e);
                    pause();
                }
            }
        }

        /** Nobody else changes a database of one process, so it is looked at only after a failure. */
        private void watchOwn() throws InterruptedException {
            due.acquire();
            due.drainPermits();
            while (!stopped && health.down() != null && !works()) {
                pause();
            }
            follower.follow();
        }

        private void watchShared() throws SQLException {
            try (StoreLink link = connect()) {
                if (link == null) {
                    return;
                }
                open();
                link.tidy();
                long beaten = System.nanoTime() - BEAT_NANOS;
                long tidied = System.nanoTime();
                @Nullable Node told = null;
                @Nullable Version seen = null;
                while (!stopped) {
                    if (health.down() != null) {
                        if (works()) {
                            // whoever had to follow something then has waited for this
                            seen = null;
                        } else {
                            pause();
                        }
                    }
                    long now = System.nanoTime();
                    boolean isBeat = now - beaten >= BEAT_NANOS;
                    if (isBeat || !nodes.self().equals(told)) {
                        told = nodes.self();
                        link.beat();
                    }
                    if (isBeat || nodes.isAwaited()) {
                        link.look();
                        beaten = isBeat ? now : beaten;
                    }
                    if (now - tidied >= TIDY_NANOS) {
                        link.tidy();
                        tidied = now;
                    }
                    Version stored = link.version();
                    // what was told to the follower is its affair from then on
                    if (!stored.equals(seen) && !stored.equals(configuration.version())) {
                        follower.follow();
                    }
                    seen = stored;
                    link.await(LOOK_MILLIS);
                }
                link.bye();
            }
        }

        /** Null if that is not possible, after a pause. */
        private @Nullable StoreLink connect() {
            try {
                return links.connect();
            } catch (SQLException | DataAccessException e) {
                health.lookFailed("the database cannot be reached: " + e.getMessage());
                pause();
                return null;
            }
        }

        /** Makes up for what the start could not do. */
        private void open() {
            try {
                boolean wasOpen = schema.isOpen();
                schema.open();
                if (!wasOpen || !configuration.isLoaded()) {
                    configuration.follow();
                    firstListener.addIfEmpty();
                }
            } catch (InvalidConfigException e) {
                log.error("The first listener cannot run: {}", e.getMessage());
            } catch (RuntimeException e) {
                health.lookFailed(String.valueOf(e.getMessage()));
                pause();
                throw new StoreException("the database is not ready", e);
            }
        }

        /** Whether the pool, which is what changes use, gets an answer. */
        private boolean works() {
            try {
                store.version();
                return true;
            } catch (StoreException e) {
                health.lookFailed(String.valueOf(e.getMessage()));
                return false;
            }
        }

        /** Not interrupted by further failures, which are what it is for. */
        private void pause() {
            long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(RETRY_MILLIS);
            try {
                while (!stopped && System.nanoTime() < end) {
                    TimeUnit.MILLISECONDS.sleep(50);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
