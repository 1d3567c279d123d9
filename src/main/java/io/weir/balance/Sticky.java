package io.weir.balance;

import io.weir.config.Checks;
import io.weir.config.ServerConfig;
import io.weir.zone.Peer;
import io.weir.zone.PeerGroup;
import io.weir.zone.PeerIndex;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Affinity around any method: a request that is bound to a peer goes there, also while the peer is draining; if that cannot
 * be, the method chooses as if the request were not bound.
 *
 * <p>Caller holds the zone lock. Never blocks, reads no clock. O(1) for bound requests, but see
 * {@link BalancingMethod#bound}.
 *
 * @see <a href="https://nginx.org/en/docs/http/ngx_http_upstream_module.html#sticky">nginx: sticky</a>
 */
public final class Sticky implements BalancingMethod {

    /** The first peer of each id. */
    private static final class Index implements PeerIndex {

        private final Map<String, Peer> bySid;

        private Index(Map<String, Peer> bySid) {
            this.bySid = bySid;
        }
    }

    private final BalancingMethod method;
    private final Hints hints;

    /** @param method for requests that are not bound */
    public Sticky(BalancingMethod method, Hints hints) {
        this.method = method;
        this.hints = hints;
    }

    @Override
    public void check(List<ServerConfig> servers, Checks checks) {
        method.check(servers, checks);
    }

    @Override
    public List<PeerIndex> indexes(List<Peer> peers, List<ServerConfig> servers, PeerGroup before) {
        Map<String, Peer> bySid = new HashMap<>();
        for (int i = 0; i < peers.size(); i++) {
            bySid.putIfAbsent(peers.get(i).sid(servers.get(i)), peers.get(i));
        }
        List<PeerIndex> indexes = new ArrayList<>(method.indexes(peers, servers, before));
        indexes.add(new Index(bySid));
        return indexes;
    }

    @Override
    public void begin(Selection selection) {
        method.begin(selection);
        selection.hint(hints.of(selection.request()));
    }

    @Override
    public @Nullable Peer select(PeerGroup group, Selection selection) {
        String hint = selection.hint();
        Index index = hint == null ? null : group.index(Index.class);
        Peer bound = index == null ? null : index.bySid.get(hint);
        if (bound == null || !selection.isEligibleBound(bound)) {
            return method.select(group, selection);
        }
        method.bound(group, bound, selection);
        return bound;
    }

    @Override
    public void begun(Peer peer, long now) {
        method.begun(peer, now);
    }

    @Override
    public boolean watches(Milestone milestone) {
        return method.watches(milestone);
    }

    @Override
    public void reached(Peer peer, Milestone milestone, long nanos, long now) {
        method.reached(peer, milestone, nanos, now);
    }

    @Override
    public void ended(Peer peer, boolean good, AttemptTimes times, long now) {
        method.ended(peer, good, times, now);
    }
}
