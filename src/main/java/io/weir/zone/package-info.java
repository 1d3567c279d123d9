/**
 * What is true now: the peers of an upstream group, their counters and state changes, behind one lock.
 *
 * <p>State changes are methods that take the time as an argument; nothing here reads a clock but {@code Ticker}, which
 * is handed in. A new configuration is reconciled with the peers that are there, and those that stay keep their
 * counters. Readers outside the data plane get snapshots.
 *
 * <p>Start with {@code Zone}, all shared state of one group, and {@code Peer}, one server address and its counters.
 *
 * <p>Plain Java; knows {@code config} alone.
 */
@NullMarked
package io.weir.zone;

import org.jspecify.annotations.NullMarked;
