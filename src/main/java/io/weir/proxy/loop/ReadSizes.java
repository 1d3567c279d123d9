package io.weir.proxy.loop;

import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/**
 * Says how many bytes to ask the socket for: little while heads are expected, and what is left of a body once one flows,
 * so that 64 KB take two reads where a guess that doubles takes six.
 *
 * <p>A buffer is bounded by twice what the last read brought, unless that filled its buffer: a peer that trickles never
 * pins large buffers with a few bytes in each. One for each channel; confined to its loop's thread.
 */
public final class ReadSizes extends DefaultMaxMessagesRecvByteBufAllocator {

    /** A head with a small body, as most messages are. */
    private static final int LEAST = 2 * 1024;

    private static final int MOST = 64 * 1024;

    /** Reads before what they brought is written on; the water mark ends a turn earlier where the other side is slow. */
    private static final int READS = 8;

    private final LongSupplier remaining;
    private final IntSupplier limit;

    /** @param remaining bytes of the running body that are still to come; 0 if there is none or nobody knows */
    public ReadSizes(LongSupplier remaining) {
        this(remaining, () -> MOST);
    }

    /** @param limit for one read of a body that has a pace of its own, more than 0 */
    public ReadSizes(LongSupplier remaining, IntSupplier limit) {
        super(READS);
        this.remaining = remaining;
        this.limit = limit;
    }

    @Override
    @SuppressWarnings("deprecation") // the type of the handle is what Netty asks for
    public Handle newHandle() {
        return new MaxMessageHandle() {

            private int size = LEAST;
            private boolean filled;

            @Override
            public int guess() {
                if (filled) {
                    filled = false;
                    long wanted = Math.max(2L * size, remaining.getAsLong());
                    size = (int) Math.min(MOST, wanted);
                }
                return Math.min(size, limit.getAsInt());
            }

            @Override
            public void lastBytesRead(int bytes) {
                super.lastBytesRead(bytes);
                if (bytes > 0) {
                    filled = bytes == attemptedBytesRead();
                    if (!filled) {
                        size = Math.max(LEAST, Math.min(MOST, 2 * bytes));
                    }
                }
            }
        };
    }
}
