package io.weir.control.status;

import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What this node is and does. */
@Schema(name = "Status")
record StatusView(
        @Schema(description = "The name of this node: weir.node.name, or that of the host.")
        String node,

        @Schema(description = "Random, another one after each start.")
        String id,

        String version,
        Instant startedAt,

        @Schema(description = "Of the configuration that runs.")
        long revision,

        @Schema(description = "Of the configuration that is stored, as far as this node knows.")
        long storedRevision,

        @Schema(description = "Why it could not apply what is stored; null if it could.", nullable = true) @Nullable
        FailureView failure,

        @Schema(
                description = "Whether changes can be stored now.",
                allowableValues = {"up", "down"})
        String store,

        @Schema(description = "Why they cannot; null if they can.", nullable = true) @Nullable
        Down storeDown,

        Counts counts,
        @Schema(description = "Those that run.") List<Listener> listeners) {

    /** The database does not work. */
    @Schema(name = "StatusStoreDown")
    record Down(Instant since, String reason) {}

    /** How many of each there are. */
    @Schema(name = "StatusCounts")
    record Counts(int upstreams, int servers, int listeners, int routes) {}

    /** A listener that runs. */
    @Schema(name = "StatusListener")
    record Listener(
            String name,

            @Schema(allowableValues = {"http", "tcp", "udp"})
            String protocol,

            String bind,
            int port) {}
}
