package io.weir.control.change;

import io.weir.control.node.Lag;
import io.weir.control.state.ConfigState;
import io.weir.control.state.Resource;
import io.weir.control.state.ResourceChange;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a write did, or would do if it was a dry run.
 *
 * @param after the same object as {@code before} if it changed nothing
 * @param subject what the request was about
 * @param lag null unless its client wanted all nodes to have it, and not all have
 */
public record Outcome(
        ConfigState before,
        ConfigState after,
        Resource subject,
        boolean dryRun,
        @Nullable Lag lag) {

    Outcome(ConfigState before, ConfigState after, Resource subject, boolean dryRun) {
        this(before, after, subject, dryRun, null);
    }

    Outcome with(Lag its) {
        return new Outcome(before, after, subject, dryRun, its);
    }

    public boolean created() {
        return before.revision(subject) == null && after.revision(subject) != null;
    }

    public List<ResourceChange> changes() {
        return ResourceChange.between(before, after);
    }
}
