package io.weir.metrics;

import java.util.Map;

/**
 * The sessions of a stream listener since it was there.
 *
 * @param open sessions in progress
 * @param byStatus those that have ended, by the status that they ended with
 * @param receivedBytes from clients
 * @param sentBytes to clients
 */
public record ListenerSessions(
        String listener, long open, Map<Integer, Long> byStatus, long receivedBytes, long sentBytes) {

    public ListenerSessions {
        byStatus = Map.copyOf(byStatus);
    }
}
