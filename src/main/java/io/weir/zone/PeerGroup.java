package io.weir.zone;

import io.weir.config.AdminState;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One tier of a group, primary or backup: its peers in the order of the configuration, and what the balancing method
 * keeps of them.
 *
 * <p>The caller holds the zone lock. The object lives as long as its zone, also while it is empty.
 */
public final class PeerGroup {

    private Peer[] peers = {};
    private PeerIndex[] indexes = {};
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

    /** The index of a kind, or null if the method has made none. Safe without the lock for who makes the next one. */
    public <T extends PeerIndex> @Nullable T index(Class<T> kind) {
        for (PeerIndex index : indexes) {
            if (kind.isInstance(index)) {
                return kind.cast(index);
            }
        }
        return null;
    }

    /** The peers in order; not to be written to, and never changed afterwards. */
    public Peer[] peers() {
        return peers;
    }

    void changed(Peer peer) {
        for (PeerIndex index : indexes) {
            index.changed(peer);
        }
    }

    /** Takes back from the indexes what they kept for the peers, which are about to be configured. */
    void leave() {
        for (PeerIndex index : indexes) {
            index.end();
        }
        indexes = new PeerIndex[0];
        for (Peer peer : peers) {
            peer.place(null, -1);
        }
    }

    /** Takes the peers of a new configuration, which have been configured already. */
    void become(List<Peer> next, List<PeerIndex> nextIndexes) {
        peers = next.toArray(Peer[]::new);
        totalWeight = 0;
        up = 0;
        for (int i = 0; i < peers.length; i++) {
            Peer peer = peers[i];
            peer.place(this, i);
            totalWeight += peer.weight();
            up += peer.adminState() == AdminState.UP ? 1 : 0;
        }
        indexes = nextIndexes.toArray(PeerIndex[]::new);
        for (PeerIndex index : indexes) {
            index.begin(this);
        }
    }
}
