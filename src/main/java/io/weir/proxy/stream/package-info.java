/**
 * Proxying of streams: whatever a client sends by TCP or UDP, without a look at more than its beginning.
 *
 * <p>Start with {@code TcpSession}, a client of TCP and its peer, and {@code Session}, which is what all sessions have in common;
 * {@code UdpListener} sorts datagrams by their senders, and {@code UdpSession} passes them on;
 * {@code ClientHello} finds out who a client of TLS wants to talk to before it is connected anywhere.
 *
 * <p>Knows {@link io.weir.proxy.loop} and what {@link io.weir.proxy} knows; no HTTP.
 */
@NullMarked
package io.weir.proxy.stream;

import org.jspecify.annotations.NullMarked;
