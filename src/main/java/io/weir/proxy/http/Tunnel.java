package io.weir.proxy.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.socket.DuplexChannel;
import io.weir.upstream.UpstreamGroup;
import org.jspecify.annotations.Nullable;

/**
 * Both connections of an exchange after a 101: bytes pass in both directions, each side read only as fast as the other
 * takes it. Ends when one side has closed and the other has got what it had sent; there is no half-close.
 *
 * <p>Differs from nginx: a WebSocket client is told when Weir stops, see ADR 14.
 *
 * @see <a href="https://nginx.org/en/docs/http/websocket.html">nginx: WebSocket proxying</a>
 */
final class Tunnel {

    /** RFC 6455 sections 5.5.1 and 7.4.1: a close frame that is not masked, and 1001, "going away". */
    private static final ByteBuf GOING_AWAY = Unpooled.unreleasableBuffer(
                    Unpooled.directBuffer(4).writeInt(0x8802_03e9))
            .asReadOnly();

    private final Exchange exchange;
    private final Channel client;
    private final UpstreamChannel upstream;
    private final long idleNanos;

    /** From the upstream; null if it speaks another protocol. */
    private final @Nullable WebSocketFrames frames;

    /** From the client, in the same case. */
    private final @Nullable WebSocketFrames clientFrames;

    private boolean leaving;
    private boolean told;
    private boolean ended;

    /** @param webSocket whether this is what the upstream has switched to */
    Tunnel(Exchange exchange, Channel client, UpstreamChannel upstream, long idleNanos, boolean webSocket) {
        this.exchange = exchange;
        this.client = client;
        this.upstream = upstream;
        this.idleNanos = idleNanos;
        this.frames = webSocket ? new WebSocketFrames() : null;
        this.clientFrames = webSocket ? new WebSocketFrames() : null;
        upstream.awaitBytes(idleNanos);
    }

    void fromClient(ByteBuf bytes) {
        exchange.countTunnelled(bytes.readableBytes(), 0);
        if (clientFrames != null) {
            clientFrames.followAll(bytes);
        }
        pass(bytes, client, upstream.channel());
        if (told && clientFrames != null && clientFrames.isClosed()) {
            // section 7.1.1: it waits for the server to close, and to the client that is Weir
            cut();
        }
    }

    void fromUpstream(ByteBuf bytes) {
        if (ended) {
            bytes.release();
            return;
        }
        exchange.countTunnelled(0, bytes.readableBytes());
        if (told) {
            // section 5.5.1: nothing follows a close frame
            upstream.awaitBytes(idleNanos);
            bytes.release();
            return;
        }
        boolean last = follow(bytes);
        exchange.response().countTunnelled(bytes.readableBytes());
        pass(bytes, upstream.channel(), client);
        if (last) {
            tell();
        }
    }

    /** Returns whether the client is to be told now; then nothing is left in {@code bytes} behind the end of a frame. */
    private boolean follow(ByteBuf bytes) {
        int p = bytes.readerIndex();
        while (frames != null && p < bytes.writerIndex()) {
            p = frames.follow(bytes, p);
            if (leaving && mayTell()) {
                bytes.writerIndex(p);
                return true;
            }
        }
        return false;
    }

    private void pass(ByteBuf bytes, Channel from, Channel to) {
        upstream.awaitBytes(idleNanos);
        to.write(bytes, to.voidPromise());
        if (!to.isWritable()) {
            from.config().setAutoRead(false);
        }
    }

    void clientReadComplete() {
        upstream.channel().flush();
    }

    void upstreamReadComplete() {
        client.flush();
    }

    void clientWritabilityChanged() {
        upstream.channel().config().setAutoRead(ended || client.isWritable());
    }

    void upstreamWritabilityChanged() {
        client.config().setAutoRead(ended || upstream.channel().isWritable());
    }

    /**
     * Weir stops. A WebSocket client is told so as soon as no frame is in the middle of its way, and hears nothing else from
     * then on. Its answer goes to the upstream, which thus is told too, and ends the tunnel.
     */
    void goAway() {
        if (leaving || ended) {
            return;
        }
        leaving = true;
        if (mayTell()) {
            tell();
            client.flush();
        }
    }

    /** Not in the middle of a frame, and not where one side has begun to close already. */
    private boolean mayTell() {
        return frames != null
                && clientFrames != null
                && frames.isBetween()
                && !frames.isClosed()
                && !clientFrames.isClosed();
    }

    private void tell() {
        told = true;
        exchange.response().countTunnelled(GOING_AWAY.readableBytes());
        client.write(GOING_AWAY.duplicate(), client.voidPromise());
    }

    void clientClosed() {
        if (end()) {
            upstream.channel().writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
        } else {
            upstream.close();
        }
    }

    void upstreamClosed() {
        if (end()) {
            exchange.client().tunnelEnded(false);
        }
    }

    /** Ends, as if the server had, if it is this one. */
    void drop(UpstreamGroup group, int serverId) {
        if (exchange.isAt(group, serverId)) {
            upstream.close();
        }
    }

    void timedOut() {
        client.close();
        upstream.close();
    }

    /** Ends it in both directions, though neither side wants to, and not by a reset, which could overtake what was sent. */
    void cut() {
        if (end()) {
            Channel other = upstream.channel();
            other.config().setAutoRead(true);
            other.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(sent -> ((DuplexChannel) other).shutdownOutput());
            exchange.client().tunnelEnded(true);
        }
    }

    private boolean end() {
        if (ended) {
            return false;
        }
        ended = true;
        exchange.tunnelEnded();
        return true;
    }
}
