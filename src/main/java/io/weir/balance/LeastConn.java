package io.weir.balance;

import io.weir.config.ServerConfig;
import io.weir.zone.Peer;
import io.weir.zone.PeerGroup;
import io.weir.zone.PeerIndex;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Least connections: the eligible peer with the fewest connections per unit of weight; ties by smooth round robin.
 *
 * <p>Example: a has weight 1 and 2 connections, b has weight 2 and 3 connections: b is next, since 3/2 &lt; 2/1.
 *
 * <p>Caller holds the zone lock. Never blocks, reads no clock. O(peers) in a small group, O(log peers) in a large one.
 *
 * @see <a href="https://nginx.org/en/docs/http/ngx_http_upstream_module.html#least_conn">least_conn</a>
 */
final class LeastConn implements BalancingMethod {

    static LeastConn create(Arguments arguments) {
        arguments.end();
        return new LeastConn();
    }

    @Override
    public List<PeerIndex> indexes(List<Peer> peers, List<ServerConfig> servers, PeerGroup before) {
        return peers.size() < SteadyIndex.LEAST_PEERS ? List.of() : List.of(new LeastConnIndex(peers, servers));
    }

    @Override
    public @Nullable Peer select(PeerGroup group, Selection selection) {
        LeastConnIndex index = group.index(LeastConnIndex.class);
        return index == null ? among(group, selection) : index.select(selection);
    }

    private static @Nullable Peer among(PeerGroup group, Selection selection) {
        long now = selection.now();
        Peer least = null;
        int leastIndex = 0;
        boolean tie = false;
        for (int i = 0; i < group.size(); i++) {
            Peer peer = group.peer(i);
            if (!selection.isEligible(peer)) {
                continue;
            }
            long order = least == null ? -1 : compareLoad(peer, least, now);
            if (order < 0) {
                least = peer;
                leastIndex = i;
                tie = false;
            } else if (order == 0) {
                tie = true;
            }
        }
        return least != null && tie ? Ties.choose(group, selection, leastIndex, least, LeastConn::compareLoad) : least;
    }

    /** Compares a.conns / a.weight with b.conns / b.weight, without dividing. */
    static long compareLoad(Peer a, Peer b, long now) {
        return (long) a.conns() * b.ceiling(now) - (long) b.conns() * a.ceiling(now);
    }
}
