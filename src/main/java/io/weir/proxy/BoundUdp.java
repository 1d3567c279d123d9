package io.weir.proxy;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.DatagramChannel;
import io.weir.config.ListenerConfig;
import io.weir.proxy.stream.UdpListener;
import java.net.InetSocketAddress;
import reactor.netty.resources.LoopResources;

/**
 * A bound socket of UDP. Its sessions answer by it, so it stays open until the last of them has ended, and can be used again
 * meanwhile. On control threads.
 */
final class BoundUdp implements BoundSocket {

    private final UdpListener listener;

    /**
     * Binds.
     *
     * @param config tells where
     * @throws RuntimeException whose cause at the bottom tells why it cannot be bound
     */
    BoundUdp(LoopResources loops, EventLoopGroup group, ListenerConfig config, UdpListener listener) {
        this.listener = listener;
        Channel channel = loops.onChannel(DatagramChannel.class, group);
        listener.serve(channel);
        check(channel, group.next().register(channel));
        check(channel, channel.bind(new InetSocketAddress(config.bind(), config.port())));
    }

    private static void check(Channel channel, ChannelFuture step) {
        Throwable cause = step.awaitUninterruptibly().cause();
        if (cause != null) {
            if (channel.isRegistered()) {
                channel.close().awaitUninterruptibly();
            } else {
                channel.unsafe().closeForcibly();
            }
            throw new IllegalStateException(cause);
        }
    }

    @Override
    public UdpListener listener() {
        return listener;
    }

    @Override
    public void stopAccepting() {
        listener.retire();
    }

    /** There is nothing to wait for. */
    @Override
    public void awaitClosed() {}

    /** Whether it is used again from now on, where it has not been closed. */
    boolean revive() {
        return listener.revive();
    }

    boolean isOpen() {
        return listener.isOpen();
    }

    @Override
    public void forget() {
        listener.retire();
    }
}
