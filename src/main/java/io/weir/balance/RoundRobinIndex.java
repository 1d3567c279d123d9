package io.weir.balance;

import io.weir.config.ServerConfig;
import io.weir.zone.Peer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Round robin of a large tier: the picks of {@link RoundRobin#among}, without looking at all peers. */
final class RoundRobinIndex extends SteadyIndex {

    /** All are equally good. */
    private static final long ONLY = 0;

    RoundRobinIndex(List<Peer> peers, List<ServerConfig> servers) {
        super(peers, servers);
    }

    @Override
    long load(int conns, int weight) {
        return ONLY;
    }

    @Nullable
    Peer select(Selection selection) {
        open(selection);
        Peer best = round(selection, ONLY, null);
        close(selection);
        return best;
    }

    /** A round that a bound request takes from its peer. */
    void bound(Peer peer, Selection selection) {
        open(selection);
        round(selection, ONLY, peer);
        close(selection);
    }
}
