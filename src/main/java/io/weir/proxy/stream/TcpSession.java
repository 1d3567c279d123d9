package io.weir.proxy.stream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.weir.config.NextUpstream;
import io.weir.config.ProxyHeaderVersion;
import io.weir.config.StreamSettings;
import io.weir.proxy.address.ProxyHeader;
import io.weir.proxy.address.ProxyHeaderDecoder;
import io.weir.proxy.address.ProxyHeaderWriter;
import io.weir.proxy.loop.Deadlines;
import io.weir.proxy.loop.LoopContext;
import io.weir.proxy.loop.SocketAddresses;
import io.weir.zone.FailureReason;
import io.weir.zone.Peer;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * A TCP session: finds out who the client is and where it wants to go, connects to a peer, and moves the bytes of both, each
 * side read only as fast as the other takes it.
 *
 * @see <a href="https://nginx.org/en/docs/stream/stream_processing.html">How nginx processes a TCP/UDP session</a>
 */
final class TcpSession extends Session {

    private enum Phase {
        PROXY_HEADER,
        PREREAD,
        CONNECTING,
        RELAYING
    }

    private final Side client;
    private final Timer timer = new Timer();
    private Phase phase = Phase.PROXY_HEADER;
    private @Nullable Side upstream;

    /** What the client has sent before there was somebody to send it to. */
    private ByteBuf held = Unpooled.EMPTY_BUFFER;

    private boolean answered;
    private long waitNanos;
    private long pendingWhenArmed;
    private boolean picking;
    private boolean pickAgain;

    TcpSession(
            StreamProxy proxy,
            LoopContext loop,
            StreamRules rules,
            Channel channel,
            InetSocketAddress peerAddress,
            InetSocketAddress localAddress) {
        super(proxy, loop, rules, peerAddress, localAddress);
        this.client = new Side(this, channel, settings().uploadRate().bytes());
    }

    private final class Timer extends Deadlines.Timeout {
        @Override
        protected void expired() {
            timedOut();
        }
    }

    StreamSettings settings() {
        return rules().config().proxy();
    }

    private void arm(long nanos) {
        waitNanos = nanos;
        pendingWhenArmed = pending();
        loop().deadlines().arm(timer, nanos);
    }

    // ---- until the group is known ----

    /** Begins; nothing was read yet. */
    void begin() {
        if (rules().config().proxyProtocol()) {
            client.channel().pipeline().addFirst(new ProxyHeaderDecoder());
            arm(rules().config().client().proxyProtocolTimeout().nanos());
            client.startReading();
        } else {
            admit();
        }
    }

    void headerRead(ProxyHeader header) {
        proxyHeader(header);
        admit();
    }

    void headerBroken() {
        finish(400, null);
    }

    private void admit() {
        if (!rules().allows(client())) {
            finish(403, null);
        } else if (rules().config().sslPreread()) {
            phase = Phase.PREREAD;
            hello(new ClientHello());
            arm(rules().config().client().prereadTimeout().nanos());
            client.startReading();
        } else {
            connect();
        }
    }

    private void preread() {
        ClientHello hello = hello();
        if (hello == null || hello.read(held) != ClientHello.State.NEED_MORE) {
            connect();
        } else if (held.readableBytes() >= prereadLimit()) {
            finish(400, null);
        }
    }

    private int prereadLimit() {
        return (int) rules().config().client().prereadBufferSize().bytes();
    }

    private int bufferSize() {
        return (int) settings().bufferSize().bytes();
    }

    /** Bytes that one read may bring at most. */
    int readLimit(Side side) {
        if (side != client || phase == Phase.RELAYING) {
            return bufferSize();
        }
        int most = phase == Phase.PREREAD ? prereadLimit() : bufferSize();
        return Math.max(1, most - held.readableBytes());
    }

    // ---- finding a peer ----

    private void connect() {
        phase = Phase.CONNECTING;
        loop().deadlines().forget(timer);
        if (!chooseGroup()) {
            finish(500, null);
            return;
        }
        // what it sends meanwhile is kept, up to one buffer
        client.startReading();
        client.hold(held.readableBytes() >= bufferSize());
        next();
    }

    /** A connect may fail at once: this loop goes on then, where recursion might not end in a large group. */
    private void next() {
        if (picking) {
            pickAgain = true;
            return;
        }
        picking = true;
        do {
            pickAgain = false;
            attempt();
        } while (pickAgain);
        picking = false;
    }

    private void attempt() {
        Peer peer = pick();
        if (peer == null) {
            finish(502, null);
            return;
        }
        long rate = settings().downloadRate().bytes();
        Side side = proxy().sockets().open(loop().executor(), peer, channel -> new Side(this, channel, rate));
        if (side == null) {
            // out of sockets: that is Weir's own fault and not the peer's
            finish(500, null);
            return;
        }
        upstream = side;
        arm(settings().connectTimeout().nanos());
        side.channel().connect(SocketAddresses.ofChannel(peer.address())).addListener((ChannelFuture done) -> {
            if (isOver() || upstream != side) {
                side.channel().close();
            } else if (done.isSuccess()) {
                connected(side);
            } else {
                failed(NextUpstream.ERROR, FailureReason.CONNECT);
            }
        });
    }

