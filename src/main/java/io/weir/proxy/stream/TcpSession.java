package io.weir.proxy.stream;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.weir.config.NextUpstream;
import io.weir.config.ProxyHeaderVersion;
import io.weir.config.TimeSpan;
import io.weir.proxy.address.ProxyHeader;
import io.weir.proxy.address.ProxyHeaderDecoder;
import io.weir.proxy.address.ProxyHeaderWriter;
import io.weir.proxy.loop.Deadlines;
import io.weir.proxy.loop.UpstreamSockets;
import io.weir.upstream.Outcome;
import io.weir.zone.FailureReason;
import io.weir.zone.Peer;
import org.jspecify.annotations.Nullable;

/**
 * A session of TCP: lets the client in, finds out where it wants to go, connects to a peer and passes bytes on in both
 * directions until one side has sent its last. Confined to its loop's thread.
 *
 * <p>What the client sends before there is a peer is kept, up to one buffer. Once connected there is no other peer, whatever
 * happens.
 *
 * @see <a href="https://nginx.org/en/docs/stream/ngx_stream_proxy_module.html">ngx_stream_proxy_module</a>
 */
final class TcpSession extends Session implements Side.Owner {

    private enum Phase {
        ACCEPTED,
        PROXY_HEADER,
        PREREAD,
        CONNECTING,
        RELAYING
    }

    private final Side client;
    private final Timer timer = new Timer();
    private Phase phase = Phase.ACCEPTED;
    private @Nullable ClientHello awaitedHello;
    private @Nullable ByteBuf early;
    private @Nullable Side upstream;
    private long contentNanos;
    private boolean answered;
    private boolean halfClosed;
    private long sentWhenArmed;

    private TcpSession(TcpListener listener, StreamRules rules, Channel channel) {
        super(
                listener,
                rules,
                listener.proxy().loop(channel.eventLoop()),
                channel.remoteAddress(),
                channel.localAddress());
        if (config().proxyProtocol()) {
            channel.pipeline().addLast(new ProxyHeaderDecoder());
        }
        this.client = new Side(loop(), channel, this, buffer());
    }

    /** Takes a client over whose connection is about to become active, and begins then. On its loop. */
    static void accept(TcpListener listener, StreamRules rules, Channel channel) {
        TcpSession session = new TcpSession(listener, rules, channel);
        channel.pipeline().addLast(new ChannelInboundHandlerAdapter() {
            @Override
            public void channelActive(ChannelHandlerContext ctx) {
                session.begin();
            }
        });
        channel.closeFuture().addListener(closed -> session.closedEarly());
    }

    /** Takes a client over whose connection is active, and begins. On its loop. */
    static void resume(TcpListener listener, StreamRules rules, Channel channel) {
        new TcpSession(listener, rules, channel).begin();
    }

    /** The connection has gone before anything could begin. */
    private void closedEarly() {
        if (phase == Phase.ACCEPTED) {
            end(OK);
        }
    }

    private final class Timer extends Deadlines.Timeout {
        @Override
        protected void expired() {
            timedOut();
        }
    }

    private int buffer() {
        return (int) settings().bufferSize().bytes();
    }

    @Override
    long bytesReceived() {
        return client.received();
    }

    @Override
    long bytesSent() {
        return client.sent();
    }

    // ---- before there is a peer ----

    /** Goes through the phases in nginx's order. */
    private void begin() {
        if (phase != Phase.ACCEPTED || endsWith(limitSessions())) {
            return;
        }
        if (config().proxyProtocol()) {
            phase = Phase.PROXY_HEADER;
            arm(granted().proxyProtocolTimeout());
            client.startReading();
        } else {
            admitted();
        }
    }

    private boolean endsWith(int status) {
        if (status != 0) {
            end(status);
        }
        return isOver();
    }

    @Override
    public void proxied(ProxyHeader header) {
        if (!isOver()) {
            proxiedBy(header);
            timer.disarm();
            admitted();
        }
    }

    private void admitted() {
        if (endsWith(admit())) {
            return;
        }
        if (config().sslPreread()) {
            phase = Phase.PREREAD;
            awaitedHello = new ClientHello();
            client.limitRead((int) granted().prereadBufferSize().bytes());
            arm(granted().prereadTimeout());
            client.startReading();
        } else {
            connect(null);
        }
    }

