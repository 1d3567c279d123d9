package io.weir.proxy;

import io.weir.zone.Ticker;
import java.time.Duration;

/** The real clock, which a test may put forward: for timeouts that nobody wants to wait for. */
final class MovableTicker implements Ticker {

    private volatile long ahead;

    @Override
    public long nanos() {
        return System.nanoTime() + ahead;
    }

    void skip(Duration time) {
        ahead += time.toNanos();
    }
}
