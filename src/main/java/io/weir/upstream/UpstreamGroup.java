package io.weir.upstream;

import io.weir.balance.BalancingMethod;
import io.weir.config.GroupProtocol;
import io.weir.config.KeepaliveConfig;
import io.weir.config.RequestValues;
import io.weir.config.RetryRules;
import io.weir.config.StickyConfig;
import io.weir.zone.PeerSpec;
import io.weir.zone.ServerLoad;
import io.weir.zone.Ticker;
import io.weir.zone.Zone;
import io.weir.zone.ZoneSnapshot;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An upstream group that takes requests: its zone, its balancing method and its idle connections.
 *
 * <p>Safe on every thread. A group lives on when the configuration changes it; when it is removed, requests that hold it
 * still run to their end.
 */
public final class UpstreamGroup {

    private final Ticker ticker;
    private final Zone zone;
    private final IdleLimit idleLimit = new IdleLimit();

    /** As configured, without affinity. */
    private BalancingMethod plainMethod;

    private volatile BalancingMethod method;
    private volatile @Nullable Affinity affinity;
    private volatile KeepaliveConfig keepalive;
    private volatile boolean closed;

    UpstreamGroup(
            String name, GroupProtocol protocol, Ticker ticker, BalancingMethod method, KeepaliveConfig keepalive) {
        this.ticker = ticker;
        this.zone = new Zone(name, protocol);
        this.plainMethod = method;
        this.method = method;
        this.keepalive = keepalive;
    }

    public String name() {
        return zone.name();
    }

    /** Never changes: a group of another protocol is another group, whatever its name. */
    public GroupProtocol protocol() {
        return zone.protocol();
    }

    public KeepaliveConfig keepalive() {
        return keepalive;
    }

    /** The cookie that keeps clients at their servers, to be added to each response; null if there is none. */
    public StickyConfig.@Nullable Cookie stickyCookie() {
        Affinity known = affinity;
        return known != null && known.config() instanceof StickyConfig.Cookie cookie ? cookie : null;
    }

    /** Whether it was removed from the configuration. */
    public boolean isClosed() {
        return closed;
    }

    /** Begins a request or session of which nothing is known that a method could go by. */
    public PeerConnection open(RetryRules rules) {
        return open(rules, RequestValues.NONE);
    }

    /**
     * Begins a request or session; nothing is picked yet.
     *
     * @param values asked by methods that go by what a request is
     */
    public PeerConnection open(RetryRules rules, RequestValues values) {
        return new PeerConnection(this, rules, values);
    }

    /**
     * Counts a request that has ended, as its client saw it. Takes no lock.
     *
     * @param status what was sent; below 100 if nothing was
     */
    public void countRequest(int status, long nanos) {
        zone.counters().request(status, nanos);
    }

    /** What is true now. */
    public ZoneSnapshot snapshot() {
        return zone.snapshot(ticker.nanos());
    }

    /** What a server has to do now, over all its peers. */
    public ServerLoad load(int serverId) {
        return zone.load(serverId);
    }

    Ticker ticker() {
        return ticker;
    }

    Zone zone() {
        return zone;
    }

    BalancingMethod method() {
        return method;
    }

    @Nullable
    Affinity affinity() {
        return affinity;
    }

    IdleLimit idleLimit() {
        return idleLimit;
    }

    /**
     * Gets ready to follow a changed configuration, and makes all that is large; changes nothing yet. On a control thread,
     * one at a time.
     */
    Change prepare(
            BalancingMethod configured,
            @Nullable StickyConfig sticky,
            KeepaliveConfig keepalive,
            List<PeerSpec> peers) {
        Affinity before = affinity;
        boolean same = configured == plainMethod && Objects.equals(sticky, before == null ? null : before.config());
        Affinity next = same ? before : sticky == null ? null : Affinity.of(sticky, before, this);
        // the same object as before if nothing has changed: requests in progress then need not begin anew
        BalancingMethod wrapped = same ? method : next == null ? configured : next.around(configured);
        Zone.Change change = zone.prepare(peers, wrapped::indexes, ticker.nanos());
        return new Change(configured, wrapped, next, keepalive, change);
    }

    /** What {@link #prepare} has made ready. Outdated as soon as another change is applied. */
    final class Change {

        private final BalancingMethod configured;
        private final BalancingMethod wrapped;
        private final @Nullable Affinity next;
        private final KeepaliveConfig idle;
        private final Zone.Change peers;

        private Change(
                BalancingMethod configured,
                BalancingMethod wrapped,
                @Nullable Affinity next,
                KeepaliveConfig idle,
                Zone.Change peers) {
            this.configured = configured;
            this.wrapped = wrapped;
            this.next = next;
            this.idle = idle;
            this.peers = peers;
        }

        /** Makes it so. On a control thread. */
        void apply() {
            keepalive = idle;
            if (next != null && next != affinity) {
                next.begin();
            }
            zone.lock();
            try {
                peers.apply(ticker.nanos());
                plainMethod = configured;
                method = wrapped;
                affinity = next;
            } finally {
                zone.unlock();
            }
            // of fewer connections, and of peers that were removed or are no longer up
            idleLimit.sweep();
        }
    }

    /** Ends the keeping of idle connections; requests go on. */
    void close() {
        closed = true;
        idleLimit.sweep();
    }
}