    private void preread(ByteBuf bytes, ClientHello hello) {
        ByteBuf all = keep(bytes);
        long room = granted().prereadBufferSize().bytes() - all.readableBytes();
        if (hello.read(all) != ClientHello.State.NEED_MORE) {
            timer.disarm();
            connect(hello);
        } else if (room <= 0) {
            end(BAD_REQUEST);
        } else {
            client.limitRead((int) room);
        }
    }

    /** Keeps bytes until there is a peer. */
    private ByteBuf keep(ByteBuf bytes) {
        ByteBuf before = early;
        if (before == null) {
            early = bytes;
            return bytes;
        }
        ByteBuf all = before;
        if (before.maxWritableBytes() < bytes.readableBytes()) {
            // a piece of a larger buffer
            all = client.channel().alloc().buffer(before.readableBytes() + bytes.readableBytes());
            all.writeBytes(before);
            before.release();
            early = all;
        }
        all.writeBytes(bytes);
        bytes.release();
        return all;
    }

    // ---- connecting ----

    private void connect(@Nullable ClientHello said) {
        if (endsWith(choose(said))) {
            return;
        }
        phase = Phase.CONNECTING;
        contentNanos = loop().now();
        client.pace(settings().uploadRate().bytes(), contentNanos);
        client.limitRead(buffer());
        client.startReading();
        attempt();
    }

    /** Begins an attempt. What comes of its connect is told in a later turn. */
    private void attempt() {
        Peer peer = nextPeer();
        if (peer == null) {
            end(BAD_GATEWAY);
            return;
        }
        Side fresh = listener().proxy().sockets().open(peer, channel -> new Side(loop(), channel, this, buffer()));
        if (fresh == null) {
            // out of sockets: that is Weir's own fault and not the peer's
            end(INTERNAL_ERROR);
            return;
        }
        upstream = fresh;
        arm(settings().connectTimeout());
        UpstreamSockets.connect(loop().executor(), fresh.channel(), peer, connected -> {
            if (upstream != fresh || isOver()) {
                fresh.close();
            } else if (connected) {
                relay(fresh);
            } else {
                attemptFailed(NextUpstream.ERROR, FailureReason.CONNECT);
            }
        });
    }

    private void attemptFailed(NextUpstream condition, FailureReason reason) {
        Side failed = upstream;
        upstream = null;
        if (failed != null) {
            failed.close();
        }
        endAttempt(BAD_GATEWAY, Outcome.FAILED, reason, 0, 0);
        if (mayRetry(condition)) {
            attempt();
        } else {
            end(BAD_GATEWAY);
        }
    }

    // ---- passing on ----

    private void relay(Side to) {
        phase = Phase.RELAYING;
        connected();
        to.pace(settings().downloadRate().bytes(), contentNanos);
        ProxyHeaderVersion version = settings().proxyProtocol();
        if (version != null) {
            to.write(header(version, to.channel()));
        }
        ByteBuf kept = early;
        early = null;
        if (kept != null) {
            to.write(kept);
        }
        client.unlimitRead();
        to.flush();
        client.release(Side.FULL);
        if (!to.isWritable()) {
            client.hold(Side.BLOCKED);
        }
        touch();
        if (client.isEnded()) {
            inputEnded(client);
        }
    }

    private ByteBuf header(ProxyHeaderVersion version, Channel channel) {
        ByteBuf header = channel.alloc().buffer();
        if (version == ProxyHeaderVersion.V1) {
            ProxyHeaderWriter.writeText(header, remoteAddress(), localAddress());
        } else {
            ProxyHeaderWriter.writeBinary(header, remoteAddress(), localAddress(), false);
        }
        return header;
    }

    /** The other one of the two; null if there is none yet, or if the side is none of this session any more. */
    private @Nullable Side opposite(Side side) {
        return side == client ? upstream : side == upstream ? client : null;
    }

    @Override
    public void received(Side from, ByteBuf bytes) {
        Side to = opposite(from);
        if (isOver()) {
            bytes.release();
        } else if (phase == Phase.RELAYING && to != null) {
            if (from != client && !answered) {
                answered = true;
                firstByteReceived();
            }
            pass(from, bytes, to);
        } else if (phase == Phase.PREREAD && awaitedHello != null) {
            preread(bytes, awaitedHello);
        } else if (from == client) {
            keepEarly(bytes);
        } else {
            bytes.release();
        }
    }

