/**
 * HTTP proxying: routes, headers and variables, bodies in both directions, retries, upgrades.
 *
 * <p>Framing is strict first and fast second. Bodies are forwarded as the buffers they came in, with back-pressure by
 * the auto-read of the other side; nothing aggregates them.
 *
 * <p>Knows what {@link io.weir.proxy} knows.
 */
@NullMarked
package io.weir.proxy.http;

import org.jspecify.annotations.NullMarked;
