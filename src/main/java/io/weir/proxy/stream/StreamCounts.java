package io.weir.proxy.stream;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Sessions by listener, since the listener was made. Safe on every thread. */
public final class StreamCounts {

    /** All that a session can end with, in ascending order; nginx's words for it are those of HTTP. */
    public static final List<Integer> STATUSES = List.of(200, 400, 403, 500, 502, 503);

    // guarded by this object
    private final Map<String, ListenerCounts> byListener = new TreeMap<>();
    private Set<String> configured = Set.of();

    /**
     * What a listener has counted.
     *
     * @param listener its name
     * @param accepted sessions that have begun
     * @param open of those, how many run
     * @param sessionsByStatus of those, how many have ended, by each of {@link #STATUSES}
     * @param bytesReceived from the clients of those that have ended
     * @param bytesSent to the clients of those that have ended
     */
    public record Snapshot(
            String listener,
            long accepted,
            int open,
            Map<Integer, Long> sessionsByStatus,
            long bytesReceived,
            long bytesSent) {}

    StreamCounts() {}

    /** By name; of listeners that are configured, and of those that are not any more as long as sessions of theirs run. */
    public synchronized List<Snapshot> snapshot() {
        // forgets nobody: a listener has its counts before the change that brings it is complete
        return byListener.entrySet().stream()
                .filter(e -> isTold(e.getKey(), e.getValue()))
                .map(e -> e.getValue().snapshot())
                .toList();
    }

    private boolean isTold(String listener, ListenerCounts counts) {
        return configured.contains(listener) || counts.open() > 0;
    }

    /** The counts of a listener that is about to be {@link #configured}, or is. */
    synchronized ListenerCounts of(String listener) {
        return byListener.computeIfAbsent(listener, ListenerCounts::new);
    }

    /** These are all that there are now; what nobody is told any more is forgotten. */
    synchronized void configured(Set<String> listeners) {
        configured = new HashSet<>(listeners);
        byListener.entrySet().removeIf(e -> !isTold(e.getKey(), e.getValue()));
    }
}
