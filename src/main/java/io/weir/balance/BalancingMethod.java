package io.weir.balance;

import io.weir.zone.Peer;
import io.weir.zone.PeerGroup;
import org.jspecify.annotations.Nullable;

/**
 * How a peer is chosen: looks at all peers of one tier, chooses, changes weights, and does nothing else.
 *
 * <p>The caller holds the zone lock, so an implementation is single-threaded code. It never blocks, reads no clock, and
 * allocates nothing. It is not asked for a group with a single peer, and moving on to the backup tier is not its affair.
 */
public interface BalancingMethod {

    /**
     * Chooses among the peers that are eligible.
     *
     * @return null if nobody is; that is ordinary
     */
    @Nullable
    Peer select(PeerGroup group, Selection selection);
}
