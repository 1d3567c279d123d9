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

    /**
     * A channel that is registered and not connected yet. Nobody but its owner watches how long the connect takes; at the
     * end of the peer's bytes it stays open, as an answer that came before is still to be read.
     *
     * <p>Made by hand, where a Bootstrap would clone and resolve for every connection what never changes here.
     *
     * @param own makes what the channel belongs to, and its pipeline, before it is registered
     * @return null if there are no more sockets to be had, which is logged
     */
    public <T> @Nullable T open(EventLoop loop, Peer peer, Function<Channel, T> own) {
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
            T owner = own.apply(channel);
            loop.register(channel).syncUninterruptibly();
            return owner;
        } catch (RuntimeException e) {
            log.error("cannot open a connection to {}: {}", peer.name(), e.toString());
            if (channel != null) {
                channel.unsafe().closeForcibly();
            }
            return null;
        }
    }
}
