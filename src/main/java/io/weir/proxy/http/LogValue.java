package io.weir.proxy.http;

import io.weir.proxy.log.LineBuffer;

/** One piece of a log line. */
@FunctionalInterface
interface LogValue {

    /** Appends what it is worth for an exchange that is over, escaped. On the loop's thread. */
    void write(LineBuffer line, Exchange exchange);
}
