/**
 * The data plane: listeners, and what is common to the protocols they speak.
 *
 * <p>Reactor Netty binds the listeners and owns their event loops; the path of a request is plain Netty channel
 * handlers, with the client's connection and the upstream connections it uses on one event loop. Nothing here blocks.
 *
 * <p>Start with {@code DataPlane}, which binds, rebinds and drains listeners when the configuration changes, and with
 * the package of the protocol.
 *
 * <p>Knows {@code upstream}, {@code zone} and {@code config}, Netty, Reactor Netty and Reactor; no Spring, JPA or
 * Micrometer.
 */
@NullMarked
package io.weir.proxy;

import org.jspecify.annotations.NullMarked;
