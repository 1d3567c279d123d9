package io.weir.proxy.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.weir.config.KeepaliveConfig;
import io.weir.config.MethodSpec;
import io.weir.config.ProxyConfig;
import io.weir.config.ProxySettings;
import io.weir.config.ServerConfig;
import io.weir.config.UpstreamConfig;
import io.weir.upstream.Upstreams;
import io.weir.zone.Peer;
import io.weir.zone.Ticker;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class UpstreamSocketsTest {

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final EventLoop loop = group.next();
    private final UpstreamSockets sockets =
            new UpstreamSockets(NioSocketChannel::new, NioSocketChannel::new, NioDatagramChannel::new);

    @AfterEach
    void stop() {
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    }

    private static Peer peer(int port) {
        Upstreams upstreams = new Upstreams(Ticker.system(), host -> List.of(InetAddress.getAllByName(host)));
        UpstreamConfig app = new UpstreamConfig(
                "app",
                MethodSpec.ROUND_ROBIN,
                KeepaliveConfig.DEFAULT,
                List.of(ServerConfig.of(1, "127.0.0.1:" + port)));
        upstreams
                .prepare(ProxyConfig.EMPTY, new ProxyConfig(1, List.of(app), List.of()))
                .commit();
        return Objects.requireNonNull(Objects.requireNonNull(upstreams.group("app"))
                .open(ProxySettings.DEFAULT)
                .get());
    }

    /** ADR 8: events of the turn may be those of a connection that had the descriptor before. */
    @Test
    void aConnectionIsKnownToTheLoopOnlyAfterTheTurn() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Peer peer = peer(server.getLocalPort());
            CompletableFuture<Boolean> connected = new CompletableFuture<>();
            Channel channel = loop.submit(() -> {
                        Channel opened = Objects.requireNonNull(sockets.open(peer, its -> its));
                        UpstreamSockets.connect(loop, opened, peer, connected::complete);
                        assertThat(opened.isRegistered()).as("in the turn").isFalse();
                        return opened;
                    })
                    .get();
            assertThat(connected.get(60, TimeUnit.SECONDS)).isTrue();
            assertThat(channel.isActive()).isTrue();
            loop.submit(() -> UpstreamSockets.close(channel)).get();
        }
    }

    @Test
    void oneThatIsClosedInTheTurnIsNeverMade() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Peer peer = peer(server.getLocalPort());
            AtomicBoolean told = new AtomicBoolean();
            Channel channel = loop.submit(() -> {
                        Channel opened = Objects.requireNonNull(sockets.open(peer, its -> its));
                        UpstreamSockets.connect(loop, opened, peer, connected -> told.set(true));
                        UpstreamSockets.close(opened);
                        return opened;
                    })
                    .get();
            // behind the turn that would have made it
            loop.submit(() -> {}).get();
            assertThat(channel.isOpen()).isFalse();
            assertThat(channel.isRegistered()).isFalse();
            assertThat(told).isFalse();
        }
    }

    @Test
    void aRefusedConnectionIsTold() throws IOException, InterruptedException, java.util.concurrent.ExecutionException {
        int port;
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = server.getLocalPort();
        }
        Peer peer = peer(port);
        CompletableFuture<Boolean> connected = new CompletableFuture<>();
        loop.submit(() -> {
                    Channel opened = Objects.requireNonNull(sockets.open(peer, its -> its));
                    UpstreamSockets.connect(loop, opened, peer, connected::complete);
                })
                .get();
        assertThat(connected.orTimeout(60, TimeUnit.SECONDS).join()).isFalse();
    }
}
