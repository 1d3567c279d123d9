package io.weir.balance;

import io.weir.config.Checks;
import io.weir.config.ServerConfig;
import io.weir.zone.Peer;
import io.weir.zone.PeerGroup;
import io.weir.zone.PeerIndex;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What hash, ip_hash and random have in common: they propose one peer after another until one is eligible. A request
 * whose proposals were turned down more than 20 times, over all its attempts, goes on by round robin; so does one in a
 * tier of fewer than two peers.
 *
 * <p>They take no backup servers and no slow_start, as in nginx.
 */
abstract class Probing implements BalancingMethod {

    /** What a request remembers of its proposals. */
    static class Probes {

        /** nginx's number: enough that it is seldom reached unless most peers are out. */
        private static final int MOST = 20;

        private int rejected;

        /** Whether there may be no more proposals. */
        final boolean areSpent() {
            return rejected > MOST;
        }

        /** Counts a proposal that was turned down; true if it was the last. */
        final boolean reject() {
            rejected++;
            return areSpent();
        }
    }

    private final RoundRobin roundRobin = new RoundRobin();
    private final String name;

    /** @param name of the method, as an operator calls it */
    Probing(String name) {
        this.name = name;
    }

    @Override
    public void check(List<ServerConfig> servers, Checks checks) {
        for (int i = 0; i < servers.size(); i++) {
            ServerConfig server = servers.get(i);
            String at = "servers[" + i + "].";
            checks.check(!server.backup(), at + "backup", "cannot be with the balancing method " + name)
                    .check(
                            server.slowStart().isZero(),
                            at + "slowStart",
                            "cannot be with the balancing method " + name);
        }
    }

    @Override
    public List<PeerIndex> indexes(List<Peer> peers, List<ServerConfig> servers, PeerGroup before) {
        return List.of(WeightRanges.of(peers, servers));
    }

    @Override
    public final @Nullable Peer select(PeerGroup group, Selection selection) {
        if (group.size() >= 2 && selection.memo() instanceof Probes probes && !probes.areSpent()) {
            Peer found = probe(group, selection, probes);
            if (found != null) {
                return found;
            }
        }
        return roundRobin.select(group, selection);
    }

    /** Proposes until one is eligible; null once the proposals are spent. */
    abstract @Nullable Peer probe(PeerGroup group, Selection selection, Probes probes);
}
