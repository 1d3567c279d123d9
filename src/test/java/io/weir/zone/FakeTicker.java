package io.weir.zone;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** A ticker that a test winds; starts below zero, as a real one may. */
public final class FakeTicker implements Ticker {

    private static final long START = -7_300_000_000L;

    private final AtomicLong nanos = new AtomicLong(START);

    @Override
    public long nanos() {
        return nanos.get();
    }

    public void advance(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    public void advanceSeconds(double seconds) {
        nanos.addAndGet(Math.round(seconds * 1e9));
    }
}
