package io.weir.control.change;

import io.weir.config.ActiveConfig;
import io.weir.config.IncompleteCommitException;
import io.weir.config.InvalidConfigException;
import io.weir.control.node.Lag;
import io.weir.control.node.Nodes;
import io.weir.control.node.NotApplied;
import io.weir.control.state.ConfigState;
import io.weir.control.state.Draft;
import io.weir.control.store.ConfigStore;
import io.weir.control.store.OvertakenException;
import io.weir.control.store.StoreException;
import io.weir.control.store.StoreHealth;
import io.weir.control.store.Stored;
import io.weir.control.store.UnreadableException;
import io.weir.control.store.Version;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * The configuration and the one way to change it: check, prepare, store, commit; one change at a time on this node.
 *
 * <p>A change that was answered with success is in the store and runs. One that was not has no effect, with one
 * exception: when the database fails while it commits, nobody can know whether it did. The running configuration stays,
 * and what is stored is taken over as soon as the database answers again. Should a part of the running side fail to follow
 * a change that is stored, the change stands, its client is told of the failure, and it is applied once more.
 *
 * <p>Other nodes may change what is stored. A change begins with what is stored then; if another node is faster
 * nevertheless, it is made once more from what that has left. What other nodes store is followed in {@link #follow}. If it
 * cannot run here, what ran goes on, and this shows what is stored.
 *
 * <p>Reading takes no lock and needs no database.
 */
@Component
public class Configuration {

    /** Longer than a transaction may take, so that a waiting client outlasts a database that times out. */
    private static final long LOCK_WAIT_SECONDS = 25;

    /** How long one change may try to overtake those of other nodes. One of them succeeds in each round. */
    private static final long CONTEST_NANOS = TimeUnit.SECONDS.toNanos(20);

    private static final Logger log = LoggerFactory.getLogger(Configuration.class);

    private final Running running;
    private final ConfigStore store;
    private final StoreHealth health;
    private final Nodes nodes;
    private final ReentrantLock lock = new ReentrantLock(true);

    /** Whether the last write failed, so that the store may hold something else than is known. */
    private boolean uncertain;

    Configuration(Running running, ConfigStore store, StoreHealth health, Nodes nodes) {
        this.running = running;
        this.store = store;
        this.health = health;
        this.nodes = nodes;
    }

    /** What is stored, as far as this node knows; it runs, unless {@link #failure} says otherwise. */
    public ConfigState state() {
        return running.known().state();
    }

    /** Whether there is a configuration, be it from the database or from the disk, rather than nothing yet. */
    public boolean isLoaded() {
        return running.isLoaded();
    }

    /** Why what is stored does not run here, null if it does. */
    public @Nullable NotApplied failure() {
        return running.failure();
    }

    /** How often that was found, each new try included. */
    public long failures() {
        return running.failures();
    }

    Version version() {
        return running.known().version();
    }

    /**
     * Makes what is stored the running configuration. For the start.
     *
     * @throws StoreException if it cannot be read
     * @throws InvalidConfigException if it cannot run here, with paths from the whole configuration down
     */
    void load() {
        begin(store.load());
    }

    /**
     * Makes {@code stored} the running configuration. For the start.
     *
     * @throws InvalidConfigException if it cannot run here
     */
    void begin(Stored stored) {
        lock.lock();
        try {
            running.begin(stored);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Takes over what is stored if that is something else than what is known, and tries once more what does not run.
     *
     * @return whether what is stored runs now
     * @throws StoreException if the database does not answer, or with nothing that can be used
     */
    boolean follow() {
        while (true) {
            Stored before = running.known();
            // without the lock: a database that hangs must not hold up those who would be told so at once
            Stored stored = look(before);
            lock.lock();
            try {
                // else a change has come in between, and there may be nothing left to do
                if (running.known() == before) {
                    uncertain = false;
                    if (stored != before) {
                        take(stored);
                    } else {
                        complete();
                    }
                    return running.failure() == null;
                }
            } finally {
                lock.unlock();
            }
        }
    }

    /** What is stored: the same object if it is what is known. */
    private Stored look(Stored before) {
        Version version = store.version();
        if (running.isLoaded() && version.equals(before.version())) {
            return before;
        }
        try {
            return store.load();
        } catch (UnreadableException e) {
            lock.lock();
            try {
                running.unable(version.revision(), String.valueOf(e.getMessage()));
            } finally {
                lock.unlock();
            }
            throw e;
        }
    }

    /** Changes the configuration, and waits for the other nodes if that is asked for. */
    public Outcome change(Write write, Edit edit) {
        Outcome outcome = change(write.dryRun(), edit);
        if (write.dryRun() || write.patience() == null || !store.isShared()) {
            return outcome;
        }
        @Nullable Lag lag = nodes.await(outcome.after().config().revision(), write.patience());
        return lag == null ? outcome : outcome.with(lag);
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
        health.check();
        acquire();
        try {
            // whoever was before may have found out
            health.check();
            long begin = System.nanoTime();
            while (true) {
                catchUp();
                complete();
                try {
                    return attempt(dryRun, edit);
                } catch (OvertakenException e) {
                    uncertain = true;
                    if (System.nanoTime() - begin > CONTEST_NANOS) {
                        throw new Refusal(Refusal.Reason.BUSY, "other nodes change the configuration all the time");
                    }
                }
            }
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

    private Outcome attempt(boolean dryRun, Edit edit) {
        ConfigState before = state();
        Draft draft = edit.apply(before);
        if (draft.changesNothing()) {
            return new Outcome(before, before, draft.subject(), dryRun);
        }
        ConfigState after = draft.after();
        ActiveConfig.Change change = prepare(draft, after);
        if (dryRun) {
            change.abort();
        } else {
            Version version = store(after, change);
            running.commit(change, new Stored(version, after));
        }
        return new Outcome(before, after, draft.subject(), dryRun);
    }

    private ActiveConfig.Change prepare(Draft draft, ConfigState after) {
        try {
            return running.prepare(after.config());
        } catch (InvalidConfigException e) {
            throw draft.seenFromSubject(e);
        }
    }

    private Version store(ConfigState after, ActiveConfig.Change change) {
        try {
            return store.save(running.known(), after);
        } catch (OvertakenException e) {
            change.abort();
            throw e;
        } catch (RuntimeException | Error e) {
            uncertain = true;
            change.abort();
            log.warn("A change was not stored and not applied: {}", e.getMessage());
            throw e;
        }
    }

    /** Before a change: reads what is stored, if it may be something else. */
    private void catchUp() {
        if (!uncertain && !store.isShared()) {
            return;
        }
        Stored known = running.known();
        Stored stored = look(known);
        if (stored != known) {
            take(stored);
        }
        uncertain = false;
    }

    /** If what is known does not run whole: tries again. If that fails too, the next change may be what helps. */
    private void complete() {
        if (running.failure() != null) {
            running.apply(running.known());
        }
    }

    /**
     * Takes over what another node has stored, or this one without knowing.
     *
     * @throws StoreException if it is nothing: then rather the database was lost than all of the configuration removed
     */
    private void take(Stored stored) {
        long runs = running.known().revision();
        if (stored.revision() == 0 && runs > 0) {
            String reason = "the database is empty, and revision " + runs
                    + " runs here; put the database back, or restart Weir to begin anew";
            running.unable(0, reason);
            throw new StoreException(reason);
        }
        running.apply(stored);
    }
}
