package io.weir.control.upstream;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.swagger.v3.oas.annotations.media.Schema;
import io.weir.config.GroupProtocol;
import io.weir.zone.PeerTotals;
import org.jspecify.annotations.Nullable;

/** How long things took at a peer, as the API shows it. */
@Schema(
        name = "PeerTimes",
        description = "Averages since it was added; null before the first.",
        oneOf = {PeerTimesView.OfRequests.class, PeerTimesView.OfSessions.class})
sealed interface PeerTimesView {

    /** At a peer of an HTTP group. */
    @Schema(
            name = "RequestTimes",
            description = "http: averages since the peer was added; null before the first response.")
    @JsonInclude(JsonInclude.Include.ALWAYS)
    record OfRequests(
            @Schema(description = "To the response head.") @Nullable
            Double headerMillis,

            @Schema(description = "To the end of the response.") @Nullable
            Double responseMillis,

            @Schema(description = "Total time out of rotation, other than by the operator.")
            long downMillis)
            implements PeerTimesView {}

    /** At a peer of a stream group. */
    @Schema(name = "SessionTimes", description = "stream: averages since the peer was added; null before the first.")
    @JsonInclude(JsonInclude.Include.ALWAYS)
    record OfSessions(
            @Schema(description = "To the connection.") @Nullable
            Double connectMillis,

            @Schema(description = "To the first byte from the peer.") @Nullable
            Double firstByteMillis,

            @Schema(description = "To the end of the session, if it got a connection.") @Nullable
            Double sessionMillis,

            @Schema(description = "Total time out of rotation, other than by the operator.")
            long downMillis)
            implements PeerTimesView {}

    double NANOS_PER_MILLI = 1e6;

    static PeerTimesView of(PeerTotals totals, GroupProtocol protocol) {
        Double header = average(totals.headerNanos(), totals.headers());
        Double end = average(
                totals.responseTimes().sumNanos(), totals.responseTimes().count());
        long down = (long) (totals.downNanos() / NANOS_PER_MILLI);
        return protocol == GroupProtocol.HTTP
                ? new OfRequests(header, end, down)
                : new OfSessions(average(totals.connectNanos(), totals.connects()), header, end, down);
    }

    private static @Nullable Double average(long nanos, long count) {
        return count == 0 ? null : Math.round(nanos / NANOS_PER_MILLI / count * 1000) / 1000.0;
    }
}
