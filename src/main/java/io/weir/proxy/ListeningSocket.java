package io.weir.proxy;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.function.Consumer;
import reactor.netty.DisposableServer;
import reactor.netty.NettyPipeline;
import reactor.netty.resources.LoopResources;
import reactor.netty.tcp.TcpServer;

/** A TCP socket that is bound. On control threads. */
final class ListeningSocket {

    /** Also for what has to happen on a loop until a socket is closed. */
    static final Duration TIMEOUT = Duration.ofSeconds(10);

    private static final int BACKLOG = 4096;

    private final DisposableServer server;
    private final Acceptor acceptor;

    private ListeningSocket(DisposableServer server) {
        this.server = server;
        this.acceptor = Acceptor.of(server.channel());
    }

    /**
     * Binds.
     *
     * @param bind an address of this machine, or a wildcard
     * @param clients takes over each client on its loop, before anything is read
     * @throws RuntimeException whose cause at the bottom tells why it cannot be bound
     */
    static ListeningSocket bind(LoopResources loops, String bind, int port, Consumer<Channel> clients) {
        return new ListeningSocket(TcpServer.create()
                .runOn(loops, true)
                .bindAddress(() -> new InetSocketAddress(bind, port))
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .doOnChannelInit((observer, channel, remote) -> {
                    // the bridge to Reactor's streams has no place on a request's path
                    channel.pipeline().remove(NettyPipeline.ReactiveBridge);
                    clients.accept(channel);
                })
                .bindNow(TIMEOUT));
    }

    /** Begins to close it without losing a client that is connecting; returns at once. */
    void stopAccepting() {
        acceptor.close();
    }

    /** Waits for what {@link #stopAccepting} has begun. */
    void awaitClosed() {
        acceptor.awaitClosed(TIMEOUT.toMillis());
        unbind();
    }

    /** Closes it at once; clients stay connected. */
    void unbind() {
        server.disposeNow(TIMEOUT);
    }
}
