package io.weir.proxy.loop;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.weir.zone.Peer;
import java.net.UnixDomainSocketAddress;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens sockets for connections to peers, on the loop of the client they are for. Immutable, safe on every loop. */
public final class UpstreamSockets {

    private static final Logger log = LoggerFactory.getLogger(UpstreamSockets.class);

    private final Supplier<? extends Channel> inetChannels;
    private final Supplier<? extends Channel> unixChannels;

    /**
     * @param inetChannels make TCP channels that fit the event loops
     * @param unixChannels make unix socket channels, or throw where there are none
     */
    public UpstreamSockets(Supplier<? extends Channel> inetChannels, Supplier<? extends Channel> unixChannels) {
        this.inetChannels = inetChannels;
        this.unixChannels = unixChannels;
    }

    /** Told what became of a connect, on the loop. */
    public interface Connect {
        void done(boolean connected);
    }

    /**
     * A channel for {@link #connect}. Nobody but its owner watches how long that takes; at the end of the peer's bytes it
     * stays open, as an answer that came before is still to be read.
     *
     * <p>Made by hand, where a Bootstrap would clone and resolve for every connection what never changes here.
     *
     * @param own makes what the channel belongs to, and its pipeline, before it is connected
     * @return null if there are no more sockets to be had, which is logged
     */
    public <T> @Nullable T open(Peer peer, Function<Channel, T> own) {
        Channel channel = null;
        try {
            boolean unix = peer.address() instanceof UnixDomainSocketAddress;
            channel = (unix ? unixChannels : inetChannels).get();
            if (!unix) {
                channel.config().setOption(ChannelOption.TCP_NODELAY, true);
            }
            // the owner's deadlines watch over the connect, without a task for each
            channel.config().setConnectTimeoutMillis(0);
            channel.config().setAutoClose(false);
            return own.apply(channel);
        } catch (RuntimeException e) {
            log.error("cannot open a connection to {}: {}", peer.name(), e.toString());
            if (channel != null) {
                channel.unsafe().closeForcibly();
            }
            return null;
        }
    }

    /**
     * Connects at the end of the loop's turn. Within the turn there may still be events of a connection that was closed in
     * it, and whose descriptor the new one has got: Netty would take them for its own.
     *
     * @param told unless the channel is closed before
     */
    public static void connect(EventLoop loop, Channel channel, Peer peer, Connect told) {
        loop.execute(() -> {
            if (!channel.isOpen()) {
                return;
            }
            try {
                loop.register(channel).syncUninterruptibly();
            } catch (RuntimeException e) {
                log.error("cannot watch a connection to {}: {}", peer.name(), e.toString());
                told.done(false);
                return;
            }
            channel.connect(SocketAddresses.ofChannel(peer.address())).addListener(done -> told.done(done.isSuccess()));
        });
    }

    /** Closes a channel, whether it was connected or not. On its loop. */
    public static void close(Channel channel) {
        if (channel.isRegistered()) {
            channel.close();
        } else {
            channel.unsafe().closeForcibly();
        }
    }
}
