/**
 * Meters bound to zone snapshots.
 *
 * <p>Metrics pull: gauges and counters read a snapshot at scrape, so the path of a request calls no registry, and a
 * removed peer leaves nothing behind.
 *
 * <p>Start with {@link io.weir.metrics.ZoneCollector}.
 *
 * <p>Knows {@code upstream}, {@code zone} and {@code config}, and the Prometheus client that Micrometer brings; no Spring or
 * Netty.
 */
@NullMarked
package io.weir.metrics;

import org.jspecify.annotations.NullMarked;
