package io.weir.proxy.http;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** How many client connections there are and were. Safe on every thread. */
public final class ConnectionCounts {

    private final AtomicLong accepted = new AtomicLong();
    private final LongAdder closed = new LongAdder();
    private final LongAdder refusedByListener = new LongAdder();
    private final LongAdder refusedByAddress = new LongAdder();
    private final LongAdder begun = new LongAdder();
    private final LongAdder ended = new LongAdder();

    /** Counts one more and gives it its number, from 1. */
    long accepted() {
        return accepted.incrementAndGet();
    }

    void closed() {
        closed.increment();
    }

    void refusedByListener() {
        refusedByListener.increment();
    }

    void refusedByAddress() {
        refusedByAddress.increment();
    }

    void requestBegun() {
        begun.increment();
    }

    void requestEnded() {
        ended.increment();
    }

    /** On which a request or a tunnel runs now. */
    public long active() {
        return Math.max(0, begun.sum() - ended.sum());
    }

    /** Accepted since the start. */
    public long total() {
        return accepted.get();
    }

    /** Closed at once since the start, because their listener had enough of them. */
    public long overLimit() {
        return refusedByListener.sum();
    }

    /** Closed at once since the start, because their address had enough of them. */
    public long overLimitOfAddress() {
        return refusedByAddress.sum();
    }

    /** Open now. */
    public long open() {
        return Math.max(0, accepted.get() - closed.sum());
    }
}
