/**
 * Logs of the traffic on their way to a file: lines are built as bytes where the traffic runs, handed over in batches, and
 * written by one thread for each file, which never holds up whoever hands them over.
 *
 * <p>Start with {@code Logs}, which opens and closes files as the configuration changes, with {@code LogWriter}, and with
 * {@code LogFormat}, the form of lines about whatever a protocol has: requests, or sessions.
 *
 * <p>Knows {@code config}; plain Java without Netty, so that all protocols can use it.
 */
@NullMarked
package io.weir.proxy.log;

import org.jspecify.annotations.NullMarked;
