package io.weir.metrics;

import java.time.Clock;
import java.time.Instant;

/**
 * Tells moments of the ticker as seconds since 1970.
 *
 * <p>The difference of the two clocks is measured once and kept, so that a moment reads the same at every scrape; it is
 * measured anew only when the wall clock has been set. Safe on every thread.
 */
final class EpochClock {

    private static final long NANOS_PER_SECOND = 1_000_000_000;
    private static final double MILLIS_PER_SECOND = 1e3;
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final Clock clock;
    private boolean measured;
    private long epochNanos;

    EpochClock(Clock clock) {
        this.clock = clock;
    }

    /** Measures, if need be. */
    synchronized void follow(long tickerNanos) {
        Instant now = clock.instant();
        long difference = now.getEpochSecond() * NANOS_PER_SECOND + now.getNano() - tickerNanos;
        if (!measured || Math.abs(difference - epochNanos) > NANOS_PER_SECOND) {
            epochNanos = difference;
            measured = true;
        }
    }

    synchronized double seconds(long tickerNanos) {
        return Math.floorDiv(epochNanos + tickerNanos, NANOS_PER_MILLI) / MILLIS_PER_SECOND;
    }
}
