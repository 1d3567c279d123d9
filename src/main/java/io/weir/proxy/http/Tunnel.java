package io.weir.proxy.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.weir.upstream.UpstreamGroup;

/**
 * Both connections of an exchange after a 101: bytes pass in both directions, each side read only as fast as the other
 * takes it. Ends when one side has closed and the other has got what it had sent; there is no half-close.
 *
 * @see <a href="https://nginx.org/en/docs/http/websocket.html">nginx: WebSocket proxying</a>
 */
final class Tunnel {

    private final Exchange exchange;
    private final Channel client;
    private final UpstreamChannel upstream;
    private final long idleNanos;
    private boolean ended;

    Tunnel(Exchange exchange, Channel client, UpstreamChannel upstream, long idleNanos) {
        this.exchange = exchange;
        this.client = client;
        this.upstream = upstream;
        this.idleNanos = idleNanos;
        upstream.awaitBytes(idleNanos);
    }

    void fromClient(ByteBuf bytes) {
        exchange.countTunnelled(bytes.readableBytes(), 0);
        pass(bytes, client, upstream.channel());
    }

    void fromUpstream(ByteBuf bytes) {
        exchange.countTunnelled(0, bytes.readableBytes());
        pass(bytes, upstream.channel(), client);
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
        upstream.channel().config().setAutoRead(client.isWritable());
    }

    void upstreamWritabilityChanged() {
        client.config().setAutoRead(upstream.channel().isWritable());
    }

    void clientClosed() {
        if (end()) {
            upstream.channel().writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
        }
    }

    void upstreamClosed() {
        if (end()) {
            exchange.client().tunnelEnded();
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

    private boolean end() {
        if (ended) {
            return false;
        }
        ended = true;
        exchange.tunnelEnded();
        return true;
    }
}
