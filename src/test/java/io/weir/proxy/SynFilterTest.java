package io.weir.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import org.junit.jupiter.api.Test;

/** On Linux with the native transport only, as is the filter. */
class SynFilterTest {

    @Sharable
    private static final class Echo extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ctx.writeAndFlush(message);
        }
    }

    @Test
    void newClientsGetNoAnswerAndOldOnesGoOn() throws Exception {
        assumeTrue(Epoll.isAvailable());
        MultiThreadIoEventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
        try {
            Channel socket = new ServerBootstrap()
                    .group(loop)
                    .channel(EpollServerSocketChannel.class)
                    .childHandler(new Echo())
                    .bind(InetAddress.getLoopbackAddress(), 0)
                    .sync()
                    .channel();
            InetSocketAddress address = (InetSocketAddress) socket.localAddress();
            try (Socket old = new Socket(address.getAddress(), address.getPort());
                    Socket late = new Socket()) {
                assertThat(loop.submit(() -> SynFilter.attach(socket)).get()).isTrue();
                assertThatThrownBy(() -> late.connect(address, 300)).isInstanceOf(SocketTimeoutException.class);
                old.getOutputStream().write('a');
                assertThat(old.getInputStream().read()).isEqualTo('a');
            }
        } finally {
            loop.shutdownGracefully(0, 5, java.util.concurrent.TimeUnit.SECONDS).await();
        }
    }
}
