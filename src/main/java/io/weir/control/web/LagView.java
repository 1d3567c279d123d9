package io.weir.control.web;

import io.swagger.v3.oas.annotations.media.Schema;
import io.weir.control.node.Lag;
import io.weir.control.node.Node;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** That a change is stored and runs here, and had not come to all nodes in time. */
@Schema(
        name = "Lag",
        description = "With wait=applied: the change is stored and runs on this node, and these had it not in time.")
public record LagView(
        @Schema(description = "Of the configuration with the change.")
        long revision,

        String detail,

        @Schema(description = "The nodes that are alive and do not run it yet.")
        List<Missing> missing) {

    /** A node that does not run the change. */
    @Schema(name = "LagNode")
    public record Missing(
            String id,
            String name,

            @Schema(description = "What it runs.") long revision,

            @Schema(description = "Why it could not apply the change; null if it has not tried yet.", nullable = true)
            @Nullable
            String reason) {

        static Missing of(Node node) {
            return new Missing(
                    node.id(),
                    node.name(),
                    node.revision(),
                    node.failure() == null ? null : node.failure().reason());
        }
    }

    static LagView of(Lag lag) {
        String detail = lag.known()
                ? "The change is stored and runs on this node; the nodes listed do not run it yet."
                : "The change is stored and runs on this node; the database has not told since which nodes run it.";
        return new LagView(
                lag.revision(), detail, lag.lacking().stream().map(Missing::of).toList());
    }
}
