package io.weir.zone;

import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;

/** The counters of a group as its clients see it. Safe on every thread, without a lock. */
public final class GroupCounters {

    private final LongAdder[] requests = adders(StatusClass.COUNT);
    private final LongAdder[] buckets = adders(Durations.BUCKETS);
    private final LongAdder nanos = new LongAdder();
    private final LongAdder retriesSucceeded = new LongAdder();
    private final LongAdder retriesExhausted = new LongAdder();
    private final LongAdder noPeer = new LongAdder();

    GroupCounters() {}

    private static LongAdder[] adders(int count) {
        return Stream.generate(LongAdder::new).limit(count).toArray(LongAdder[]::new);
    }

    /**
     * Counts a request that has ended.
     *
     * @param status what the client was sent, or what is logged if it was gone; below 100 counts the time alone
     */
    public void request(int status, long durationNanos) {
        if (status >= 100) {
            requests[StatusClass.of(status)].increment();
        }
        buckets[Durations.bucket(durationNanos)].increment();
        nanos.add(durationNanos);
    }

    /** Counts a request that had moved on to another peer, and has ended. */
    public void retried(boolean success) {
        (success ? retriesSucceeded : retriesExhausted).increment();
    }

    /** Counts a request for which nobody was eligible. */
    public void noPeer() {
        noPeer.increment();
    }

    GroupTotals snapshot() {
        return new GroupTotals(
                counts(requests),
                new Durations(counts(buckets), nanos.sum()),
                retriesSucceeded.sum(),
                retriesExhausted.sum(),
                noPeer.sum());
    }

    private static Counts counts(LongAdder[] adders) {
        long[] values = new long[adders.length];
        for (int i = 0; i < values.length; i++) {
            values[i] = adders[i].sum();
        }
        return Counts.copyOf(values);
    }
}
