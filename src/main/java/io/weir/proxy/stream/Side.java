package io.weir.proxy.stream;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.util.ReferenceCountUtil;
import io.weir.proxy.address.ProxyHeader;
import io.weir.proxy.address.ProxyHeaderDecoder;
import io.weir.proxy.loop.Deadlines;
import io.weir.proxy.loop.Pace;
import io.weir.proxy.loop.ReadSizes;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One of the two connections of a session: tells the session what happens on it, and is read when neither its pace nor the
 * other side forbids it. Confined to the session's loop.
 */
final class Side extends ChannelInboundHandlerAdapter {

    private static final Logger log = LoggerFactory.getLogger(Side.class);

    /** Buffers that may be on the way to a side that takes none: one turn of reading. */
    private static final int BUFFERS = 8;

    private final TcpSession session;
    private final Channel channel;
    private final @Nullable Pace pace;
    private final Pause pause = new Pause();
    private boolean held;
    private boolean paused;
    private boolean ended;
    private boolean outputDone;
    private long written;
    private long received;

    /** @param rate bytes a second that are read, 0 for no limit */
    Side(TcpSession session, Channel channel, long rate) {
        this.session = session;
        this.channel = channel;
        this.pace = rate == 0 ? null : new Pace(rate, session.loop().now());
        int buffer = (int) session.settings().bufferSize().bytes();
        channel.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
        channel.config().setAutoClose(false);
        channel.config().setRecvByteBufAllocator(new ReadSizes(() -> 0, this::readLimit));
        channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(buffer, BUFFERS * buffer));
        channel.pipeline().addLast(this);
    }

    private int readLimit() {
        int limit = session.readLimit(this);
        return pace == null ? limit : Math.min(limit, pace.limit(session.loop().now()));
    }

    Channel channel() {
        return channel;
    }

    // ---- reading ----

    void startReading() {
        channel.config().setAutoRead(!held && !paused);
    }

    /** Stops reading for as long as the other side takes nothing, or goes on with it. */
    void hold(boolean stop) {
        if (held != stop) {
            held = stop;
            startReading();
        }
    }

    /** Pauses if the turn that has ended was too fast. */
    void pace() {
        if (pace != null && !paused) {
            pause(pace.pauseMillis(session.loop().now()));
        }
    }

    private void pause(long millis) {
        paused = millis > 0;
        startReading();
        if (paused) {
            session.loop().deadlines().arm(pause, TimeUnit.MILLISECONDS.toNanos(millis));
        }
    }

    private final class Pause extends Deadlines.Timeout {
        @Override
        protected void expired() {
            if (pace != null) {
                pause(pace.furtherMillis(session.loop().now()));
                session.resumed();
            }
        }
    }

    boolean isPaused() {
        return paused;
    }

    long received() {
        return received;
    }

    /** Whether it has sent its last byte. */
    boolean isEnded() {
        return ended;
    }

    // ---- writing ----

    /** Hands over bytes; a failure is told as the end of this side. */
    void write(ByteBuf bytes) {
        written += bytes.readableBytes();
        channel.write(bytes, channel.voidPromise());
    }

    /** Bytes that were handed over to be written. */
    long written() {
        return written;
    }

    /** Those of them that the kernel has not taken yet. */
    long pending() {
        ChannelOutboundBuffer out = channel.unsafe().outboundBuffer();
        return out == null ? 0 : Math.max(0, out.totalPendingWriteBytes() - out.currentProgress());
    }

    /** Everything that it will ever get was written. */
    void outputDone() {
        outputDone = true;
    }

    boolean isOutputDone() {
        return outputDone;
    }

    /** Lets go of whatever waits. */
    void forget() {
        session.loop().deadlines().forget(pause);
    }

    // ---- events ----

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (message instanceof ByteBuf bytes) {
            int count = bytes.readableBytes();
            received += count;
            if (pace != null) {
                pace.took(count);
            }
            session.read(this, bytes);
        } else if (message instanceof ProxyHeader header) {
            session.headerRead(header);
        } else {
            ReferenceCountUtil.release(message);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        session.readComplete(this);
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        session.writabilityChanged(this);
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event == ChannelInputShutdownEvent.INSTANCE) {
            end();
        } else if (event == ProxyHeaderDecoder.Broken.HEADER) {
            session.headerBroken();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        end();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        log.debug("{}: {}", channel, cause.toString());
        // neither reading nor writing goes on after a fault
        channel.close();
        end();
    }

    private void end() {
        if (!ended) {
            ended = true;
            session.ended(this);
        }
    }
}
