package io.weir.control.change;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a client wants a write to be done.
 *
 * @param dryRun check it and tell what it would change, without doing so
 * @param patience how long to wait until all nodes have it; null for not at all
 */
public record Write(
        boolean dryRun, Precondition precondition, @Nullable Duration patience) {

    public static final Write NOW = new Write(false, Precondition.NONE, null);
}
