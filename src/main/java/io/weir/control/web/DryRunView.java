package io.weir.control.web;

import io.swagger.v3.oas.annotations.media.Schema;
import io.weir.control.change.Outcome;
import io.weir.control.state.ResourceChange;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What a write would change. */
@Schema(name = "DryRun", description = "What a write with dryRun=true would change. An invalid one is refused as ever.")
public record DryRunView(boolean valid, List<Change> changes, Map<String, Object> forecast, List<String> warnings) {

    /** A resource that would be added, changed or removed. */
    @Schema(name = "DryRunChange")
    public record Change(
            @Schema(allowableValues = {"added", "changed", "removed"})
            String action,

            String resource) {

        static Change of(ResourceChange change) {
            return new Change(
                    change.action().name().toLowerCase(Locale.ROOT),
                    change.resource().path());
        }
    }

    static DryRunView of(Outcome outcome) {
        return new DryRunView(true, outcome.changes().stream().map(Change::of).toList(), Map.of(), List.of());
    }
}
