package io.weir.metrics;

import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.weir.metrics.Family.Counter;
import io.weir.metrics.Family.Gauge;
import io.weir.metrics.Family.Histogram;
import io.weir.metrics.Family.Summary;
import io.weir.zone.GroupTotals;
import io.weir.zone.PeerSnapshot;
import io.weir.zone.PeerTotals;
import io.weir.zone.ZoneSnapshot;
import java.util.List;
import java.util.stream.Stream;

/** The families of one scrape that are about sessions of streams: of groups of their servers and the peers there. */
final class SessionFamilies {

    private final Counter peerSessions =
            new Counter("weir_stream_peer_sessions", "Attempts at the peer; a retried session counts at each peer.");
    private final Gauge peerActive = new Gauge("weir_stream_peer_sessions_active", "Sessions in progress.");
    private final Summary connectTime = new Summary(
            "weir_stream_peer_connect_time_seconds", "Time from the begin of an attempt to its connection.");
    private final Summary timeToFirstByte = new Summary(
            "weir_stream_peer_time_to_first_byte_seconds",
            "Time from the begin of an attempt to the first byte from the peer.");
    private final Histogram peerDuration = new Histogram(
            "weir_stream_peer_session_duration_seconds",
            "Time from the begin of an attempt that got a connection to the end of its session.");
    private final Counter groupSessions =
            new Counter("weir_stream_group_sessions", "Sessions that came to the group, by status class.");
    private final Histogram groupDuration =
            new Histogram("weir_stream_group_session_duration_seconds", "Time of sessions as clients saw it.");

    /** Adds a group and its peers, each with the labels at its index; {@code full} with histograms of peers. */
    void add(ZoneSnapshot zone, List<Labels> all, boolean full) {
        for (int i = 0; i < all.size(); i++) {
            PeerSnapshot peer = zone.peers().get(i);
            PeerTotals totals = peer.totals();
            Labels labels = all.get(i);
            peerSessions.add(labels, totals.requests());
            peerActive.add(labels, peer.conns());
            connectTime.add(labels, totals.connects(), totals.connectNanos());
            timeToFirstByte.add(labels, totals.headers(), totals.headerNanos());
            if (full) {
                peerDuration.add(labels, totals.responseTimes());
            }
        }
        Labels labels = Labels.of("group", zone.group());
        GroupTotals totals = zone.totals();
        groupSessions.addClasses(labels, totals.requests());
        groupDuration.add(labels, totals.durations());
    }

    Stream<MetricSnapshot> snapshots() {
        return Stream.of(
                        peerSessions,
                        peerActive,
                        connectTime,
                        timeToFirstByte,
                        peerDuration,
                        groupSessions,
                        groupDuration)
                .map(Family::snapshot);
    }
}
