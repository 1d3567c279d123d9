package io.weir.control.status;

import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import java.util.List;

/** What this node is and does. */
@Schema(name = "Status")
record StatusView(
        @Schema(description = "The name of this host.") String node,
        String version,
        Instant startedAt,

        @Schema(description = "Of the configuration that runs.")
        long revision,

        @Schema(
                description = "Whether changes can be stored now.",
                allowableValues = {"up", "down"})
        String store,

        Counts counts,
        @Schema(description = "Those that run.") List<Listener> listeners) {

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
