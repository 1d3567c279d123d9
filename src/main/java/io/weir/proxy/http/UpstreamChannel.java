package io.weir.proxy.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import io.weir.config.NextUpstream;
import io.weir.proxy.loop.Deadlines;
import io.weir.proxy.loop.ReadSizes;
import io.weir.proxy.loop.UpstreamSockets;
import io.weir.upstream.KeepaliveCache;
import io.weir.zone.FailureReason;
import io.weir.zone.Peer;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection to a peer: serves one exchange at a time and idles in the group's cache in between. Confined to its loop's
 * thread, which is that of every client it serves.
 */
final class UpstreamChannel extends ChannelInboundHandlerAdapter {

    private static final Logger log = LoggerFactory.getLogger(UpstreamChannel.class);

    private enum Waiting {
        CONNECT,
        SEND,
        READ,
        IDLE
    }

    private final Loop loop;
    private final Channel channel;
    private final Peer peer;
    private final ResponseDecoder decoder;
    private final long openedNanos;
    private final Timer timer = new Timer();
    private Waiting waitingFor = Waiting.CONNECT;
    private long waitNanos;
    private long handed;
    private long goneWhenArmed;
    private int requests;
    private @Nullable Exchange exchange;
    private @Nullable Tunnel tunnel;
    private KeepaliveCache.@Nullable Entry<UpstreamChannel> idle;
    private @Nullable KeepaliveCache<UpstreamChannel> cache;
    private boolean interim;
    private boolean broken;

    UpstreamChannel(Loop loop, Channel channel, Peer peer, ResponseDecoder decoder) {
        this.loop = loop;
        this.decoder = decoder;
        this.channel = channel;
        this.peer = peer;
        this.openedNanos = loop.now();
        channel.config()
                .setRecvByteBufAllocator(new ReadSizes(
                        () -> exchange == null ? 0 : exchange.responseRemaining(),
                        () -> exchange == null ? Integer.MAX_VALUE : exchange.responseReadLimit()));
        channel.config().setWriteBufferWaterMark(Loop.WATER_MARK);
        channel.pipeline().addLast(decoder, this);
    }

    Channel channel() {
        return channel;
    }

    Peer peer() {
        return peer;
    }

    private final class Timer extends Deadlines.Timeout {
        @Override
        protected void expired() {
            timedOut();
        }
    }

    /** Connects on behalf of {@code exchange}, and tells it what came of it. */
    void connect(Exchange exchange, long timeoutNanos) {
        this.exchange = exchange;
        arm(Waiting.CONNECT, timeoutNanos);
        UpstreamSockets.connect(loop.executor(), channel, peer, connected -> {
            Exchange waiting = this.exchange;
            if (waiting == null) {
                close();
            } else if (connected) {
                timer.disarm();
                waiting.upstreamConnected(this);
            } else {
                waiting.upstreamFailed(NextUpstream.ERROR, FailureReason.CONNECT);
            }
        });
    }

    /** Bytes read since this was asked last. */
    long takeReceived() {
        return decoder.takeReceived();
    }

    /** Begins to serve an exchange. */
    void begin(Exchange exchange) {
        this.exchange = exchange;
        requests++;
        idle = null;
        timer.disarm();
        decoder.expect(exchange.request().isHead());
    }

    /** So many bytes were written to the channel. */
    void countHanded(long bytes) {
        handed += bytes;
    }

    /** Sends what was written; waits for room if it does not all go out. */
    void flush(long sendTimeoutNanos) {
        channel.flush();
        if (pending() == 0) {
            if (waitingFor == Waiting.SEND) {
                timer.disarm();
            }
        } else if (waitingFor != Waiting.SEND || !timer.isArmed()) {
            goneWhenArmed = gone();
            arm(Waiting.SEND, sendTimeoutNanos);
        }
    }

    /** Once all that was written has gone out, waits for the head of the response; begun once, it is never put off. */
    void awaitHead(long readTimeoutNanos) {
        if (waitingFor == Waiting.READ && timer.isArmed()) {
            return;
        }
        if (pending() == 0) {
            arm(Waiting.READ, readTimeoutNanos);
            return;
        }
        Exchange waiting = exchange;
        channel.write(Unpooled.EMPTY_BUFFER).addListener(sent -> {
            if (sent.isSuccess() && exchange == waiting && waiting != null && !waiting.isResponseStarted()) {
                arm(Waiting.READ, readTimeoutNanos);
            }
        });
        channel.flush();
    }

