package io.weir.zone;

import io.weir.config.GroupProtocol;
import java.util.List;

/**
 * A group as it was at one moment. Peers are read a few at a time, so two of them may be some microseconds apart.
 *
 * @param protocol of the group: what attempts at its peers are
 * @param takenNanos when, by the zone's ticker; ages of peers count back from it
 * @param revision of the configuration that it follows
 * @param single whether it is one primary and nothing else, which is never taken out
 * @param peers primaries, then backups, each in the order of the configuration
 * @param zombies peers that were removed and still have attempts in progress
 */
public record ZoneSnapshot(
        String group,
        GroupProtocol protocol,
        long takenNanos,
        long revision,
        boolean single,
        List<PeerSnapshot> peers,
        int zombies,
        GroupTotals totals) {

    public ZoneSnapshot {
        peers = List.copyOf(peers);
    }

    /** Cached connections of all peers. */
    public int idle() {
        return peers.stream().mapToInt(PeerSnapshot::idle).sum();
    }
}
