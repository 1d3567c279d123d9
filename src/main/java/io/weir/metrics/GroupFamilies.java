package io.weir.metrics;

import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.weir.metrics.Family.Counter;
import io.weir.metrics.Family.Gauge;
import io.weir.zone.GroupTotals;
import io.weir.zone.PeerSnapshot;
import io.weir.zone.PeerState;
import io.weir.zone.ZoneSnapshot;
import java.util.List;
import java.util.stream.Stream;

/** The families of one scrape that have a series, or several, for each upstream group, whatever its protocol. */
final class GroupFamilies {

    private static final List<String> LEVELS = List.of("full", "compact");

    private final Gauge peers = new Gauge("weir_group_peers", "Peers by state.");
    private final Gauge eligible = new Gauge(
            "weir_group_peers_eligible",
            "Peers that a new request or session could go to now; 0 in both roles is an outage.");
    private final Counter retries =
            new Counter("weir_group_retries", "Requests or sessions that moved on to another peer, by how they ended.");
    private final Counter noPeer =
            new Counter("weir_group_no_peer", "Requests or sessions that were refused because no peer was eligible.");
    private final Gauge zombies =
            new Gauge("weir_group_zombies", "Peers that were removed and still have attempts in progress.");
    private final Gauge revision = new Gauge("weir_group_revision", "Revision of the configuration that is applied.");
    private final Gauge level =
            new Gauge("weir_metrics_level", "How much is told about the peers of the group; exactly one is 1.");

    void add(ZoneSnapshot zone, boolean full) {
        Labels labels = Labels.of("group", zone.group());
        for (PeerState state : PeerState.values()) {
            long count = zone.peers().stream().filter(p -> p.state() == state).count();
            peers.add(labels.add("state", PeerFamilies.text(state)), count);
        }
        eligible.add(labels.add("role", "primary"), eligible(zone, false));
        eligible.add(labels.add("role", "backup"), eligible(zone, true));
        zombies.add(labels, zone.zombies());
        revision.add(labels, zone.revision());
        level.addState(labels, "level", LEVELS, full ? "full" : "compact");
        addTotals(labels, zone.totals());
    }

    private static long eligible(ZoneSnapshot zone, boolean backup) {
        return zone.peers().stream()
                .filter(p -> p.backup() == backup)
                .filter(PeerSnapshot::eligible)
                .count();
    }

    private void addTotals(Labels labels, GroupTotals totals) {
        retries.add(labels.add("outcome", "success"), totals.retriesSucceeded());
        retries.add(labels.add("outcome", "exhausted"), totals.retriesExhausted());
        noPeer.add(labels, totals.noPeer());
    }

    Stream<MetricSnapshot> snapshots() {
        return Stream.of(peers, eligible, retries, noPeer, zombies, revision, level)
                .map(Family::snapshot);
    }
}
