package io.weir.balance;

import io.weir.zone.Peer;
import io.weir.zone.PeerGroup;
import io.weir.zone.PeerTimes;
import org.jspecify.annotations.Nullable;

/**
 * Least time: the eligible peer that is expected to be through first, per unit of weight; ties by smooth round robin. What
 * a peer is expected to need is its average time, coarsened to 20 ms, for each of its connections and the new one.
 *
 * <p>Example: a takes 60 ms on average and has no connection, b takes 10 ms and has one: b is next, since 20 * 2 is less
 * than 80 * 1.
 *
 * <p>Caller holds the zone lock. Never blocks, reads no clock. O(peers).
 *
 * @see <a href="https://nginx.org/en/docs/http/ngx_http_upstream_module.html#least_time">least_time</a>
 */
final class LeastTime implements BalancingMethod {

    /** Up to what a peer's time is counted. */
    enum Measure {
        HEADER,
        LAST_BYTE
    }

    /** Differences below are noise; nginx's number. */
    private static final long STEP_MILLIS = 20;

    /** From here on a peer is as slow as any; nginx's number. */
    private static final long MOST_MILLIS = 5000;

    private static final long NANOS_PER_MILLI = 1_000_000;

    private final Measure measure;
    private final boolean inFlight;

    /** @param inFlight whether requests that still wait count with the time they have waited */
    LeastTime(Measure measure, boolean inFlight) {
        this.measure = measure;
        this.inFlight = inFlight;
    }

    static LeastTime create(Arguments arguments) {
        boolean lastByte = arguments.requiredWord("by", "header", "last_byte").equals("last_byte");
        boolean inFlight = arguments.flag("inflight");
        arguments.end();
        return new LeastTime(lastByte ? Measure.LAST_BYTE : Measure.HEADER, inFlight);
    }

    @Override
    public @Nullable Peer select(PeerGroup group, Selection selection) {
        long now = selection.now();
        Peer least = null;
        int leastIndex = 0;
        boolean tie = false;
        for (int i = 0; i < group.size(); i++) {
            Peer peer = group.peer(i);
            if (!selection.isEligible(peer)) {
                continue;
            }
            estimate(peer, selection);
            long order = least == null ? -1 : compare(peer, least, now);
            if (order < 0) {
                least = peer;
                leastIndex = i;
                tie = false;
            } else if (order == 0) {
                tie = true;
            }
        }
        return least != null && tie ? Ties.choose(group, selection, leastIndex, least, LeastTime::compare) : least;
    }

    /** For the choice between two. */
    boolean isSlower(Peer second, Peer first, Selection selection) {
        estimate(second, selection);
        estimate(first, selection);
        return compare(second, first, selection.now()) > 0;
    }

    private void estimate(Peer peer, Selection selection) {
        PeerTimes times = peer.times();
        long millis = measure == Measure.HEADER ? times.headerMillis() : times.responseMillis();
        // what was slow a long time ago gets cheaper, so that it is tried again
        millis >>= peer.windowsSinceChecked(selection.second());
        if (inFlight) {
            millis = Math.max(millis, times.lookAtWaiting(millis(selection.now())));
        }
        millis = millis > MOST_MILLIS ? MOST_MILLIS : millis + STEP_MILLIS - millis % STEP_MILLIS;
        times.estimate(millis * (1 + peer.conns()));
    }

    /** Compares estimate / weight of two peers, without dividing. */
    private static long compare(Peer a, Peer b, long now) {
        return a.times().estimate() * b.ceiling(now) - b.times().estimate() * a.ceiling(now);
    }

    private static long millis(long nanos) {
        return Math.floorDiv(nanos, NANOS_PER_MILLI);
    }

    @Override
    public void begun(Peer peer, long now) {
        if (inFlight) {
            peer.times().waitBegins(millis(now));
        }
    }

    @Override
    public boolean watchesHeads() {
        return inFlight && measure == Measure.HEADER;
    }

    @Override
    public void answered(Peer peer, long headerNanos, long now) {
        peer.times().addHeader(millis(headerNanos));
        peer.times().waitEnds(millis(headerNanos), millis(now));
    }

    @Override
    public void ended(Peer peer, boolean good, long headerNanos, long responseNanos, long now) {
        PeerTimes times = peer.times();
        boolean answered = headerNanos >= 0;
        if (inFlight && !(watchesHeads() && answered)) {
            times.waitEnds(millis(responseNanos), millis(now));
        }
        if (good && answered) {
            if (!watchesHeads()) {
                times.addHeader(millis(headerNanos));
            }
            times.addResponse(millis(responseNanos));
        }
    }
}
