package io.weir.proxy.stream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelOutputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.ReferenceCountUtil;
import io.weir.proxy.address.ProxyHeader;
import io.weir.proxy.loop.ReadSizes;
import io.weir.proxy.loop.UpstreamSockets;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One of the two connections of a TCP session: reads as fast as it is allowed to, counts, and tells its session what comes.
 * Confined to its loop's thread.
 *
 * <p>It reads up to {@value #READ_BUFFERS} buffers at once as long as the other side takes all of that, and not at all while
 * more than one buffer waits there.
 *
 * <p>Differs from nginx: which reads one buffer at a time. Fewer and larger reads are most of what a large transfer costs less
 * here; see ADR 18.
 */
final class Side extends ChannelInboundHandlerAdapter {

    private static final Logger log = LoggerFactory.getLogger(Side.class);

    /** What one read may bring, in sizes of a buffer. */
    static final int READ_BUFFERS = 4;

    /** Of the system, for a side with a pace, which needs no large window. */
    private static final int PACED_RECEIVE_BUFFER = 64 * 1024;

    /** Reasons not to read. The other side takes no more; what came early has to wait; the rate is used up. */
    static final int BLOCKED = 1;

    static final int FULL = 2;
    private static final int RATE = 4;

    /** What a side tells. It comes on the loop, and may come while the session writes to the side or closes it. */
    interface Owner {

        /** Bytes, which are the owner's from now on. */
        void received(Side from, ByteBuf bytes);

        void proxied(ProxyHeader header);

        /** No more bytes come for now. */
        void turnEnded(Side from);

        /** No more bytes come at all. Told once. */
        void inputEnded(Side side);

        /** Nothing can be sent any more. */
        void sendFailed(Side side);

        /** The side takes bytes again, or takes no more. */
        void writabilityChanged(Side side);
    }

    private final StreamLoop loop;
    private final Channel channel;
    private final Owner owner;
    private final int buffer;
    private int readLimit;
    private int held;
    private @Nullable PacedInput paced;
    private long received;
    private long handed;
    private long sent;
    private boolean ended;
    private boolean outputShut;
    private boolean broken;
    private boolean reset;

    /** @param buffer bytes that may wait to be sent before the other side is no longer read from */
    Side(StreamLoop loop, Channel channel, Owner owner, int buffer) {
        this.loop = loop;
        this.channel = channel;
        this.owner = owner;
        this.buffer = buffer;
        this.readLimit = mostAtOnce();
        channel.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
        // what came before a failure to send is still to be read
        channel.config().setAutoClose(false);
        channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(buffer / 2, buffer));
        channel.config().setRecvByteBufAllocator(new ReadSizes(() -> 0, this::readLimit));
        channel.pipeline().addLast(this);
    }

    private int mostAtOnce() {
        return (int) Math.min(Integer.MAX_VALUE, (long) READ_BUFFERS * buffer);
    }

    private int readLimit() {
        PacedInput pace = paced;
        return pace == null ? readLimit : Math.min(readLimit, pace.limit());
    }

    Channel channel() {
        return channel;
    }

    /** Bytes that have come and were handed on, so far. */
    long received() {
        return received;
    }

    /** Whether no more bytes come. */
    boolean isEnded() {
        return ended;
    }

    /** Whether nothing can be sent any more, without that having been wanted. */
    boolean isBroken() {
        return broken || !channel.isActive();
    }

    /** Whether it ended by an error instead of in order. */
    boolean isReset() {
        return reset;
    }

    // ---- reading ----

    /** From now on it reads no more than so many bytes at once, 1 or more. */
    void limitRead(int bytes) {
        readLimit = bytes;
    }

    void unlimitRead() {
        readLimit = mostAtOnce();
    }

    /**
     * Gives it a pace.
     *
     * @param rate bytes a second, 0 for no limit
     * @param startNanos when the first second began
     */
    void pace(long rate, long startNanos) {
        if (rate > 0) {
            // what the system has of it must fit into memory at the end; left alone, it takes megabytes
            channel.config().setOption(ChannelOption.SO_RCVBUF, PACED_RECEIVE_BUFFER);
            paced = new PacedInput(loop, this, rate, startNanos);
        }
    }

    /** Whether it is its pace that it waits for. */
    boolean isPausing() {
        return paced != null && paced.isPausing();
    }

    void startReading() {
        channel.config().setAutoRead(true);
    }

    /** Stops reading for this reason; what the other end had sent before it closed may come all the same. */
    void hold(int reason) {
        if (held == 0) {
            channel.config().setAutoRead(false);
        }
        held |= reason;
    }

    void release(int reason) {
        if ((held & reason) != 0) {
            held &= ~reason;
            if (held == 0) {
                channel.config().setAutoRead(true);
            }
            if (reason == BLOCKED && paced != null) {
                paced.unblocked();
            }
        }
    }

    void holdForRate() {
        hold(RATE);
    }

    void releaseFromRate() {
        release(RATE);
    }

    boolean isBlocked() {
        return (held & BLOCKED) != 0;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (message instanceof ByteBuf bytes) {
            if (paced == null) {
                hand(bytes);
            } else {
                paced.read(bytes);
            }
        } else if (message instanceof ProxyHeader header) {
            owner.proxied(header);
        } else {
            ReferenceCountUtil.release(message);
        }
    }

    void hand(ByteBuf bytes) {
        received += bytes.readableBytes();
        owner.received(this, bytes);
    }

    void endTurn() {
        owner.turnEnded(this);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        owner.turnEnded(this);
        if (paced != null) {
            paced.turnEnded();
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event == ChannelInputShutdownEvent.INSTANCE) {
            inputShut();
        } else if (event == ChannelOutputShutdownEvent.INSTANCE && !outputShut && !broken) {
            broken = true;
            owner.sendFailed(this);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        inputShut();
    }

    private void inputShut() {
        if (reset && paced != null) {
            // nginx, which has not read it yet, loses it as well; else the session would go on for as long as that
            // takes
            paced.close();
        }
        if (paced == null || paced.mayEnd()) {
            end();
        }
    }

    /** Whatever came has been handed on, and no more comes. */
    void end() {
        if (!ended) {
            ended = true;
            owner.inputEnded(this);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (cause instanceof IOException) {
            // Netty tells of the end of the input or output that it means
            reset = true;
        } else {
            log.warn("closing {}", channel, cause);
            channel.close();
        }
    }

    // ---- writing ----

    /** Queues bytes to be sent; nobody's if nothing can be sent any more. */
    void write(ByteBuf bytes) {
        if (isBroken()) {
            bytes.release();
            return;
        }
        handed += bytes.readableBytes();
        channel.write(bytes, channel.voidPromise());
    }

    void flush() {
        channel.flush();
        sent();
    }

    boolean isWritable() {
        return channel.isWritable();
    }

    /** Bytes that were taken from Weir, so far. */
    long sent() {
        ChannelOutboundBuffer out = channel.unsafe().outboundBuffer();
        if (out != null) {
            sent = handed - waiting(out);
        }
        return sent;
    }

    private static long waiting(ChannelOutboundBuffer out) {
        if (out.isEmpty()) {
            return 0;
        }
        long[] bytes = new long[1];
        try {
            out.forEachFlushedMessage(message -> {
                bytes[0] += ((ByteBuf) message).readableBytes();
                return true;
            });
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        return bytes[0];
    }

    /** Whether all that was written has been sent, or never will be. */
    boolean isFlushed() {
        ChannelOutboundBuffer out = channel.unsafe().outboundBuffer();
        return isBroken() || out == null || out.isEmpty();
    }

    /** Calls back once all that was written so far has been sent, or never will be; maybe at once. */
    void whenFlushed(Runnable then) {
        channel.flush();
        if (isFlushed()) {
            then.run();
        } else {
            channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(done -> then.run());
        }
    }

    /** Tells the other end that no more comes. */
    void shutdownOutput() {
        if (channel.isActive()) {
            outputShut = true;
            ((DuplexChannel) channel).shutdownOutput();
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        owner.writabilityChanged(this);
    }

    /** Closes the connection; what has not been sent is not sent any more. */
    void close() {
        sent();
        if (paced != null) {
            paced.close();
        }
        UpstreamSockets.close(channel);
    }
}
