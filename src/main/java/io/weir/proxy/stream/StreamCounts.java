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
        byListener
                .entrySet()
                .removeIf(e -> !configured.contains(e.getKey()) && e.getValue().open() == 0);
        return byListener.values().stream().map(ListenerCounts::snapshot).toList();
    }

    synchronized ListenerCounts of(String listener) {
        return byListener.computeIfAbsent(listener, ListenerCounts::new);
    }

    /** These are all that there are now. */
    synchronized void configured(Set<String> listeners) {
        configured = new HashSet<>(listeners);
    }
}
