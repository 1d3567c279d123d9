package io.weir.balance;

import io.weir.config.ServerConfig;
import io.weir.zone.Peer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Least connections of a large tier: the picks of {@link LeastConn}, without looking at all peers. */
final class LeastConnIndex extends SteadyIndex {

    LeastConnIndex(List<Peer> peers, List<ServerConfig> servers) {
        super(peers, servers);
    }

    /**
     * Connections per weight, as the bits of a quotient; of numbers that are not negative these have the same order. Exact
     * as far as it matters: two quotients differ by more than a rounding while connections times weight stay below 2^52.
     */
    @Override
    long load(int conns, int weight) {
        return Double.doubleToRawLongBits((double) conns / weight);
    }

    @Nullable
    Peer select(Selection selection) {
        open(selection);
        Peer best = least(selection);
        close(selection);
        return best;
    }

    // One alone with the least load gains nothing and pays nothing.
    private @Nullable Peer least(Selection selection) {
        long least = leastSteadyLoad();
        Peer only = null;
        boolean tie = least != Tournament.NOBODY && isSteadyTie();
        for (int i = 0; i < watchedCount(); i++) {
            Peer peer = watched(i);
            if (!selection.isEligible(peer)) {
                continue;
            }
            long load = load(peer.conns(), peer.ceiling(selection.now()));
            if (load < least) {
                least = load;
                only = peer;
                tie = false;
            } else if (load == least) {
                tie = true;
            }
        }
        if (tie) {
            return round(selection, least, null);
        }
        return only != null ? only : bestSteady();
    }
}
