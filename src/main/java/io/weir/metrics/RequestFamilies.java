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

/** The families of one scrape that are about requests and responses: of groups of HTTP servers and their peers. */
final class RequestFamilies {

    private final Counter peerRequests =
            new Counter("weir_peer_requests", "Attempts sent to the peer; a retried request counts at each peer.");
    private final Counter peerResponses =
            new Counter("weir_peer_responses", "Response heads received, by status class.");
    private final Gauge peerActive = new Gauge("weir_peer_requests_active", "Attempts in progress.");
    private final Histogram peerDuration = new Histogram(
            "weir_peer_response_duration_seconds", "Time from the begin of an attempt to the end of its response.");
    private final Summary timeToHeader =
            new Summary("weir_peer_time_to_header_seconds", "Time from the begin of an attempt to its response head.");
    private final Counter groupRequests =
            new Counter("weir_group_requests", "Requests as clients saw them, by status class.");
    private final Histogram groupDuration =
            new Histogram("weir_group_request_duration_seconds", "Time of requests as clients saw it.");
    private final Gauge keepalive =
            new Gauge("weir_group_keepalive_connections", "Idle connections in the keepalive cache.");

    /** Adds a group and its peers, each with the labels at its index; {@code full} with histograms of peers. */
    void add(ZoneSnapshot zone, List<Labels> all, boolean full) {
        for (int i = 0; i < all.size(); i++) {
            PeerSnapshot peer = zone.peers().get(i);
            PeerTotals totals = peer.totals();
            Labels labels = all.get(i);
            peerRequests.add(labels, totals.requests());
            peerResponses.addClasses(labels, totals.responses());
            peerActive.add(labels, peer.conns());
            timeToHeader.add(labels, totals.headers(), totals.headerNanos());
            if (full) {
                peerDuration.add(labels, totals.responseTimes());
            }
        }
        Labels labels = Labels.of("group", zone.group());
        GroupTotals totals = zone.totals();
        groupRequests.addClasses(labels, totals.requests());
        groupDuration.add(labels, totals.durations());
        keepalive.add(labels, zone.idle());
    }

    Stream<MetricSnapshot> snapshots() {
        return Stream.of(
                        peerRequests,
                        peerResponses,
                        peerActive,
                        peerDuration,
                        timeToHeader,
                        groupRequests,
                        groupDuration,
                        keepalive)
                .map(Family::snapshot);
    }
}
