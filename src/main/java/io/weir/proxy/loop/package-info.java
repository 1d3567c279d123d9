/**
 * Tools of one event loop that no protocol owns: its timeouts, how fast and in which sizes bytes are taken, opening of
 * upstream channels, log lines on their way to their writer.
 *
 * <p>Whatever has state here belongs to one loop, and its methods are called on that loop's thread. Nothing blocks.
 *
 * <p>Knows {@link io.weir.proxy.log} and what {@link io.weir.proxy} knows; no HTTP and no other protocol that a listener
 * speaks.
 */
@NullMarked
package io.weir.proxy.loop;

import org.jspecify.annotations.NullMarked;
