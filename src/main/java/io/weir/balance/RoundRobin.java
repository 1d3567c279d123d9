package io.weir.balance;

import io.weir.config.ServerConfig;
import io.weir.zone.Peer;
import io.weir.zone.PeerGroup;
import io.weir.zone.PeerIndex;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Smooth weighted round robin, the default: over any round of as many picks as the weights add up to, each peer gets
 * exactly its weight, and a heavy peer's turns lie as far apart as they can.
 *
 * <p>Example: weights 5, 1 and 1 give a a b a c a a.
 *
 * <p>Caller holds the zone lock. Never blocks, reads no clock. O(peers) in a small group, O(log peers) in a large one.
 *
 * @see <a href="https://nginx.org/en/docs/http/ngx_http_upstream_module.html#upstream">nginx: upstream</a>
 */
final class RoundRobin implements BalancingMethod {

    static RoundRobin create(Arguments arguments) {
        arguments.end();
        return new RoundRobin();
    }

    @Override
    public List<PeerIndex> indexes(List<Peer> peers, List<ServerConfig> servers, PeerGroup before) {
        return peers.size() < SteadyIndex.LEAST_PEERS ? List.of() : List.of(new RoundRobinIndex(peers, servers));
    }

    @Override
    public @Nullable Peer select(PeerGroup group, Selection selection) {
        RoundRobinIndex index = group.index(RoundRobinIndex.class);
        return index == null ? among(group.peers(), selection) : index.select(selection);
    }

    /**
     * A bound request costs its peer a turn, so that unbound ones go elsewhere meanwhile; but never more than one round.
     */
    @Override
    public void bound(PeerGroup group, Peer peer, Selection selection) {
        if (peer.currentWeight() <= peer.weight() - group.totalWeight()) {
            return;
        }
        RoundRobinIndex index = group.index(RoundRobinIndex.class);
        if (index == null) {
            round(group.peers(), selection, peer);
        } else {
            index.bound(peer, selection);
        }
    }

    /** The next of some peers of a tier, which take turns among themselves. */
    static @Nullable Peer among(Peer[] peers, Selection selection) {
        return round(peers, selection, null);
    }

    // Each eligible peer gains its effective weight; the greatest sum wins, the first of equals; the winner pays what
    // all gained, unless a bound one does. The sums of those who take part thus always add up to the same, and nobody's
    // drifts away.
    private static @Nullable Peer round(Peer[] peers, Selection selection, @Nullable Peer payer) {
        Peer best = null;
        long total = 0;
        for (Peer peer : peers) {
            if (!selection.isEligible(peer)) {
                continue;
            }
            total += peer.gainWeight(selection.now());
            if (best == null || peer.currentWeight() > best.currentWeight()) {
                best = peer;
            }
        }
        Peer pays = payer == null ? best : payer;
        if (pays != null) {
            pays.payWeight(total);
        }
        return best;
    }
}
