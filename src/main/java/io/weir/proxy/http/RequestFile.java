package io.weir.proxy.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import org.jspecify.annotations.Nullable;

/**
 * The body of a request that is too large for memory: first it is written to a file, then it is sent from there, to one
 * peer after the other if need be. Confined to the loop's thread.
 */
final class RequestFile {

    /** Read at once. Two of them fill a connection up to its water mark, whatever the size of the body. */
    private static final int READ = 64 * 1024;

    private final Exchange exchange;
    private final int memoryLimit;
    private final Spool spool;
    private long sent;
    private int round;

    /** @param memoryLimit bytes on their way to the file beyond which no more is taken */
    RequestFile(Exchange exchange, int memoryLimit) {
        this.exchange = exchange;
        this.memoryLimit = memoryLimit;
        this.spool = new Spool(
                exchange.client().proxy().files(),
                exchange.loop().executor(),
                exchange.client().alloc(),
                exchange::bodyStoredOn);
    }

    void add(ByteBuf piece) {
        spool.add(piece);
    }

    boolean isFull() {
        return spool.waiting() > memoryLimit;
    }

    /** Whether all that was added is in the file. */
    boolean isStored() {
        return spool.waiting() == 0;
    }

    boolean isLost() {
        return spool.isFailed();
    }

    /** Whether all of it was handed to the connection. */
    boolean isWritten() {
        return sent == spool.end();
    }

    /** Goes on sending, as fast as the connection takes it. */
    void writeTo(Channel channel) {
        if (spool.isReading() || isWritten() || !channel.isWritable()) {
            return;
        }
        int of = round;
        spool.read(sent, (int) Math.min(READ, spool.end() - sent), piece -> read(piece, of));
    }

    private void read(@Nullable ByteBuf piece, int of) {
        if (piece == null) {
            exchange.refuse(500);
        } else if (of != round) {
            // was meant for a peer that has failed meanwhile
            piece.release();
            exchange.sendStored(null);
        } else {
            sent += piece.readableBytes();
            exchange.sendStored(piece);
        }
    }

    /** Begins anew, for the next peer. */
    void rewind() {
        round++;
        sent = 0;
    }

    void close() {
        spool.close();
    }
}
