package io.weir.proxy.stream;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.DatagramPacket;
import io.weir.config.NextUpstream;
import io.weir.config.ProxyHeaderVersion;
import io.weir.proxy.address.ProxyHeaderWriter;
import io.weir.proxy.loop.Datagrams;
import io.weir.proxy.loop.Deadlines;
import io.weir.upstream.Outcome;
import io.weir.zone.FailureReason;
import io.weir.zone.Peer;
import java.io.IOException;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A session of UDP: passes the datagrams of one client to a peer by a socket of its own, and the answers back by the
 * listener's. Confined to its loop's thread.
 *
 * <p>It ends once it has had the datagrams that were allowed and the answers that were expected, or falls silent. A datagram for
 * which there is no room is lost, as in any network; nothing else of a session waits.
 *
 * <p>Differs from nginx: a later datagram is passed on in whole or not at all, where nginx cuts one that is larger than the
 * room that is left in a buffer.
 *
 * @see <a href="https://nginx.org/en/docs/stream/ngx_stream_proxy_module.html#proxy_responses">proxy_responses</a>
 */
final class UdpSession extends Session {

    private static final Logger log = LoggerFactory.getLogger(UdpSession.class);

    /** What a phase tells that does not end the session. */
    private static final int GO_ON = 0;

    /** Room for a PROXY protocol header of either version. */
    private static final int MOST_HEADER = 128;

    private final UdpListener listener;
    private final Channel socket;
    private final UdpClient client;
    private final Silence silence = new Silence();
    private final UdpPace upload;
    private final UdpPace download;
    private @Nullable Channel upstream;
    private @Nullable FailureReason failure;
    private int requests;
    private long responses;
    private boolean answered;

    /** Datagrams that were handed to a socket and have not left yet. */
    private int pending;

    private long received;
    private long sent;
    private long sentToPeer;
    private long receivedFromPeer;

    UdpSession(UdpListener listener, StreamRules rules, Channel socket, UdpClient client) {
        super(listener, rules, listener.proxy().loop(socket.eventLoop()), client.sender(), client.recipient());
        this.listener = listener;
        this.socket = socket;
        this.client = client;
        this.upload = new UdpPace(loop(), settings().uploadRate().bytes(), this::touch);
        this.download = new UdpPace(loop(), settings().downloadRate().bytes(), this::readOn);
    }

    private final class Silence extends Deadlines.Timeout {
        @Override
        protected void expired() {
            timedOut();
        }
    }

    UdpClient client() {
        return client;
    }

    @Override
    long bytesReceived() {
        return received;
    }

    @Override
    long bytesSent() {
        return sent;
    }

    // ---- the first datagram ----

    /** @param datagram the session's from now on */
    void begin(ByteBuf datagram) {
        int status = limitSessions();
        if (status == GO_ON) {
            status = admit();
        }
        if (status == GO_ON) {
            status = choose(null);
        }
        if (status == GO_ON) {
            status = connect();
        }
        if (status == GO_ON) {
            pass(datagram);
        } else {
            received += datagram.readableBytes();
            datagram.release();
            end(status);
        }
    }

    /** Finds a peer. That takes another attempt only where there is no way to one. */
    private int connect() {
        do {
            Peer peer = nextPeer();
            if (peer == null) {
                return BAD_GATEWAY;
            }
            Channel fresh = listener.proxy().sockets().openDatagrams(loop().executor(), peer, new Answers());
            if (fresh == null) {
                // out of sockets: that is Weir's own fault and not the peer's
                return INTERNAL_ERROR;
            }
            if (isConnected(fresh, peer)) {
                int most = (int) settings().bufferSize().bytes();
                fresh.config().setWriteBufferWaterMark(new WriteBufferWaterMark(most / 2, most));
                upstream = fresh;
                connected();
                return GO_ON;
            }
            fresh.close();
            endAttempt(BAD_GATEWAY, Outcome.FAILED, FailureReason.CONNECT, 0, 0);
        } while (mayRetry(NextUpstream.ERROR));
        return BAD_GATEWAY;
    }

    private static boolean isConnected(Channel channel, Peer peer) {
        try {
            // a unix socket could not answer: this end would need a name of its own
            if (peer.address() instanceof InetSocketAddress address) {
                Datagrams.connect(channel, address);
                return true;
            }
        } catch (IOException e) {
            log.debug("no way to {}", peer.name(), e);
        }
        return false;
    }

    // ---- from the client ----

    /** @param datagram the session's from now on */
    void received(ByteBuf datagram) {
        Channel peer = upstream;
        if (isOver() || upload.isArmed() || peer == null || !peer.isWritable()) {
            datagram.release();
        } else {
            pass(datagram);
        }
    }