    private void failed(NextUpstream condition, FailureReason reason) {
        Side side = upstream;
        upstream = null;
        if (side != null) {
            side.channel().close();
        }
        attemptFailed(reason);
        if (open().mayRetry(condition, false, true, true)) {
            next();
        } else {
            finish(502, null);
        }
    }

    private void connected(Side to) {
        open().sessionConnected();
        phase = Phase.RELAYING;
        ProxyHeaderVersion version = settings().proxyProtocol();
        if (version != null) {
            ByteBuf header = to.channel().alloc().buffer();
            if (version == ProxyHeaderVersion.V1) {
                ProxyHeaderWriter.writeText(header, client(), localAddress());
            } else {
                ProxyHeaderWriter.writeBinary(header, client(), localAddress(), false);
            }
            to.write(header);
        }
        ByteBuf first = held;
        held = Unpooled.EMPTY_BUFFER;
        if (first.isReadable()) {
            to.write(first);
        } else {
            first.release();
        }
        to.channel().flush();
        arm(settings().timeout().nanos());
        client.hold(!to.channel().isWritable());
        if (client.isEnded()) {
            passEnd(client, to);
        }
    }

    // ---- events of both sides ----

    /** Where the bytes of a side go; null if there is nobody yet, or it belongs to an attempt that has failed. */
    private @Nullable Side other(Side side) {
        if (side == client) {
            return upstream;
        }
        return side == upstream ? client : null;
    }

    /** Bytes have come; the callee owns them. */
    void read(Side from, ByteBuf bytes) {
        int count = bytes.readableBytes();
        if (isOver() || count == 0) {
            bytes.release();
            return;
        }
        if (from == client) {
            received(count);
        }
        Side to = other(from);
        if (phase != Phase.RELAYING || to == null) {
            if (from == client) {
                hold(bytes);
            } else {
                bytes.release();
            }
            return;
        }
        if (from == upstream && !answered) {
            answered = true;
            open().firstByteReceived();
        }
        if (to == client) {
            sent(count);
        }
        to.write(bytes);
        from.hold(!to.channel().isWritable());
    }

    private void hold(ByteBuf bytes) {
        held = ByteToMessageDecoder.MERGE_CUMULATOR.cumulate(client.channel().alloc(), held, bytes);
        if (phase == Phase.PREREAD) {
            preread();
        } else {
            client.hold(held.readableBytes() >= bufferSize());
        }
    }

    /** All that had come was read. */
    void readComplete(Side from) {
        Side to = other(from);
        if (phase == Phase.RELAYING && to != null && !isOver()) {
            to.channel().flush();
            from.pace();
            progressed();
        }
    }

    /** Something was read or written: the time without any begins anew. */
    private void progressed() {
        arm(settings().timeout().nanos());
    }

    void resumed() {
        progressed();
    }

    void writabilityChanged(Side to) {
        Side from = other(to);
        if (phase == Phase.RELAYING && from != null && !isOver()) {
            from.hold(!to.channel().isWritable());
            progressed();
        }
    }

    /** A side has sent its last byte, or is broken. Told once. */
    void ended(Side from) {
        Side to = other(from);
        if (isOver()) {
            return;
        }
        if (phase == Phase.RELAYING) {
            if (to != null) {
                passEnd(from, to);
            }
        } else if (phase == Phase.PROXY_HEADER) {
            finish(400, null);
        } else if (phase == Phase.PREREAD) {
            finish(200, null);
        }
        // who ends while a peer is sought may still want its answer
    }

    /** Once all that {@code from} has sent is on its way. */
    private void passEnd(Side from, Side to) {
        to.channel().writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(flushed -> {
            to.outputDone();
            boolean both = from.isOutputDone() && to.isOutputDone();
            if (isOver()) {
                return;
            }
            if (!settings().halfClose()
                    || both
                    || !from.channel().isActive()
                    || !to.channel().isActive()) {
                finish(200, null);
            } else {
                ((DuplexChannel) to.channel()).shutdownOutput();
            }
        });
    }

    private long pending() {
        Side to = upstream;
        return client.pending() + (to == null ? 0 : to.pending());
    }

    private void timedOut() {
        switch (phase) {
            case PROXY_HEADER, PREREAD -> finish(200, null);
            case CONNECTING -> failed(NextUpstream.TIMEOUT, FailureReason.CONNECT_TIMEOUT);
            case RELAYING -> {
                Side to = upstream;
                boolean paused = client.isPaused() || to != null && to.isPaused();
                // a side that takes bytes slowly has written nothing that anybody was told of
                if (paused || pending() < pendingWhenArmed) {
                    arm(waitNanos);
                } else {
                    finish(200, null);
                }
            }
        }
    }

    // ---- the end ----

    @Override
    void closing() {
        loop().deadlines().forget(timer);
        client.forget();
        held.release();
        held = Unpooled.EMPTY_BUFFER;
        sent(-client.pending());
        Side to = upstream;
        if (to != null) {
            to.forget();
            open().addBytes(to.written() - to.pending(), to.received());
        }
    }

    @Override
    void close() {
        client.channel().close();
        Side to = upstream;
        if (to != null) {
            to.channel().close();
        }
    }
}
