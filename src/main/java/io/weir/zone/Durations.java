package io.weir.zone;

import java.util.List;

/**
 * How long things took, as a histogram at one moment.
 *
 * @param buckets how many fell into each bucket alone (not cumulative); one more than there are bounds, the last for
 *     all that is longer than the greatest
 */
public record Durations(Counts buckets, long sumNanos) {

    /** Upper bounds of the buckets, included, in seconds. */
    public static final List<Double> BOUNDS_SECONDS =
            List.of(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0);

    /** Bounds and the rest. */
    static final int BUCKETS = BOUNDS_SECONDS.size() + 1;

    private static final long[] BOUNDS_NANOS =
            BOUNDS_SECONDS.stream().mapToLong(s -> Math.round(s * 1e9)).toArray();

    /** The index of the bucket that holds {@code nanos}. */
    static int bucket(long nanos) {
        int i = 0;
        while (i < BOUNDS_NANOS.length && nanos > BOUNDS_NANOS[i]) {
            i++;
        }
        return i;
    }

    public long count() {
        return buckets.sum();
    }
}