    private static void pass(Side from, ByteBuf bytes, Side to) {
        to.write(bytes);
        if (!to.isWritable()) {
            // what fills the buffer goes out at once; the other side is held only if that is not taken
            to.flush();
            if (!to.isWritable()) {
                from.hold(Side.BLOCKED);
            }
        }
    }

    private void keepEarly(ByteBuf bytes) {
        int room = buffer() - keep(bytes).readableBytes();
        if (room <= 0) {
            client.hold(Side.FULL);
        } else {
            client.limitRead(room);
        }
    }

    @Override
    public void turnEnded(Side from) {
        Side to = opposite(from);
        if (phase == Phase.RELAYING && !isOver() && to != null) {
            to.flush();
            touch();
        }
    }

    @Override
    public void writabilityChanged(Side side) {
        Side other = opposite(side);
        if (phase == Phase.RELAYING && !isOver() && other != null && side.isWritable()) {
            other.release(Side.BLOCKED);
            touch();
        }
    }

    // ---- the end of a side ----

    @Override
    public void inputEnded(Side side) {
        if (isOver()) {
            return;
        }
        switch (phase) {
            case ACCEPTED, PREREAD -> end(OK);
            // half a header, or none; a reset is no fault of what was sent
            case PROXY_HEADER -> end(side.isReset() ? OK : BAD_REQUEST);
            case CONNECTING -> {
                // the client has said all that it wants to; the connection is made all the same
            }
            case RELAYING -> {
                Side other = opposite(side);
                if (other != null) {
                    touch();
                    other.whenFlushed(() -> passedOn(other));
                }
            }
        }
    }

    /** One side has sent its last, and the other has taken all of it. */
    private void passedOn(Side to) {
        if (isOver()) {
            return;
        }
        if (settings().halfClose() && !halfClosed && to.isFlushed()) {
            halfClosed = true;
            to.shutdownOutput();
        }
        checkEnd();
    }

    @Override
    public void sendFailed(Side side) {
        // what it sent before that is passed on; the rest of what was for it is nobody's
        if (phase == Phase.RELAYING && !isOver()) {
            checkEnd();
        }
    }

    private void checkEnd() {
        Side peer = upstream;
        if (peer == null) {
            return;
        }
        boolean clientDone = client.isEnded();
        boolean peerDone = peer.isEnded();
        boolean toClient = !client.isFlushed();
        boolean toPeer = !peer.isFlushed();
        boolean over = settings().halfClose()
                ? clientDone && peerDone && !toClient && !toPeer
                : (clientDone || peerDone) && (clientDone || !toClient) && (peerDone || !toPeer);
        boolean gone = clientDone && client.isBroken() && !toPeer || peerDone && peer.isBroken() && !toClient;
        if (over || gone) {
            end(OK);
        }
    }

    // ---- timeouts ----

    private void arm(TimeSpan limit) {
        loop().deadlines().arm(timer, limit.nanos());
    }

    /** Something has happened on one of the sides. While one of them waits for its rate, silence means nothing. */
    private void touch() {
        Side peer = upstream;
        if (peer == null || client.isPausing() || peer.isPausing()) {
            timer.disarm();
        } else {
            sentWhenArmed = client.sent() + peer.sent();
            arm(settings().timeout());
        }
    }

    private void timedOut() {
        Side peer = upstream;
        if (phase == Phase.CONNECTING) {
            attemptFailed(NextUpstream.TIMEOUT, FailureReason.CONNECT_TIMEOUT);
        } else if (phase == Phase.RELAYING && peer != null && client.sent() + peer.sent() > sentWhenArmed) {
            // nobody sends, but somebody takes
            touch();
        } else {
            end(OK);
        }
    }

    @Override
    void release(int with) {
        loop().deadlines().forget(timer);
        Side peer = upstream;
        if (peer != null) {
            endAttempt(with, Outcome.OK, null, peer.sent(), peer.received());
            peer.close();
        }
        ByteBuf kept = early;
        early = null;
        if (kept != null) {
            kept.release();
        }
        client.close();
    }
}
