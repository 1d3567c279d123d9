package io.weir.control.store;

import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Whether the database works, as its last use has shown. Safe on every thread; asks nobody, so it answers at once.
 *
 * <p>One failure may be that of one connection. So it makes a look at the database due, and only that look decides whether
 * writes are still tried.
 */
@Component
public class StoreHealth {

    private static final Logger log = LoggerFactory.getLogger(StoreHealth.class);

    /**
     * That the database does not work.
     *
     * @param since the first failure
     * @param reason of the last, for people
     * @param certain whether a look at it has found so too
     */
    public record Down(Instant since, String reason, boolean certain) {}

    private volatile @Nullable Down down;
    private volatile Runnable onFailure = () -> {};

    /** Null while it works. */
    public @Nullable Down down() {
        return down;
    }

    /**
     * Refuses what needs the database while it is known not to work.
     *
     * @throws StoreException then, at once
     */
    public void check() {
        Down known = down;
        if (known != null && known.certain()) {
            throw new StoreException(known.reason());
        }
    }

    /** Whom to call when a use has failed, on the thread that it failed on. */
    public void onFailure(Runnable look) {
        onFailure = look;
    }

    /** Somebody has used it with success. */
    public synchronized void worked() {
        Down before = down;
        down = null;
        if (before != null) {
            log.info("The database works again; it was down since {}", before.since());
        }
    }

    /** Somebody has used it, and it failed. */
    void failed(String reason) {
        fail(reason, false);
        onFailure.run();
    }

    /** A look at it has failed. */
    public void lookFailed(String reason) {
        fail(reason, true);
    }

    private synchronized void fail(String reason, boolean certain) {
        Down before = down;
        if (before == null) {
            log.warn("The database does not work: {}", reason);
        }
        down = new Down(
                before == null ? Instant.now() : before.since(), reason, certain || before != null && before.certain());
    }
}
