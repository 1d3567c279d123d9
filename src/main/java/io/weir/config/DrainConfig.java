package io.weir.config;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * That a server is being emptied, and what becomes of it then. It stays with its server after the drain has ended, so that
 * it can be told how, and so that the server can be given back the state that it had.
 *
 * @param then what becomes of the server
 * @param timeout after which what is left is cut, more than 0; null for never
 * @param since when it began, by the wall clock: it goes on through restarts
 * @param before the state of the server when it began
 * @param end null while it is in progress
 */
public record DrainConfig(
        Then then,
        @Nullable TimeSpan timeout,
        Instant since,
        AdminState before,
        @Nullable End end) {

    /** What becomes of the server when its drain has ended. */
    public enum Then {
        /** It stays as it is. */
        KEEP,
        DOWN,
        REMOVE
    }

    /** Why a drain has ended by itself. */
    public enum Result {
        /** Nothing was left in progress. */
        DRAINED,
        /** Its time was over, and what was left was cut. */
        TIMED_OUT
    }

    /** That a drain has ended. */
    public record End(Result result, Instant at) {}

    public DrainConfig {
        new Checks()
                .check(
                        timeout == null || !timeout.isZero(),
                        "timeout",
                        "must be more than 0; without it a drain may take any time")
                .done();
    }

    public boolean isInProgress() {
        return end == null;
    }

    /** When what is left is cut; null for never. */
    public @Nullable Instant deadline() {
        return timeout == null ? null : since.plus(timeout.value());
    }

    public DrainConfig ended(Result result, Instant at) {
        return new DrainConfig(then, timeout, since, before, new End(result, at));
    }
}
