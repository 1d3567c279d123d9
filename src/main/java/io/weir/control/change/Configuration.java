package io.weir.control.change;

import io.weir.config.ActiveConfig;
import io.weir.config.IncompleteCommitException;
import io.weir.config.InvalidConfigException;
import io.weir.control.state.ConfigState;
import io.weir.control.state.Draft;
import io.weir.control.store.ConfigStore;
import io.weir.control.store.StoreException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * The configuration and the one way to change it: check, prepare, store, commit; one change at a time.
 *
 * <p>A change that was answered with success is in the store and runs. One that was not has no effect, with one
 * exception: when the database fails while it commits, nobody can know whether it did. The running configuration stays,
 * and before the next change the store is read again and what it says is applied. Should a part of the running side fail
 * to follow a change that is stored, the change stands, its client is told of the failure, and it is applied once more
 * before the next one.
 *
 * <p>Reading takes no lock and needs no database.
 */
@Component
public class Configuration {

    /** Longer than a transaction may take, so that a waiting client outlasts a database that times out. */
    private static final long LOCK_WAIT_SECONDS = 25;

    private static final Logger log = LoggerFactory.getLogger(Configuration.class);

    private final ActiveConfig active;
    private final ConfigStore store;
    private final ReentrantLock lock = new ReentrantLock(true);

    private volatile ConfigState state = ConfigState.EMPTY;

    /** Whether the last write failed, so that the store may hold something else than {@link #state}. */
    private boolean uncertain;

    /** Whether a part of the running side failed to follow {@link #state}. */
    private boolean incomplete;

    Configuration(ActiveConfig active, ConfigStore store) {
        this.active = active;
        this.store = store;
    }

    /** What runs. */
    public ConfigState state() {
        return state;
    }

    /**
     * Makes what is stored the running configuration.
     *
     * @throws StoreException if it cannot be read
     * @throws InvalidConfigException if it cannot run here, with paths from the whole configuration down
     */
    public void load() {
        lock.lock();
        try {
            apply(store.load());
        } finally {
            lock.unlock();
        }
    }

    /**
     * Changes the configuration as {@code edit} says. On return a change is stored, and new requests follow it.
     *
     * @throws InvalidConfigException if the result cannot run, with paths as in the request
     * @throws Refusal if it cannot be done as things are
     * @throws StoreException if it could not be stored
     * @throws IncompleteCommitException if it is stored, and something failed to follow it
     */
    public Outcome change(boolean dryRun, Edit edit) {
        acquire();
        try {
            catchUp();
            complete();
            ConfigState before = state;
            Draft draft = edit.apply(before);
            if (draft.changesNothing()) {
                return new Outcome(before, before, draft.subject(), dryRun);
            }
            ConfigState after = draft.after();
            ActiveConfig.Change change = prepare(draft, after);
            if (dryRun) {
                change.abort();
            } else {
                store(before, after, change);
                commit(change, after);
            }
            return new Outcome(before, after, draft.subject(), dryRun);
        } finally {
            lock.unlock();
        }
    }

    private void acquire() {
        try {
            if (!lock.tryLock(LOCK_WAIT_SECONDS, TimeUnit.SECONDS)) {
                throw new Refusal(Refusal.Reason.BUSY, "another change takes long; try again");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Refusal(Refusal.Reason.BUSY, "interrupted while waiting for another change");
        }
    }

    private ActiveConfig.Change prepare(Draft draft, ConfigState after) {
        try {
            return active.prepare(after.config());
        } catch (InvalidConfigException e) {
            throw draft.seenFromSubject(e);
        }
    }

    private void store(ConfigState before, ConfigState after, ActiveConfig.Change change) {
        try {
            store.save(before, after);
        } catch (RuntimeException | Error e) {
            uncertain = true;
            change.abort();
            log.warn("A change was not stored and not applied: {}", e.getMessage());
            throw e;
        }
    }

    /** After a failure: reads what is stored, if it is something else. */
    private void catchUp() {
        if (!uncertain) {
            return;
        }
        if (store.revision() != state.config().revision()) {
            ConfigState stored = store.load();
            try {
                apply(stored);
            } catch (InvalidConfigException e) {
                throw new StoreException("the stored configuration cannot run here: " + e.getMessage(), e);
            }
        }
        uncertain = false;
    }

    /** After a commit that failed in part: tries again. If that fails too, the next change may be what helps. */
    private void complete() {
        if (!incomplete) {
            return;
        }
        try {
            apply(state);
        } catch (RuntimeException | Error e) {
            log.error(
                    "Configuration revision {} still does not run whole",
                    state.config().revision(),
                    e);
        }
    }

    /** What is stored is what this shows, whatever the running side makes of it. */
    private void commit(ActiveConfig.Change change, ConfigState next) {
        state = next;
        incomplete = true;
        try {
            change.commit();
            incomplete = false;
        } catch (IncompleteCommitException e) {
            log.error(
                    "Configuration revision {} is stored and does not run whole; it is applied again before the next"
                            + " change, or by a restart",
                    next.config().revision(),
                    e);
            throw e;
        }
    }

    private void apply(ConfigState next) {
        commit(active.prepare(next.config()), next);
        log.info(
                "Configuration revision {} runs: {} upstream groups, {} listeners",
                next.config().revision(),
                next.config().upstreams().size(),
                next.config().listeners().size());
    }
}
