package io.weir.program;

import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** What the clients of a soak have seen, together. */
final class SoakRecord {

    private static final int MOST_FAILURES = 20;

    private final AtomicInteger lastId = new AtomicInteger();
    private final Map<Integer, Short> statuses = new ConcurrentHashMap<>();
    private final Map<String, LongAdder> outcomes = new ConcurrentHashMap<>();
    private final Queue<String> failures = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean stop = new AtomicBoolean();

    int nextId() {
        return lastId.incrementAndGet();
    }

    int lastId() {
        return lastId.get();
    }

    /** A request was answered with this status, as its log line must say. */
    void answered(int id, int status) {
        if (statuses.put(id, (short) status) != null) {
            fail(id + ": answered twice");
        }
    }

    /** By the ids of requests that were answered; the others were given up by their clients. */
    Map<Integer, Short> statuses() {
        return statuses;
    }

    void count(String outcome) {
        outcomes.computeIfAbsent(outcome, name -> new LongAdder()).increment();
    }

    long counted(String outcome) {
        LongAdder count = outcomes.get(outcome);
        return count == null ? 0 : count.sum();
    }

    void fail(String text) {
        if (failures.size() < MOST_FAILURES) {
            failures.add(text);
        }
        stop.set(true);
    }

    Queue<String> failures() {
        return failures;
    }

    boolean stopped() {
        return stop.get();
    }

    /** Ends what the clients do, or lets them begin again, which failures forbid. */
    void stop(boolean stopped) {
        stop.set(stopped || !failures.isEmpty());
    }

    @Override
    public String toString() {
        return new TreeMap<>(outcomes).toString();
    }
}
