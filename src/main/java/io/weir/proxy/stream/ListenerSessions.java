package io.weir.proxy.stream;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** The sessions of one listener since its first. Safe on every thread. */
public final class ListenerSessions {

    private final String listener;
    private final AtomicLong begun = new AtomicLong();
    private final LongAdder ended = new LongAdder();
    private final LongAdder received = new LongAdder();
    private final LongAdder sent = new LongAdder();
    private final Map<Integer, LongAdder> byStatus = new ConcurrentHashMap<>();

    ListenerSessions(String listener) {
        this.listener = listener;
    }

    public String listener() {
        return listener;
    }

    void begins() {
        begun.incrementAndGet();
    }

    void transferred(long bytesReceived, long bytesSent) {
        received.add(bytesReceived);
        sent.add(bytesSent);
    }

    void ends(int status) {
        byStatus.computeIfAbsent(status, s -> new LongAdder()).increment();
        ended.increment();
    }

    /** Those that have begun, whatever became of them. */
    public long total() {
        return begun.get();
    }

    /** Those that have not ended. */
    public long open() {
        return Math.max(0, begun.get() - ended.sum());
    }

    /** Those that have ended: 200, 400, 403, 500, 502 or 503. */
    public Map<Integer, Long> byStatus() {
        Map<Integer, Long> counts = new TreeMap<>();
        byStatus.forEach((status, count) -> counts.put(status, count.sum()));
        return counts;
    }

    /** Bytes from clients. */
    public long bytesReceived() {
        return received.sum();
    }

    /** Bytes to clients. */
    public long bytesSent() {
        return sent.sum();
    }
}
