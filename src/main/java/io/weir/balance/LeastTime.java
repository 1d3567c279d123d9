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
        CONNECT(Milestone.CONNECTED),
        HEADER(Milestone.ANSWERED),
        LAST_BYTE(null);

        /** Where that is; null for the end. */
        private final @Nullable Milestone milestone;

        Measure(@Nullable Milestone milestone) {
            this.milestone = milestone;
        }

        /** By the word that operators use for it. */
        static Measure of(String word) {
            return switch (word) {
                case "connect" -> CONNECT;
                case "header", "first_byte" -> HEADER;
                default -> LAST_BYTE;
            };
        }
    }

    private static final String[] OF_REQUESTS = {"header", "last_byte"};
    private static final String[] OF_SESSIONS = {"connect", "first_byte", "last_byte"};

    /** Differences below are noise; nginx's number. */
    private static final long STEP_MILLIS = 20;

    /** From here on a peer is as slow as any; nginx's number. */
    private static final long MOST_MILLIS = 5000;

    private static final long NANOS_PER_MILLI = 1_000_000;

    private final Measure measure;
    private final boolean inFlight;
    private final boolean sessions;

    /**
     * @param inFlight whether requests that still wait count with the time they have waited
     * @param sessions whether attempts are sessions of streams, which need no answer to be good ones
     */
    LeastTime(Measure measure, boolean inFlight, boolean sessions) {
        this.measure = measure;
        this.inFlight = inFlight;
        this.sessions = sessions;
    }

    static LeastTime create(Arguments arguments) {
        Measure measure = Measure.of(arguments.requiredWord("by", words(arguments)));
        boolean inFlight = arguments.flag("inflight");
        arguments.end();
        return new LeastTime(measure, inFlight, arguments.areOfStreams());
    }

    /** What times can go up to in a group of the protocol that the arguments are for. */
    static String[] words(Arguments arguments) {
        return arguments.areOfStreams() ? OF_SESSIONS : OF_REQUESTS;
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
        long millis = switch (measure) {
            case CONNECT -> times.connectMillis();
            case HEADER -> times.headerMillis();
            case LAST_BYTE -> times.responseMillis();
        };
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
    public boolean watches(Milestone milestone) {
        return inFlight && measure.milestone == milestone;
    }

    @Override
    public void reached(Peer peer, Milestone milestone, long nanos, long now) {
        if (milestone == Milestone.CONNECTED) {
            peer.times().addConnect(millis(nanos));
        } else {
            peer.times().addHeader(millis(nanos));
        }
        peer.times().waitEnds(millis(nanos), millis(now));
    }

    @Override
    public void ended(Peer peer, boolean good, AttemptTimes attempt, long now) {
        PeerTimes times = peer.times();
        if (inFlight && !(measure.milestone != null && nanos(attempt, measure.milestone) >= 0)) {
            times.waitEnds(millis(attempt.responseNanos()), millis(now));
        }
        if (!good) {
            return;
        }
        if (attempt.connectNanos() >= 0 && !watches(Milestone.CONNECTED)) {
            times.addConnect(millis(attempt.connectNanos()));
        }
        if (attempt.headerNanos() >= 0 && !watches(Milestone.ANSWERED)) {
            times.addHeader(millis(attempt.headerNanos()));
        }
        if (attempt.headerNanos() >= 0 || sessions) {
            times.addResponse(millis(attempt.responseNanos()));
        }
    }

    private static long nanos(AttemptTimes attempt, Milestone milestone) {
        return milestone == Milestone.CONNECTED ? attempt.connectNanos() : attempt.headerNanos();
    }
}