    private void pass(ByteBuf datagram) {
        int bytes = datagram.readableBytes();
        requests++;
        received += bytes;
        Channel peer = upstream;
        if (peer == null) {
            throw new IllegalStateException("there is no peer");
        }
        ProxyHeaderVersion version = settings().proxyProtocol();
        send(peer, null, version != null && requests == 1 ? headed(version, datagram) : datagram);
        if (isOver()) {
            return;
        }
        if (isComplete()) {
            listener.release(this);
        }
        upload.took(bytes);
        upload.turnEnded();
        turnEnded();
    }

    /** Whether no more datagrams of the client belong to it. */
    private boolean isComplete() {
        return settings().requests() > 0 && requests >= settings().requests();
    }

    private ByteBuf headed(ProxyHeaderVersion version, ByteBuf datagram) {
        ByteBuf all = socket.alloc().directBuffer(MOST_HEADER + datagram.readableBytes());
        if (version == ProxyHeaderVersion.V1) {
            ProxyHeaderWriter.writeText(all, remoteAddress(), localAddress());
        } else {
            ProxyHeaderWriter.writeBinary(all, remoteAddress(), localAddress(), true);
        }
        all.writeBytes(datagram);
        datagram.release();
        return all;
    }

    // ---- to both ----

    /** @param to null for the peer, whose socket is connected */
    private void send(Channel by, @Nullable InetSocketAddress to, ByteBuf datagram) {
        int bytes = datagram.readableBytes();
        if (bytes == 0) {
            datagram.release();
            sendEmpty(by, to);
            return;
        }
        ByteBuf fitting = Datagrams.fitting(by, datagram);
        pending++;
        if (to == null) {
            by.writeAndFlush(fitting).addListener(done -> {
                pending--;
                if (done.isSuccess()) {
                    sentToPeer += bytes;
                    checkEnd();
                } else {
                    failed(FailureReason.RESET);
                    end(OK);
                }
            });
        } else {
            by.write(new DatagramPacket(fitting, to)).addListener(done -> {
                pending--;
                if (done.isSuccess()) {
                    sent += bytes;
                    checkEnd();
                } else {
                    end(OK);
                }
            });
        }
    }

    private void sendEmpty(Channel by, @Nullable InetSocketAddress to) {
        try {
            Datagrams.sendEmpty(by, to);
        } catch (IOException e) {
            if (to == null) {
                failed(FailureReason.RESET);
            }
            end(OK);
        }
    }

    private void failed(FailureReason reason) {
        if (failure == null) {
            failure = reason;
        }
    }

    // ---- from the peer ----

    private final class Answers extends ChannelInboundHandlerAdapter {

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            answered(((DatagramPacket) message).content());
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext ctx) {
            socket.flush();
            if (upstream == ctx.channel() && !isOver()) {
                if (download.turnEnded()) {
                    ctx.channel().config().setAutoRead(false);
                }
                turnEnded();
            }
        }

        /** Most likely nobody listens there. As in nginx, that stands for an answer without bytes, which nobody is sent. */
        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            if (!(cause instanceof IOException)) {
                log.warn("a session failed on {}", ctx.channel(), cause);
                end(INTERNAL_ERROR);
            } else if (upstream == ctx.channel() && !isOver()) {
                failed(FailureReason.RESET);
                responses++;
                turnEnded();
            }
        }
    }

    private void answered(ByteBuf datagram) {
        if (isOver()) {
            datagram.release();
            return;
        }
        int bytes = datagram.readableBytes();
        responses++;
        receivedFromPeer += bytes;
        download.took(bytes);
        if (!answered) {
            answered = true;
            firstByteReceived();
        }
        if (socket.isWritable()) {
            send(socket, client.sender(), datagram);
        } else {
            datagram.release();
        }
    }

    private void readOn() {
        Channel peer = upstream;
        if (peer != null && !isOver()) {
            peer.config().setAutoRead(true);
            touch();
        }
    }

    // ---- the end ----

    private void turnEnded() {
        touch();
        checkEnd();
    }

    private void checkEnd() {
        boolean open = settings().requests() > 0 && !isComplete();
        if (!isOver() && !open && settings().responses() != null && isAnswered() && pending == 0) {
            end(OK);
        }
    }

    /** Whether as many answers have come as were expected. */
    private boolean isAnswered() {
        Integer each = settings().responses();
        return each == null || responses >= (long) each * requests;
    }

    /** A datagram has come or gone. While a side waits for its rate, silence means nothing. */
    private void touch() {
        if (isOver() || upload.isArmed() || download.isArmed()) {
            silence.disarm();
        } else {
            loop().deadlines().arm(silence, settings().timeout().nanos());
        }
    }

    private void timedOut() {
        if (isAnswered()) {
            end(OK);
        } else {
            failed(FailureReason.READ_TIMEOUT);
            end(BAD_GATEWAY);
        }
    }

    @Override
    void release(int with) {
        loop().deadlines().forget(silence);
        upload.close();
        download.close();
        Channel peer = upstream;
        if (peer != null) {
            endAttempt(with, failure == null ? Outcome.OK : Outcome.FAILED, failure, sentToPeer, receivedFromPeer);
            peer.close();
        }
        listener.ended(this);
    }
}
