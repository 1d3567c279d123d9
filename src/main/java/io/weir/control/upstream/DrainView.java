package io.weir.control.upstream;

import io.swagger.v3.oas.annotations.media.Schema;
import io.weir.config.DrainConfig;
import io.weir.control.drain.DrainReport;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A drain as the API shows it. */
@Schema(
        name = "Drain",
        description = "A server's last drain and what is left of it. A request needs no field; with timeout and then it"
                + " says how the drain ends.")
record DrainView(
        @Schema(example = "app", accessMode = Schema.AccessMode.READ_ONLY)
        String upstream,

        @Schema(description = "The id of the server.", example = "1", accessMode = Schema.AccessMode.READ_ONLY)
        int server,

        @Schema(example = "127.0.0.1:9001", accessMode = Schema.AccessMode.READ_ONLY)
        String address,

        @Schema(
                description = "The state of the server now.",
                allowableValues = {"up", "down", "drain", "removed"},
                accessMode = Schema.AccessMode.READ_ONLY)
        String state,

        @Schema(
                description = "After which what is left in progress is cut; without it nothing ever is.",
                example = "5m",
                nullable = true)
        @Nullable
        String timeout,

        @Schema(
                description = "What becomes of the server then.",
                allowableValues = {"keep", "down", "remove"},
                defaultValue = "keep")
        @Nullable
        String then,

        @Schema(description = "When it began.", accessMode = Schema.AccessMode.READ_ONLY) @Nullable
        Instant since,

        @Schema(description = "When its timeout is over.", accessMode = Schema.AccessMode.READ_ONLY) @Nullable
        Instant deadline,

        @Schema(
                description = "Requests and sessions in progress at the server, on this node.",
                accessMode = Schema.AccessMode.READ_ONLY)
        int connections,

        @Schema(
                description = "Begun there since the drain has, on this node: those bound to the server.",
                accessMode = Schema.AccessMode.READ_ONLY)
        @Nullable
        Long requests,

        @Schema(description = "Whether no drain is in progress.", accessMode = Schema.AccessMode.READ_ONLY)
        boolean done,

        @Schema(
                description = "How it has ended.",
                allowableValues = {"drained", "timed_out", "cancelled"},
                accessMode = Schema.AccessMode.READ_ONLY)
        @Nullable
        String result,

        @Schema(accessMode = Schema.AccessMode.READ_ONLY) @Nullable
        Instant endedAt) {

    static DrainView of(DrainReport report) {
        DrainConfig drain = report.drain();
        return new DrainView(
                report.server().upstream(),
                report.server().id(),
                report.address(),
                report.state() == null ? "removed" : word(report.state()),
                drain == null || drain.timeout() == null
                        ? null
                        : drain.timeout().text(),
                drain == null ? null : word(drain.then()),
                drain == null ? null : drain.since(),
                drain == null ? null : drain.deadline(),
                report.conns(),
                report.requests(),
                !report.isInProgress(),
                report.outcome() == null ? null : word(report.outcome()),
                report.endedAt());
    }

    private static String word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
