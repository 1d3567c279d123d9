package io.weir.zone;

import io.weir.config.ServerConfig;
import java.util.List;

/**
 * What a balancing method keeps of the peers of one tier, so that a pick need not look at all of them. It belongs to one
 * set of peers with one set of weights: a changed configuration brings another.
 *
 * <p>Made on a control thread without the lock, where it may take its time; everything else happens under the zone lock.
 */
public interface PeerIndex {

    /** Makes the indexes that a method wants. */
    @FunctionalInterface
    interface Maker {

        /** For methods that look at all peers. */
        Maker NONE = (peers, servers, before) -> List.of();

        /**
         * Makes the indexes of a tier. The caller does not hold the zone lock: of a peer, only its identity may be read.
         *
         * @param peers in order
         * @param servers the server of each peer, as it will be
         * @param before the tier as it is until then, for what can be used again
         */
        List<PeerIndex> make(List<Peer> peers, List<ServerConfig> servers, PeerGroup before);
    }

    /** Takes its place: {@code group} has its peers now, all configured. */
    default void begin(PeerGroup group) {}

    /** Notes that connections, failures or the effective weight of a peer of the tier may have changed. */
    default void changed(Peer peer) {}

    /** Makes way for another; what it kept in the place of a peer goes back to the peer. */
    default void end() {}
}
