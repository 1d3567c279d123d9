package io.weir.proxy.stream;

import io.weir.proxy.stream.StreamCounts.Snapshot;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** What a stream listener has counted, whatever sockets it was bound to. Safe on every thread. */
final class ListenerCounts {

    private final String listener;
    private final LongAdder accepted = new LongAdder();
    private final AtomicInteger open = new AtomicInteger();
    private final LongAdder[] byStatus = new LongAdder[StreamCounts.STATUSES.size()];
    private final LongAdder received = new LongAdder();
    private final LongAdder sent = new LongAdder();

    ListenerCounts(String listener) {
        this.listener = listener;
        for (int i = 0; i < byStatus.length; i++) {
            byStatus[i] = new LongAdder();
        }
    }

    void begun() {
        accepted.increment();
        open.incrementAndGet();
    }

    /**
     * A session has ended.
     *
     * @param status one of {@link StreamCounts#STATUSES}
     * @param receivedBytes from its client
     * @param sentBytes to its client
     */
    void ended(int status, long receivedBytes, long sentBytes) {
        byStatus[StreamCounts.STATUSES.indexOf(status)].increment();
        received.add(receivedBytes);
        sent.add(sentBytes);
        open.decrementAndGet();
    }

    int open() {
        return open.get();
    }

    Snapshot snapshot() {
        Map<Integer, Long> sessions = new TreeMap<>();
        for (int i = 0; i < byStatus.length; i++) {
            sessions.put(StreamCounts.STATUSES.get(i), byStatus[i].sum());
        }
        return new Snapshot(listener, accepted.sum(), open.get(), sessions, received.sum(), sent.sum());
    }
}
