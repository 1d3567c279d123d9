package io.weir.control.upstream;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.swagger.v3.oas.annotations.media.Schema;
import io.weir.config.GroupProtocol;
import io.weir.zone.Counts;
import io.weir.zone.FailureReason;
import io.weir.zone.PeerReason;
import io.weir.zone.PeerSnapshot;
import io.weir.zone.PeerTotals;
import io.weir.zone.StatusClass;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A peer as the API shows it. */
@Schema(name = "Peer", description = "One address of a server: its state and what it has done, as this node sees it.")
record PeerView(
        @Schema(description = "The id of its server.") int id,

        @Schema(description = "The address of its server as it was configured.")
        String server,

        @Schema(description = "The address that requests are sent to.")
        String address,

        boolean backup,

        @Schema(
                description = "What the operator wants.",
                allowableValues = {"up", "down", "drain"})
        String adminState,

        @Schema(allowableValues = {"up", "draining", "down", "unavail", "checking", "unhealthy"})
        String state,

        @Schema(description = "Whether the next request could be sent there.")
        boolean eligible,

        @Schema(description = "Why not, or why less than its weight.")
        List<PeerReason> reasons,

        @JsonInclude(JsonInclude.Include.ALWAYS)
        @Schema(description = "How much of slowStart has passed, while the reasons have WARMING; otherwise null.")
        @Nullable
        Integer warmedPercent,

        int weight,

        @Schema(description = "After failures and slow start.")
        int effectiveWeight,

        @Schema(description = "The running sum of weighted round robin.")
        long currentWeight,

        @Schema(description = "Requests or sessions in progress.")
        int conns,

        @Schema(description = "Their limit, 0 for none.") int maxConns,

        @Schema(description = "Failures counted towards maxFails now.")
        int fails,

        @Schema(description = "Cached connections.") int idle,

        @Schema(description = "Attempts sent to it since it was added: requests, or the sessions of a stream group.")
        long requests,

        @JsonInclude(JsonInclude.Include.NON_NULL)
        @Schema(description = "http: responses by class.", example = "{\"2xx\": 17}")
        @Nullable
        Map<String, Long> responses,

        @Schema(description = "Failures by reason.", example = "{\"connect\": 1}")
        Map<String, Long> failures,

        @Schema(description = "How often failures took it out.")
        long unavailable,

        @JsonInclude(JsonInclude.Include.ALWAYS) @Schema(description = "Until when failures keep it out.") @Nullable
        Instant unavailUntil,

        @JsonInclude(JsonInclude.Include.ALWAYS) @Schema(description = "When it was picked last.") @Nullable
        Instant selectedAt,

        @Schema(description = "When its state changed last.")
        Instant stateSince,

        Bytes bytes,
        PeerTimesView times) {

    /** What went through. */
    @Schema(name = "PeerBytes")
    record Bytes(long sent, long received) {}

    /**
     * @param protocol of the group
     * @param now the wall-clock time of the snapshot
     */
    static PeerView of(PeerSnapshot peer, GroupProtocol protocol, Instant now) {
        PeerTotals totals = peer.totals();
        return new PeerView(
                peer.id(),
                peer.server(),
                peer.address(),
                peer.backup(),
                lower(peer.adminState()),
                lower(peer.state()),
                peer.eligible(),
                peer.reasons().stream().sorted().toList(),
                peer.warmedPercent() < 0 ? null : peer.warmedPercent(),
                peer.weight(),
                peer.effectiveWeight(),
                peer.currentWeight(),
                peer.conns(),
                peer.maxConns(),
                peer.fails(),
                peer.idle(),
                totals.requests(),
                protocol == GroupProtocol.HTTP ? responses(totals.responses()) : null,
                failures(totals),
                totals.unavailable(),
                peer.unavailableForNanos() > 0 ? moment(now, peer.unavailableForNanos()) : null,
                peer.selectedAgoNanos() >= 0 ? moment(now, -peer.selectedAgoNanos()) : null,
                moment(now, -peer.stateChangedAgoNanos()),
                new Bytes(totals.sentBytes(), totals.receivedBytes()),
                PeerTimesView.of(totals, protocol));
    }

    private static Instant moment(Instant now, long nanos) {
        return now.plusNanos(nanos).truncatedTo(ChronoUnit.MILLIS);
    }

    private static String lower(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    private static Map<String, Long> responses(Counts counts) {
        Map<String, Long> responses = new LinkedHashMap<>();
        for (int i = 0; i < counts.size(); i++) {
            responses.put(StatusClass.text(i), counts.get(i));
        }
        return responses;
    }

    private static Map<String, Long> failures(PeerTotals totals) {
        Map<String, Long> failures = new LinkedHashMap<>();
        for (FailureReason reason : FailureReason.values()) {
            failures.put(lower(reason), totals.failures(reason));
        }
        return failures;
    }
}
