package io.weir.balance;

import io.weir.zone.Peer;
import io.weir.zone.PeerGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * By lot, each peer as often as its weight; or, with {@code two}, the better of two that were drawn, which evens out the
 * load nearly as well as looking at all peers does.
 *
 * <p>Example: of a drawn first with 3 connections and b drawn second with 2, both of weight 1, b is next.
 *
 * <p>Caller holds the zone lock. Never blocks, reads no clock. O(log peers).
 *
 * @see <a href="https://nginx.org/en/docs/http/ngx_http_upstream_module.html#random">random</a>
 */
final class Random extends Probing {

    private static final String LEAST_CONN = "least_conn";
    private static final String LEAST_TIME = "least_time";

    /** Tells whether the second of two peers that were drawn is worse than the first. */
    private interface Rule {
        boolean isWorse(Peer second, Peer first, Selection selection);
    }

    private final RandomGenerator chance;
    private final @Nullable Rule rule;

    /** Keeps the times that the rule goes by; null if it goes by none. */
    private final @Nullable LeastTime times;

    private Random(RandomGenerator chance, @Nullable Rule rule, @Nullable LeastTime times) {
        super("random");
        this.chance = chance;
        this.rule = rule;
        this.times = times;
    }

    static Random create(Arguments arguments, RandomGenerator chance) {
        boolean two = arguments.flag("two");
        String by = arguments.word("by", choices(arguments));
        arguments
                .check(two || by == null, "by", "is for the choice between two, and two is not true")
                .end();
        if (!two) {
            return new Random(chance, null, null);
        }
        if (by == null || by.equals(LEAST_CONN)) {
            return new Random(chance, Random::hasMoreConns, null);
        }
        LeastTime times = new LeastTime(measure(by), false, arguments.areOfStreams());
        return new Random(chance, times::isSlower, times);
    }

    private static String[] choices(Arguments arguments) {
        List<String> choices = new ArrayList<>(List.of(LEAST_CONN));
        if (!arguments.areOfStreams()) {
            choices.add(LEAST_TIME);
        }
        for (String word : LeastTime.words(arguments)) {
            choices.add(LEAST_TIME + "=" + word);
        }
        return choices.toArray(String[]::new);
    }

    private static LeastTime.Measure measure(String by) {
        return by.equals(LEAST_TIME)
                ? LeastTime.Measure.HEADER
                : LeastTime.Measure.of(by.substring(LEAST_TIME.length() + 1));
    }

    private static boolean hasMoreConns(Peer second, Peer first, Selection selection) {
        return LeastConn.compareLoad(second, first, selection.now()) > 0;
    }

    @Override
    public void begin(Selection selection) {
        selection.memo(new Probes());
    }

    @Override
    @Nullable
    Peer probe(PeerGroup group, Selection selection, Probes probes) {
        WeightRanges ranges = WeightRanges.of(group);
        Peer first = null;
        do {
            Peer peer = ranges.at(chance.nextLong(ranges.total()));
            if (peer == first || !selection.isEligible(peer)) {
                continue;
            }
            if (rule == null || first != null) {
                return rule != null && first != null && rule.isWorse(peer, first, selection) ? first : peer;
            }
            // nginx counts the first of two among the rejected too
            first = peer;
        } while (!probes.reject());
        return null;
    }

    @Override
    public void ended(Peer peer, boolean good, AttemptTimes attempt, long now) {
        if (times != null) {
            times.ended(peer, good, attempt, now);
        }
    }
}
