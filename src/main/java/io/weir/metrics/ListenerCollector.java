package io.weir.metrics;

import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.weir.metrics.Family.Counter;
import io.weir.metrics.Family.Gauge;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Renders the stream listeners for Prometheus at each scrape, from the counts of the data plane as they are then. Safe on
 * every thread.
 */
public final class ListenerCollector implements MultiCollector {

    /** All with which a session can end; nginx's. */
    static final List<Integer> STATUSES = List.of(200, 400, 403, 500, 502, 503);

    private final Supplier<List<ListenerSessions>> listeners;

    /** @param listeners asked at each scrape for those that there are, each name once */
    public ListenerCollector(Supplier<List<ListenerSessions>> listeners) {
        this.listeners = listeners;
    }

    @Override
    public MetricSnapshots collect() {
        Counter sessions = new Counter("weir_stream_sessions", "Sessions that have ended, by status.");
        Gauge active = new Gauge("weir_stream_sessions_active", "Sessions in progress.");
        Counter received = new Counter("weir_stream_received_bytes", "Bytes received from clients.");
        Counter sent = new Counter("weir_stream_sent_bytes", "Bytes sent to clients.");
        for (ListenerSessions its : listeners.get()) {
            Labels labels = Labels.of("listener", its.listener());
            for (int status : STATUSES) {
                sessions.add(
                        labels.add("status", Integer.toString(status)),
                        its.byStatus().getOrDefault(status, 0L));
            }
            active.add(labels, its.open());
            received.add(labels, its.receivedBytes());
            sent.add(labels, its.sentBytes());
        }
        return new MetricSnapshots(Stream.of(sessions, active, received, sent)
                .map(Family::snapshot)
                .toList());
    }
}
