package io.weir.proxy.stream;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.socket.DatagramPacket;
import io.weir.proxy.loop.Datagrams;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A listener of UDP: one socket on one loop, and the sessions of the clients that send to it, all on that loop.
 *
 * <p>A listener that is no longer wanted keeps its socket for the answers of the sessions that it has, and begins no new one.
 * Safe on every thread but for the methods that say otherwise.
 *
 * <p>Differs from nginx: all clients are on one loop, where nginx spreads them over its workers with {@code reuseport}.
 */
public final class UdpListener extends StreamListener {

    private static final Logger log = LoggerFactory.getLogger(UdpListener.class);

    /** Bytes of answers that may wait for the socket; those that come while there are more are lost. */
    private static final int WAITING = 1 << 20;

    private final Map<UdpClient, UdpSession> sessions = new HashMap<>();
    private volatile @Nullable Channel socket;
    private @Nullable AnsweringSockets answering;
    private volatile boolean retired = true;
    private boolean held = true;
    private int open;

    UdpListener(StreamProxy proxy) {
        super(proxy);
    }

    /**
     * Takes over a socket that is yet to be bound. Once. Nothing is read from it before there are rules.
     *
     * @param channel of UDP, which is not registered yet
     */
    public void serve(Channel channel) {
        socket = prepared(channel);
        channel.config().setAutoRead(false);
    }

    private Channel prepared(Channel channel) {
        channel.config().setRecvByteBufAllocator(new FixedRecvByteBufAllocator(Datagrams.LARGEST));
        channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(WAITING / 2, WAITING));
        channel.pipeline().addLast(new Receiver());
        return channel;
    }

    private final class Receiver extends ChannelInboundHandlerAdapter {

        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            tellRecipients(ctx.channel());
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            received((DatagramPacket) message);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            if (!(cause instanceof IOException)) {
                log.warn("a datagram failed on {}", ctx.channel(), cause);
            }
        }
    }

    /** Where the system can, a datagram comes with the address that it was sent to, also if the socket has a wildcard. */
    private static void tellRecipients(Channel channel) {
        try {
            channel.config().setOption(EpollChannelOption.IP_RECVORIGDSTADDR, true);
        } catch (RuntimeException e) {
            log.debug("{} does not tell where datagrams were sent to", channel, e);
        }
    }

    private Channel socket() {
        Channel bound = socket;
        if (bound == null) {
            throw new IllegalStateException("there is no socket yet");
        }
        return bound;
    }

    private AnsweringSockets sockets() {
        AnsweringSockets known = answering;
        if (known == null) {
            known = new AnsweringSockets(
                    socket(), () -> prepared(proxy().sockets().datagrams()));
            answering = known;
        }
        return known;
    }

    private void received(DatagramPacket packet) {
        UdpClient client = new UdpClient(packet.sender(), packet.recipient());
        UdpSession session = sessions.get(client);
        if (session != null) {
            session.received(packet.content());
            return;
        }
        StreamRules now = rules();
        if (retired || now == null) {
            packet.release();
            return;
        }
        open++;
        UdpSession fresh = new UdpSession(this, now, sockets().of(client.recipient()), client);
        sessions.put(client, fresh);
        fresh.begin(packet.content());
    }

    /** Further datagrams of the client begin a session of their own. On the loop. */
    void release(UdpSession session) {
        sessions.remove(session.client(), session);
    }

    /** A session has ended. On the loop. */
    void ended(UdpSession session) {
        release(session);
        open--;
        closeIfIdle();
    }

    private void closeIfIdle() {
        if (retired && !held && open == 0) {
            sockets().close();
        }
    }

    @Override
    public void follow(StreamRules rules) {
        super.follow(rules);
        retired = false;
        socket().eventLoop().execute(() -> {
            held = false;
            socket().config().setAutoRead(true);
        });
    }

    /** Begins no new session from now on, and closes the socket as soon as there is none. Not on the loop. */
    public void retire() {
        retired = true;
        onLoop(() -> {
            held = false;
            closeIfIdle();
            return true;
        });
    }

    /**
     * Keeps the socket open until the listener follows rules again or retires again. Not on the loop.
     *
     * @return false if it has been closed
     */
    public boolean revive() {
        return onLoop(() -> {
            held = socket().isOpen();
            return held;
        });
    }

    private boolean onLoop(Callable<Boolean> task) {
        return socket().eventLoop().submit(task).syncUninterruptibly().getNow();
    }

    public boolean isOpen() {
        return socket().isOpen();
    }

    @Override
    public void close() {
        super.close();
        retired = true;
        // behind the end of its sessions
        socket().eventLoop().execute(() -> sockets().close());
    }
}
