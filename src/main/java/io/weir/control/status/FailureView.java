package io.weir.control.status;

import io.swagger.v3.oas.annotations.media.Schema;
import io.weir.control.node.NotApplied;
import org.jspecify.annotations.Nullable;

/** That a node could not apply what is stored. It is tried again. */
@Schema(name = "NotApplied")
record FailureView(
        @Schema(description = "That it could not apply.") long revision, String reason) {

    static @Nullable FailureView of(@Nullable NotApplied failure) {
        return failure == null ? null : new FailureView(failure.revision(), failure.reason());
    }
}
