package io.weir.control.change;

import io.weir.control.state.ConfigState;
import io.weir.control.state.Resource;
import io.weir.control.state.ResourceChange;
import java.util.List;

/**
 * What a write did, or would do if it was a dry run.
 *
 * @param after the same object as {@code before} if it changed nothing
 * @param subject what the request was about
 */
public record Outcome(ConfigState before, ConfigState after, Resource subject, boolean dryRun) {

    public boolean created() {
        return before.revision(subject) == null && after.revision(subject) != null;
    }

    public List<ResourceChange> changes() {
        return ResourceChange.between(before, after);
    }
}
