package io.weir.control.change;

import io.weir.config.ActiveConfig;
import io.weir.config.IncompleteCommitException;
import io.weir.config.InvalidConfigException;
import io.weir.config.ProxyConfig;
import io.weir.control.node.Nodes;
import io.weir.control.node.NotApplied;
import io.weir.control.store.LastGood;
import io.weir.control.store.Stored;
import io.weir.upstream.Upstreams;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * What is stored, as far as this node knows, and whether it runs here. What runs is kept for the next start, and told to the
 * other nodes.
 *
 * <p>Read on every thread without a lock; changed by one thread at a time, which {@link Configuration} sees to.
 */
@Component
class Running {

    private static final Logger log = LoggerFactory.getLogger(Running.class);

    private final ActiveConfig active;
    private final Upstreams upstreams;
    private final Nodes nodes;
    private final LastGood lastGood;
    private final AtomicLong failures = new AtomicLong();

    private volatile Stored known = Stored.NOTHING;
    private volatile boolean loaded;
    private volatile @Nullable NotApplied failure;
    private volatile Runnable onChange = () -> {};

    Running(ActiveConfig active, Upstreams upstreams, Nodes nodes, LastGood lastGood) {
        this.active = active;
        this.upstreams = upstreams;
        this.nodes = nodes;
        this.lastGood = lastGood;
    }

    /** What is stored; it runs, unless {@link #failure} says otherwise. */
    Stored known() {
        return known;
    }

    /** Whether {@link #known} was ever taken from the database or from the disk, rather than being nothing yet. */
    boolean isLoaded() {
        return loaded;
    }

    /** Why what is stored does not run here, null if it does. */
    @Nullable
    NotApplied failure() {
        return failure;
    }

    /** How often that was found, each new try included. */
    long failures() {
        return failures.get();
    }

    /** Whom to call when something else runs, or could not; briefly. */
    void onChange(Runnable listener) {
        onChange = listener;
    }

    /**
     * Gets ready for a configuration.
     *
     * @throws InvalidConfigException if it cannot run here
     */
    ActiveConfig.Change prepare(ProxyConfig next) {
        return active.prepare(next);
    }

    /**
     * Makes {@code stored} known and runs it. Names that do not resolve are no reason to refuse what is stored.
     *
     * @throws InvalidConfigException if it cannot run here; nothing has changed then
     * @throws IncompleteCommitException if some of it does not run
     */
    void begin(Stored stored) {
        upstreams.lenient(() -> commit(prepare(stored.state().config()), stored));
        ProxyConfig runs = active.current();
        log.info(
                "Configuration revision {} runs: {} upstream groups, {} listeners",
                runs.revision(),
                runs.upstreams().size(),
                runs.listeners().size());
    }

    /** Makes {@code stored} known and runs it if it can run here; if not, what ran goes on. */
    void apply(Stored stored) {
        try {
            begin(stored);
        } catch (IncompleteCommitException e) {
            // told, and tried again
        } catch (RuntimeException | Error e) {
            known = stored;
            unable(stored.revision(), String.valueOf(e.getMessage()));
        }
    }

    /**
     * Runs what was prepared and is stored. What is stored is known then, whatever the running side makes of it.
     *
     * @throws IncompleteCommitException if some of it does not run
     */
    void commit(ActiveConfig.Change change, Stored stored) {
        known = stored;
        loaded = true;
        try {
            change.commit();
            failure = null;
            lastGood.keep(stored);
        } catch (IncompleteCommitException e) {
            failures.incrementAndGet();
            failure = new NotApplied(stored.revision(), String.valueOf(e.getMessage()));
            log.error("Configuration revision {} is stored and does not run whole", stored.revision(), e);
            throw e;
        } finally {
            tell();
        }
    }

    /** Notes that what is stored cannot run here. */
    void unable(long revision, String reason) {
        failures.incrementAndGet();
        NotApplied next = new NotApplied(revision, reason);
        // once, however often it is tried
        if (!next.equals(failure)) {
            log.error(
                    "Configuration revision {} cannot run here, revision {} goes on: {}",
                    revision,
                    active.current().revision(),
                    reason);
        }
        failure = next;
        tell();
    }

    private void tell() {
        if (nodes.tell(active.current().revision(), failure)) {
            onChange.run();
        }
    }
}
