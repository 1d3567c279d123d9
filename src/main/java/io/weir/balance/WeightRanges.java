package io.weir.balance;

import io.weir.config.ServerConfig;
import io.weir.zone.Peer;
import io.weir.zone.PeerGroup;
import io.weir.zone.PeerIndex;
import java.util.Arrays;
import java.util.List;

/**
 * The peers of a tier on a line, each as long as its weight, in their order; also those that are down, so that marking one
 * down moves nobody else.
 */
final class WeightRanges implements PeerIndex {

    private final Peer[] peers;

    /** Where the range of each peer ends, not included. */
    private final long[] ends;

    private WeightRanges(Peer[] peers, long[] ends) {
        this.peers = peers;
        this.ends = ends;
    }

    static WeightRanges of(List<Peer> peers, List<ServerConfig> servers) {
        long[] ends = new long[servers.size()];
        long end = 0;
        for (int i = 0; i < ends.length; i++) {
            end += servers.get(i).weight();
            ends[i] = end;
        }
        return new WeightRanges(peers.toArray(Peer[]::new), ends);
    }

    /** Those of a tier that has peers. */
    static WeightRanges of(PeerGroup group) {
        WeightRanges ranges = group.index(WeightRanges.class);
        if (ranges == null) {
            throw new IllegalStateException("the peers came without their index");
        }
        return ranges;
    }

    /** The sum of all weights. */
    long total() {
        return ends[ends.length - 1];
    }

    /** The peer in whose range {@code point} lies, 0 up to the total. */
    Peer at(long point) {
        int found = Arrays.binarySearch(ends, point);
        return peers[found < 0 ? -found - 1 : found + 1];
    }
}