    /** Waits for the next bytes. */
    void awaitBytes(long readTimeoutNanos) {
        arm(Waiting.READ, readTimeoutNanos);
    }

    /** A client that takes nothing must not look like a peer that sends nothing. */
    void stopWaiting() {
        timer.disarm();
    }

    private void arm(Waiting what, long nanos) {
        waitingFor = what;
        waitNanos = nanos;
        loop.deadlines().arm(timer, nanos);
    }

    private long pending() {
        ChannelOutboundBuffer out = channel.unsafe().outboundBuffer();
        return out == null ? 0 : out.totalPendingWriteBytes();
    }

    /** A measure of what the peer has taken. */
    private long gone() {
        return handed - pending();
    }

    private void timedOut() {
        if (waitingFor == Waiting.IDLE) {
            dropFromCache();
            close();
            return;
        }
        if (waitingFor == Waiting.SEND && pending() == 0) {
            // all of it has gone out, and it is for the client to send more
            return;
        }
        if (waitingFor == Waiting.SEND && gone() > goneWhenArmed) {
            goneWhenArmed = gone();
            arm(Waiting.SEND, waitNanos);
            return;
        }
        if (tunnel != null) {
            tunnel.timedOut();
            return;
        }
        if (exchange != null) {
            exchange.upstreamFailed(
                    NextUpstream.TIMEOUT,
                    switch (waitingFor) {
                        case CONNECT -> FailureReason.CONNECT_TIMEOUT;
                        case SEND -> FailureReason.SEND_TIMEOUT;
                        case READ, IDLE -> FailureReason.READ_TIMEOUT;
                    });
        }
    }

    /** The connection now carries bytes of another protocol. */
    void switchTo(Tunnel tunnel) {
        this.tunnel = tunnel;
        channel.pipeline().remove(decoder);
    }

    /** No longer serves its exchange and is of no further use. */
    void discard() {
        exchange = null;
        close();
    }

    /** The exchange is over: waits in the cache for the next, if the cache takes it. */
    void keep(KeepaliveCache<UpstreamChannel> cache, Object owner, long idleNanos) {
        exchange = null;
        timer.disarm();
        if (isReusable()) {
            idle = cache.store(this, peer, owner, requests, openedNanos, loop.now());
            if (idle != null) {
                this.cache = cache;
                channel.config().setAutoRead(true);
                arm(Waiting.IDLE, idleNanos);
                return;
            }
        }
        close();
    }

    /** Still whole in both directions, with nothing left over in either. */
    private boolean isReusable() {
        DuplexChannel duplex = (DuplexChannel) channel;
        return channel.isActive()
                && !duplex.isInputShutdown()
                && !duplex.isOutputShutdown()
                && decoder.surplus() == 0
                && pending() == 0;
    }

    void close() {
        loop.deadlines().forget(timer);
        UpstreamSockets.close(channel);
    }

    private void dropFromCache() {
        if (idle != null && cache != null) {
            cache.remove(idle);
            idle = null;
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (tunnel != null) {
            if (message instanceof ByteBuf bytes) {
                tunnel.fromUpstream(bytes);
            } else {
                ReferenceCountUtil.release(message);
            }
            return;
        }
        if (exchange == null || broken && message instanceof LastHttpContent) {
            // the end of a body that only a reset has ended is none
            ReferenceCountUtil.release(message);
            return;
        }
        if (message instanceof ResponseHead response) {
            interim = exchange.onResponse(response);
        } else if (interim && message instanceof LastHttpContent last) {
            interim = false;
            last.release();
        } else if (message instanceof HttpContent content) {
            exchange.onResponseContent(content);
        } else {
            ReferenceCountUtil.release(message);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        if (tunnel != null) {
            tunnel.upstreamReadComplete();
        } else if (exchange != null) {
            exchange.upstreamReadComplete();
        } else if (decoder.surplus() > 0) {
            // nobody asked: whatever this is, it must not answer the next request
            dropFromCache();
            close();
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        if (tunnel != null) {
            tunnel.upstreamWritabilityChanged();
        } else if (exchange != null) {
            exchange.upstreamWritabilityChanged();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        loop.deadlines().forget(timer);
        dropFromCache();
        if (tunnel != null) {
            tunnel.upstreamClosed();
        } else if (exchange != null) {
            exchange.upstreamClosed();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (!(cause instanceof IOException)) {
            log.warn("closing {}", channel, cause);
        }
        broken = true;
        channel.close();
    }
}
