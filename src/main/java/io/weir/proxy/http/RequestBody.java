package io.weir.proxy.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.weir.proxy.http.HeadWriter.Framing;
import java.util.ArrayDeque;
import java.util.Iterator;

/**
 * The body of a request on its way through: what has come but not gone on yet and, as long as that is little, what has
 * gone on already, so that it can be sent again to the next peer.
 *
 * <p>Differs from nginx: the body is streamed from the start, so a request with a long one cannot be retried once more of
 * it has gone on than is kept here. Confined to the loop's thread.
 */
final class RequestBody {

    /** Kept for a retry, at the most. Many uploads at once must not fill the memory; forms and API calls are smaller. */
    static final int REPLAY_LIMIT = 64 * 1024;

    private static final ByteBuf CR_LF = Unpooled.unreleasableBuffer(
                    Unpooled.directBuffer(2).writeShort(HeadWriter.CR_LF))
            .asReadOnly();
    private static final ByteBuf LAST_CHUNK = Unpooled.unreleasableBuffer(
                    Unpooled.directBuffer(5).writeBytes(HeadWriter.ascii("0\r\n\r\n")))
            .asReadOnly();

    private final Framing framing;
    private final ArrayDeque<ByteBuf> gone = new ArrayDeque<>(0);
    private final ArrayDeque<ByteBuf> waiting = new ArrayDeque<>(0);
    private long goneBytes;
    private boolean replayable = true;
    private boolean complete;
    private boolean lastWritten;

    RequestBody(Framing framing) {
        this.framing = framing;
    }

    Framing framing() {
        return framing;
    }

    /** Takes over a piece of the body. */
    void add(ByteBuf piece) {
        waiting.add(piece);
    }

    /** The client has sent all of it. */
    void complete() {
        complete = true;
    }

    boolean isComplete() {
        return complete;
    }

    /** Whether all of it was handed to the connection. */
    boolean isWritten() {
        return complete && waiting.isEmpty();
    }

    /** Whether it can be sent again from its first byte. */
    boolean isReplayable() {
        return replayable;
    }

    /**
     * Hands to a connection what it has not got yet.
     *
     * @return the number of bytes
     */
    long writeTo(Channel channel) {
        long bytes = 0;
        for (ByteBuf piece = waiting.poll(); piece != null; piece = waiting.poll()) {
            goneBytes += piece.readableBytes();
            if (replayable && goneBytes > REPLAY_LIMIT) {
                replayable = false;
                release(gone);
            }
            if (replayable) {
                gone.add(piece.retainedDuplicate());
            }
            bytes += framing == Framing.CHUNKED ? writeChunk(channel, piece) : write(channel, piece);
        }
        if (complete && framing == Framing.CHUNKED && !lastWritten) {
            lastWritten = true;
            bytes += write(channel, LAST_CHUNK.duplicate());
        }
        return bytes;
    }

    /** Begins anew for the next peer. Only while {@link #isReplayable}. */
    void rewind() {
        for (Iterator<ByteBuf> it = gone.descendingIterator(); it.hasNext(); ) {
            waiting.addFirst(it.next());
        }
        gone.clear();
        goneBytes = 0;
        lastWritten = false;
    }

    /** Frees what was kept; it cannot be sent again then. */
    void forget() {
        replayable = false;
        release(gone);
    }

    /** Frees everything. */
    void release() {
        forget();
        release(waiting);
    }

    private static void release(ArrayDeque<ByteBuf> pieces) {
        for (ByteBuf piece = pieces.poll(); piece != null; piece = pieces.poll()) {
            piece.release();
        }
    }

    /**
     * Writes without asking what comes of it. A peer may answer and close before it has read the whole request; the failed
     * write then says nothing that the read side will not say better: the answer, or the end.
     *
     * @return the number of bytes
     */
    static long write(Channel channel, ByteBuf bytes) {
        long length = bytes.readableBytes();
        // unlike the channel's own, this promise does not raise a failed write as an exception on the channel
        channel.write(bytes, channel.unsafe().voidPromise());
        return length;
    }

    /** One chunk around the bytes, in one buffer if they are few: a write costs more than a copy then. */
    static long writeChunk(Channel channel, ByteBuf data) {
        int length = data.readableBytes();
        if (length == 0) {
            // an empty chunk would be the last
            data.release();
            return 0;
        }
        ByteBuf head = channel.alloc().ioBuffer(length <= 1024 ? length + 16 : 16);
        ByteBufUtil.writeAscii(head, Integer.toHexString(length));
        head.writeShort(HeadWriter.CR_LF);
        if (length <= 1024) {
            head.writeBytes(data).writeShort(HeadWriter.CR_LF);
            data.release();
            return write(channel, head);
        }
        return write(channel, head) + write(channel, data) + write(channel, CR_LF.duplicate());
    }

    /** The last chunk, which ends a body of chunks. */
    static long writeLastChunk(Channel channel) {
        return write(channel, LAST_CHUNK.duplicate());
    }
}
