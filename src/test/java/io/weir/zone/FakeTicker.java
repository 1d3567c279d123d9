package io.weir.zone;

import java.time.Duration;

/** A ticker that a test winds; starts below zero, as a real one may. */
public final class FakeTicker implements Ticker {

    private static final long START = -7_300_000_000L;

    private volatile long nanos = START;

    @Override
    public long nanos() {
        return nanos;
    }

    public void advance(Duration time) {
        nanos += time.toNanos();
    }

    public void advanceSeconds(double seconds) {
        nanos += Math.round(seconds * 1e9);
    }
}
