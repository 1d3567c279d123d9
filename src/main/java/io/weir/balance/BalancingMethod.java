package io.weir.balance;

import io.weir.config.Checks;
import io.weir.config.ServerConfig;
import io.weir.zone.Peer;
import io.weir.zone.PeerGroup;
import io.weir.zone.PeerIndex;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a peer is chosen: looks at the peers of one tier, chooses, changes weights, and does nothing else.
 *
 * <p>In {@link #select} and {@link #bound} the caller holds the zone lock, so they are single-threaded code. They never
 * block, read no clock, and allocate next to nothing. A method is not asked for a group with a single peer, and moving on
 * to the backup tier is not its affair.
 */
public interface BalancingMethod {

    /** Tells of servers that the method cannot have in its group; fields are {@code servers[1].backup} and the like. */
    default void check(List<ServerConfig> servers, Checks checks) {}

    /**
     * Makes what it wants to keep of the peers of a tier; on a control thread, without the lock. See
     * {@link PeerIndex.Maker#make}.
     */
    default List<PeerIndex> indexes(List<Peer> peers, List<ServerConfig> servers, PeerGroup before) {
        return List.of();
    }

    /**
     * A request begins: takes from it what the method needs. On the thread of the request, without the lock, except if the
     * method has just changed.
     */
    default void begin(Selection selection) {}

    /**
     * Chooses among the peers that are eligible.
     *
     * @return null if nobody is; that is ordinary
     */
    @Nullable
    Peer select(PeerGroup group, Selection selection);

    /** Affinity has chosen in place of the method, which may let that count. The caller holds the lock. */
    default void bound(PeerGroup group, Peer peer, Selection selection) {}

    /** An attempt begins at a peer that this method, or affinity in its place, has chosen. The caller holds the lock. */
    default void begun(Peer peer, long now) {}

    /** Whether it wants to be told by {@link #reached} of attempts that get there, for which the lock has to be taken. */
    default boolean watches(Milestone milestone) {
        return false;
    }

    /**
     * An attempt has got to where the method {@link #watches} it. The caller holds the lock.
     *
     * @param nanos since the attempt began
     */
    default void reached(Peer peer, Milestone milestone, long nanos, long now) {}

    /**
     * An attempt that was told by {@link #begun} has ended. The caller holds the lock.
     *
     * @param good whether the response is the one that the client gets
     * @param times of the attempt; means nothing any more when this returns
     */
    default void ended(Peer peer, boolean good, AttemptTimes times, long now) {}
}
