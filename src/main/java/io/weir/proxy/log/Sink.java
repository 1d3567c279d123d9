package io.weir.proxy.log;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Where whole lines end. Used by one thread at a time; may block. */
interface Sink {

    /**
     * Writes all of the lines. After a failure it can be called again, and tries anew.
     *
     * @param lines whose position moves on as far as they were written
     */
    void write(ByteBuffer lines) throws IOException;

    /** Frees what it holds; the next write opens it again. Does not fail. */
    void close();
}
