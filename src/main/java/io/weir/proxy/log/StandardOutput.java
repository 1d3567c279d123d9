package io.weir.proxy.log;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;

/** Standard output, which Weir's own log uses too: both write whole lines, one after the other. */
final class StandardOutput implements Sink {

    @Override
    public void write(ByteBuffer lines) throws IOException {
        PrintStream out = System.out;
        // the stream's own lock keeps other writers of this process out of a batch, and a large one is not copied
        out.write(lines.array(), lines.position(), lines.remaining());
        if (out.checkError()) {
            throw new IOException("standard output is closed or fails");
        }
        lines.position(lines.limit());
    }

    @Override
    public void close() {
        // it is everybody's
    }
}
