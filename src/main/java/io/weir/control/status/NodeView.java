package io.weir.control.status;

import io.swagger.v3.oas.annotations.media.Schema;
import io.weir.control.node.Node;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A node on the same database. */
@Schema(name = "Node")
record NodeView(
        @Schema(description = "Random, another one after each start.")
        String id,

        @Schema(description = "weir.node.name, or the name of the host.")
        String name,

        String version,

        @Schema(description = "Whether this is the node that answers.")
        boolean self,

        @Schema(
                description =
                        "Whether it has told of itself within 5 seconds. While the database is down no other node can.")
        boolean live,

        @Schema(description = "Of the configuration that runs there.")
        long revision,

        @Schema(description = "Why it could not apply what is stored; null if it could.", nullable = true) @Nullable
        FailureView failure,

        Instant startedAt,

        @Schema(description = "When it told of itself last, by the clock of the database.")
        Instant lastSeen) {

    static NodeView of(Node node, boolean self, boolean live, Instant lastSeen) {
        return new NodeView(
                node.id(),
                node.name(),
                node.version(),
                self,
                live,
                node.revision(),
                FailureView.of(node.failure()),
                node.startedAt(),
                lastSeen);
    }
}
