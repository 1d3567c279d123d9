package io.weir.control.node;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A Weir that runs, as it tells of itself.
 *
 * @param id random, another one after each start
 * @param name as its operator calls it; two may have the same
 * @param version of the program
 * @param startedAt by its own clock
 * @param revision of the configuration that runs there
 * @param failure what it could not apply, null if nothing
 */
public record Node(
        String id,
        String name,
        String version,
        Instant startedAt,
        long revision,
        @Nullable NotApplied failure) {

    /** Whether what runs there is that revision or a later one, whole. */
    public boolean has(long wanted) {
        return revision >= wanted && (failure == null || failure.revision() > wanted);
    }
}
