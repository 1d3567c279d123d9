package io.weir.zone;

import io.weir.config.AdminState;
import java.util.List;

/**
 * One tier of a group, primary or backup: its peers in the order of the configuration.
 *
 * <p>The caller holds the zone lock. The object lives as long as its zone, also while it is empty.
 */
public final class PeerGroup {

    private Peer[] peers = {};
    private long totalWeight;
    private int up;

    PeerGroup() {}

    public int size() {
        return peers.length;
    }

    /** The peer at {@code index}, from 0. */
    public Peer peer(int index) {
        return peers[index];
    }

    /** Configured weights of all peers, also of those that are down. */
    public long totalWeight() {
        return totalWeight;
    }

    /** Peers that the operator wants up, whatever their health: how often a request may be tried in this tier. */
    public int tries() {
        return up;
    }

    /** The peers as they are now; never changed afterwards. */
    Peer[] peers() {
        return peers;
    }

    /** Takes the peers of a new configuration, which have been configured already. */
    void become(List<Peer> next) {
        peers = next.toArray(Peer[]::new);
        totalWeight = 0;
        up = 0;
        for (Peer peer : peers) {
            totalWeight += peer.weight();
            up += peer.adminState() == AdminState.UP ? 1 : 0;
        }
    }
}
