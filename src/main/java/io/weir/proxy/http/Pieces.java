package io.weir.proxy.http;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;

/** Pieces of a body that are kept. */
final class Pieces {

    /**
     * Shorter ones are put together: each would otherwise pin the buffer that it was read into, 2 KiB for a client that sends
     * byte by byte, and up to 64 KiB for one that means harm.
     */
    private static final int SHORT = 16 * 1024;

    private Pieces() {}

    /**
     * Takes over a piece.
     *
     * @param open whether bytes may be added to the last one
     */
    static void add(ArrayDeque<ByteBuf> pieces, ByteBuf piece, boolean open) {
        int length = piece.readableBytes();
        ByteBuf last = pieces.peekLast();
        if (length > SHORT) {
            pieces.add(piece);
        } else if (open && last != null && last.writableBytes() >= length) {
            last.writeBytes(piece);
            piece.release();
        } else {
            pieces.add(piece.alloc().ioBuffer(SHORT).writeBytes(piece));
            piece.release();
        }
    }

    static void release(ArrayDeque<ByteBuf> pieces) {
        for (ByteBuf piece = pieces.poll(); piece != null; piece = pieces.poll()) {
            piece.release();
        }
    }
}
