package io.weir.control.change;

import io.weir.config.InvalidConfigException;
import io.weir.control.store.ConfigStore;
import io.weir.control.store.LastGood;
import io.weir.control.store.LastGoodException;
import io.weir.control.store.Schema;
import io.weir.control.store.StoreException;
import io.weir.control.store.StoreHealth;
import io.weir.control.store.Stored;
import io.weir.control.store.UnreadableException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;

/**
 * Starts what is stored, before the API takes its first request. As nginx does, Weir does not start with a configuration
 * that cannot run.
 *
 * <p>If the database is a server that cannot be reached, what ran here last is started from the disk. If nothing did, Weir
 * waits for the database, alive and not ready. In both cases {@link StoreWatch} goes on from there.
 */
@Component
class Startup implements SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(Startup.class);

    /** Before the web server of the API, which Spring Boot starts at the end. */
    private static final int PHASE = 0;

    private final Schema schema;
    private final ConfigStore store;
    private final Configuration configuration;
    private final FirstListener firstListener;
    private final StoreHealth health;
    private final LastGood lastGood;
    private final StoreWatch watch;
    private volatile boolean running;

    Startup(
            Schema schema,
            ConfigStore store,
            Configuration configuration,
            FirstListener firstListener,
            StoreHealth health,
            LastGood lastGood,
            StoreWatch watch) {
        this.schema = schema;
        this.store = store;
        this.configuration = configuration;
        this.firstListener = firstListener;
        this.health = health;
        this.lastGood = lastGood;
        this.watch = watch;
    }

    @Override
    public void start() {
        try {
            schema.open();
            startStored();
        } catch (StoreException e) {
            if (!store.isShared()) {
                throw new StartupException("The configuration cannot be read or written: " + e.getMessage(), e);
            }
            health.lookFailed(String.valueOf(e.getMessage()));
            if (!configuration.isLoaded()) {
                startLastGood();
            }
        }
        watch.start();
        running = true;
    }

    private void startStored() {
        try {
            configuration.load();
        } catch (InvalidConfigException | UnreadableException e) {
            throw new StartupException("The stored configuration cannot run: " + e.getMessage(), e);
        }
        try {
            firstListener.addIfEmpty();
        } catch (InvalidConfigException e) {
            throw new StartupException(
                    "The first listener, on port " + firstListener.port() + ", cannot run: " + e.getMessage(), e);
        }
    }

    private void startLastGood() {
        @Nullable Stored last;
        try {
            last = lastGood.read();
            if (last == null) {
                log.warn("Nothing is served: the database cannot be reached, and there is no {}", lastGood.path());
                return;
            }
            configuration.begin(last);
        } catch (LastGoodException | InvalidConfigException e) {
            throw new StartupException(
                    "The database cannot be reached, and the last good configuration cannot run: " + e.getMessage(), e);
        }
        log.warn("The database cannot be reached: revision {} is served from {}", last.revision(), lastGood.path());
    }

    @Override
    public void stop() {
        watch.stop();
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
