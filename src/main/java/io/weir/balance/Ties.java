package io.weir.balance;

import io.weir.zone.Peer;
import io.weir.zone.PeerGroup;

/** Smooth weighted round robin among the peers that a method finds equally good, as nginx breaks its ties. */
final class Ties {

    /** How a method compares two peers. */
    interface Order {
        /** Negative if {@code a} is better, 0 if both are equally good. */
        long compare(Peer a, Peer b, long now);
    }

    private Ties() {}

    /**
     * Chooses, and changes the weights of those that took part. The caller holds the zone lock.
     *
     * @param start where {@code least} stands in the group; nobody before it is as good
     */
    static Peer choose(PeerGroup group, Selection selection, int start, Peer least, Order order) {
        long now = selection.now();
        Peer best = least;
        long total = least.gainWeight(now);
        for (int i = start + 1; i < group.size(); i++) {
            Peer peer = group.peer(i);
            if (!selection.isEligible(peer) || order.compare(peer, least, now) != 0) {
                continue;
            }
            total += peer.gainWeight(now);
            if (peer.currentWeight() > best.currentWeight()) {
                best = peer;
            }
        }
        best.payWeight(total);
        return best;
    }
}
