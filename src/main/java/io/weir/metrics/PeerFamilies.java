package io.weir.metrics;

import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.weir.config.AdminState;
import io.weir.metrics.Family.Counter;
import io.weir.metrics.Family.Gauge;
import io.weir.metrics.Family.Info;
import io.weir.zone.FailureReason;
import io.weir.zone.PeerSnapshot;
import io.weir.zone.PeerState;
import io.weir.zone.PeerTotals;
import io.weir.zone.ZoneSnapshot;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The families of one scrape that have a series, or several, for each peer, whatever its group's protocol; {@link
 * RequestFamilies} and {@link SessionFamilies} have the rest.
 */
final class PeerFamilies {

    static final List<String> STATES =
            Arrays.stream(PeerState.values()).map(PeerFamilies::text).toList();

    private static final List<String> ADMIN_STATES = List.of("enabled", "draining", "disabled");

    private final Gauge state = new Gauge("weir_peer_state", "State of the peer; exactly one is 1.");
    private final Gauge eligible = new Gauge("weir_peer_eligible", "1 if a new request could go to the peer now.");
    private final Gauge adminState =
            new Gauge("weir_peer_admin_state", "What the operator wants of the peer; exactly one is 1.");
    private final Gauge weight = new Gauge("weir_peer_weight", "Configured weight.");
    private final Gauge weightEffective =
            new Gauge("weir_peer_weight_effective", "Weight after failures and slow start.");
    private final Info info = new Info("weir_peer", "What the peer is; always 1.");
    private final Counter failures =
            new Counter("weir_peer_failures", "Unsuccessful attempts as counted by max_fails, by reason.");
    private final Gauge connections =
            new Gauge("weir_peer_connections", "Connections to the peer: in use, and idle in the keepalive cache.");
    private final Gauge maxConnections =
            new Gauge("weir_peer_max_connections", "Most attempts in progress; 0 for no limit.");
    private final Counter sentBytes = new Counter("weir_peer_sent_bytes", "Bytes sent to the peer.");
    private final Counter receivedBytes = new Counter("weir_peer_received_bytes", "Bytes received from the peer.");
    private final Counter unavailable =
            new Counter("weir_peer_unavailable", "Times that failures took the peer out of rotation.");
    private final Counter downSeconds =
            new Counter("weir_peer_down_seconds", "Time in the states unavail, checking and unhealthy.");
    private final Gauge lastSelected =
            new Gauge("weir_peer_last_selected_timestamp_seconds", "When the peer was picked last; absent if never.");
    private final Gauge stateChange =
            new Gauge("weir_peer_state_change_timestamp_seconds", "When the state of the peer changed last.");

    private final EpochClock clock;

    PeerFamilies(EpochClock clock) {
        this.clock = clock;
    }

    /** Adds all peers of a group, each with the labels at its index; {@code full} with reasons. */
    void add(ZoneSnapshot zone, List<Labels> all, boolean full) {
        for (int i = 0; i < all.size(); i++) {
            PeerSnapshot peer = zone.peers().get(i);
            Labels labels = all.get(i);
            addState(labels, peer);
            info.add(labels.add("role", peer.backup() ? "backup" : "primary").add("zone", zone.group()));
            addTimes(labels, peer, zone.takenNanos());
            addTotals(labels, peer.totals());
            if (full) {
                addDetails(labels, peer.totals());
            }
        }
    }

    /** What tells the peers of a group from all others, in their order. */
    static List<Labels> labels(ZoneSnapshot zone) {
        return names(zone.peers()).stream()
                .map(name -> Labels.of("group", zone.group(), "peer", name))
                .toList();
    }

    /** Addresses; where one is not unique in its group, the id of the server tells its peers apart. */
    static List<String> names(List<PeerSnapshot> peers) {
        Map<String, Integer> addresses = new HashMap<>();
        peers.forEach(peer -> addresses.merge(peer.address(), 1, Integer::sum));
        Map<String, Integer> used = new HashMap<>();
        List<String> names = new ArrayList<>(peers.size());
        for (PeerSnapshot peer : peers) {
            boolean unique = addresses.getOrDefault(peer.address(), 1) == 1;
            String name = unique ? peer.address() : peer.address() + "#" + peer.id();
            // a name server may give one address twice, and two series of one name would break the whole page
            int occurrence = used.merge(name, 1, Integer::sum);
            names.add(occurrence == 1 ? name : name + "." + occurrence);
        }
        return names;
    }

    private void addState(Labels labels, PeerSnapshot peer) {
        state.addState(labels, "state", STATES, text(peer.state()));
        eligible.add(labels, peer.eligible() ? 1 : 0);
        adminState.addState(labels, "state", ADMIN_STATES, text(peer.adminState()));
        weight.add(labels, peer.weight());
        weightEffective.add(labels, peer.effectiveWeight());
        connections.add(labels.add("state", "active"), peer.conns());
        connections.add(labels.add("state", "idle"), peer.idle());
        maxConnections.add(labels, peer.maxConns());
    }

    private void addTimes(Labels labels, PeerSnapshot peer, long takenNanos) {
        if (peer.selectedAgoNanos() >= 0) {
            lastSelected.add(labels, clock.seconds(takenNanos - peer.selectedAgoNanos()));
        }
        stateChange.add(labels, clock.seconds(takenNanos - peer.stateChangedAgoNanos()));
    }

    private void addTotals(Labels labels, PeerTotals totals) {
        sentBytes.add(labels, totals.sentBytes());
        receivedBytes.add(labels, totals.receivedBytes());
        unavailable.add(labels, totals.unavailable());
        downSeconds.add(labels, Family.seconds(totals.downNanos()));
    }

    private void addDetails(Labels labels, PeerTotals totals) {
        for (FailureReason reason : FailureReason.values()) {
            failures.add(labels.add("reason", text(reason)), totals.failures(reason));
        }
    }

    Stream<MetricSnapshot> snapshots() {
        return Stream.of(
                        state,
                        eligible,
                        adminState,
                        weight,
                        weightEffective,
                        info,
                        failures,
                        connections,
                        maxConnections,
                        sentBytes,
                        receivedBytes,
                        unavailable,
                        downSeconds,
                        lastSelected,
                        stateChange)
                .map(Family::snapshot);
    }

    private static String text(AdminState state) {
        return switch (state) {
            case UP -> "enabled";
            case DRAIN -> "draining";
            case DOWN -> "disabled";
        };
    }

    static String text(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
