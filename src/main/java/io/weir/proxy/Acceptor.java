package io.weir.proxy;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The beginning of a listening socket's pipeline. Closes it without losing the clients whose connection the kernel makes
 * already, and tells, but not too often, that no more can be accepted. On the socket's loop, but for {@link #close}.
 */
final class Acceptor extends ChannelInboundHandlerAdapter {

    private static final Logger log = LoggerFactory.getLogger(Acceptor.class);

    /** Of the same fault, such as too many open files. */
    private static final long LOG_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** For the last step of a connection that is being made, and for a loop under load to accept it. */
    private static final int LAST_MILLIS = 100;

    private final Channel socket;
    private long lastLogged = System.nanoTime() - LOG_NANOS;
    private int failures;

    private Acceptor(Channel socket) {
        this.socket = socket;
    }

    static Acceptor of(Channel socket) {
        Acceptor acceptor = new Acceptor(socket);
        socket.pipeline().addFirst(acceptor);
        return acceptor;
    }

    /**
     * Closes the socket once all have been accepted whose connection was being made. Returns at once. Safe on every thread.
     *
     * <p>Where nobody can be kept from connecting meanwhile, those that do in the last moment are reset, as with nginx.
     */
    void close() {
        socket.eventLoop().execute(() -> {
            SynFilter.attach(socket);
            socket.eventLoop().schedule(() -> socket.close(), LAST_MILLIS, TimeUnit.MILLISECONDS);
        });
    }

    /** Waits until it is closed, and at most so long. */
    void awaitClosed(long millis) {
        socket.closeFuture().awaitUninterruptibly(millis);
    }

    /**
     * Hands a client over at the end of the loop's turn. Within the turn there may still be events of a connection that was
     * closed in it, and whose descriptor the new client has got: Netty would take them for the client's, and at last cut it.
     */
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object client) {
        ctx.executor().execute(() -> ctx.fireChannelRead(client));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        failures++;
        long now = System.nanoTime();
        if (now - lastLogged >= LOG_NANOS) {
            lastLogged = now;
            log.warn(
                    "no client can be accepted on {} ({} times since this was last told): {}",
                    socket.localAddress(),
                    failures,
                    cause.toString());
            failures = 0;
        }
        // Reactor Netty stops accepting for a second, and tells nobody
        ctx.fireExceptionCaught(cause);
    }
}
