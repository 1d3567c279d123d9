package io.weir.proxy.stream;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The sessions of all stream listeners. Safe on every thread. */
public final class StreamCounts {

    private final Map<String, ListenerSessions> listeners = new ConcurrentHashMap<>();

    ListenerSessions of(String listener) {
        return listeners.computeIfAbsent(listener, ListenerSessions::new);
    }

    /** Forgets listeners that are gone, with the last of their sessions. */
    void retain(Collection<String> configured) {
        listeners.values().removeIf(its -> !configured.contains(its.listener()) && its.open() == 0);
    }

    /** By name. */
    public List<ListenerSessions> listeners() {
        return listeners.values().stream()
                .sorted(Comparator.comparing(ListenerSessions::listener))
                .toList();
    }
}
