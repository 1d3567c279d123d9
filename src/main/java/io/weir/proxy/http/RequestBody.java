package io.weir.proxy.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.weir.proxy.http.HeadWriter.Framing;
import java.util.ArrayDeque;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * The body of a request on its way through, in one of two modes.
 *
 * <p>Streamed: what has come but not gone on yet and, as long as that is little, what has gone on already, so that it can
 * be sent again to the next peer. Differs from nginx: it sends nothing again unless all had come with the head.
 *
 * <p>Buffered: all of it is kept, so that it can be sent again whatever its size, and its length is known. Beyond some size
 * it is kept in a {@link RequestFile}. Confined to the loop's thread.
 *
 * @see <a href="https://nginx.org/en/docs/http/ngx_http_proxy_module.html#proxy_request_buffering">
 *     proxy_request_buffering</a>
 */
final class RequestBody {

    /**
     * Of a streamed body, kept for a retry at the most. Many uploads at once must not fill the memory; forms and API calls
     * are smaller.
     */
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
    private boolean buffered;
    private int memoryLimit;
    private long length;

    /** Is told when a buffered body has got on. */
    private @Nullable Exchange exchange;

    private @Nullable RequestFile file;

    RequestBody(Framing framing) {
        this.framing = framing;
    }

    Framing framing() {
        return framing;
    }

    /**
     * Keeps all of it from here on.
     *
     * @param memoryLimit bytes beyond which it goes to a file
     * @param exchange is told when that has got on
     */
    void buffer(int memoryLimit, Exchange exchange) {
        buffered = true;
        this.memoryLimit = memoryLimit;
        this.exchange = exchange;
    }

    boolean isBuffered() {
        return buffered;
    }

    /** Bytes of a buffered body that have come. */
    long length() {
        return length;
    }

    /** Takes over a piece of the body. */
    void add(ByteBuf piece) {
        length += piece.readableBytes();
        if (file != null) {
            file.add(piece);
        } else if (!buffered || complete && waiting.isEmpty()) {
            waiting.add(piece);
        } else {
            Pieces.add(waiting, piece, true);
            if (length > memoryLimit && exchange != null) {
                file = new RequestFile(exchange, memoryLimit);
                for (ByteBuf first = waiting.poll(); first != null; first = waiting.poll()) {
                    file.add(first);
                }
            }
        }
    }

    /** Whether a buffered body takes no more until some of it has got to the file. */
    boolean isFull() {
        return file != null && file.isFull();
    }

    /** Whether all of a buffered body is there and can be sent. */
    boolean isStored() {
        return complete && (file == null || file.isStored());
    }

    /** Whether a buffered body could not be kept. */
    boolean isLost() {
        return file != null && file.isLost();
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
        return complete && waiting.isEmpty() && (file == null || file.isWritten());
    }

    /** Whether it can be sent again from its first byte. */
    boolean isReplayable() {
        return replayable;
    }

    /**
     * Hands to a connection what it has not got yet. What is in a file follows later, by way of the exchange.
     *
     * @return the number of bytes
     */
    long writeTo(Channel channel) {
        if (file != null) {
            file.writeTo(channel);
            return 0;
        }
        long bytes = 0;
        for (ByteBuf piece = waiting.poll(); piece != null; piece = waiting.poll()) {
            goneBytes += piece.readableBytes();
            if (replayable && !buffered && goneBytes > REPLAY_LIMIT) {
                replayable = false;
                Pieces.release(gone);
            }
            if (replayable) {
                gone.add(piece.retainedDuplicate());
            }
            bytes += isChunked() ? writeChunk(channel, piece) : write(channel, piece);
        }
        if (complete && isChunked() && !lastWritten) {
            lastWritten = true;
            bytes += write(channel, LAST_CHUNK.duplicate());
        }
        return bytes;
    }

    /** Whether the peer gets it in chunks; the length of a buffered body is known. */
    private boolean isChunked() {
        return framing == Framing.CHUNKED && !buffered;
    }

    /** Begins anew for the next peer. Only while {@link #isReplayable}. */
    void rewind() {
        for (Iterator<ByteBuf> it = gone.descendingIterator(); it.hasNext(); ) {
            waiting.addFirst(it.next());
        }
        gone.clear();
        goneBytes = 0;
        lastWritten = false;
        if (file != null) {
            file.rewind();
        }
    }

    /** Frees what was kept; it cannot be sent again then. */
    void forget() {
        replayable = false;
        Pieces.release(gone);
    }

    /** Frees everything. */
    void release() {
        forget();
        Pieces.release(waiting);
        if (file != null) {
            file.close();
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
