/**
 * Drains that end: a server is being emptied until nothing is in progress there, or its time is over, and then stays, goes
 * down, or is removed.
 *
 * <p>That a server is drained is part of the configuration, and so outlives the process. {@link io.weir.control.drain.Drains}
 * follows it and knows what is left on this node; {@link io.weir.control.drain.DrainWatch} looks at that on a thread of its
 * own, and ends what is to end. Neither touches the path of a request.
 */
@NullMarked
package io.weir.control.drain;

import org.jspecify.annotations.NullMarked;
