/**
 * Get, free and notify for one request or session: locks the zone, asks the method, decides on the next upstream and
 * keeps idle connections.
 *
 * <p>It serves HTTP and streams alike and knows neither. Every {@code get} is followed by exactly one {@code free}; at
 * rest all {@code conns} are 0.
 *
 * <p>Start with {@code PeerConnection}, one client request or session, {@code UpstreamGroup}, a zone and its method,
 * and {@code Upstreams}, all groups by name.
 *
 * <p>Plain Java and SLF4J; knows {@code balance}, {@code zone} and {@code config}.
 */
@NullMarked
package io.weir.upstream;

import org.jspecify.annotations.NullMarked;
