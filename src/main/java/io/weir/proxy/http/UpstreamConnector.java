package io.weir.proxy.http;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.weir.zone.Peer;
import java.net.UnixDomainSocketAddress;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens connections to peers, on the loop of the client they are for. Safe on every loop. */
final class UpstreamConnector {

    private static final Logger log = LoggerFactory.getLogger(UpstreamConnector.class);

    private final Supplier<? extends Channel> inetChannels;
    private final Supplier<? extends Channel> unixChannels;
    private final HttpDecoders decoders;

    UpstreamConnector(
            Supplier<? extends Channel> inetChannels, Supplier<? extends Channel> unixChannels, HttpDecoders decoders) {
        this.decoders = decoders;
        this.inetChannels = inetChannels;
        this.unixChannels = unixChannels;
    }

    /**
     * A channel that is not connected yet, or null if there are no more sockets to be had.
     *
     * <p>Made by hand, where a Bootstrap would clone and resolve for every connection what never changes here.
     */
    @Nullable
    UpstreamChannel open(Loop loop, Peer peer) {
        Channel channel = null;
        try {
            boolean unix = peer.address() instanceof UnixDomainSocketAddress;
            channel = (unix ? unixChannels : inetChannels).get();
            if (!unix) {
                channel.config().setOption(ChannelOption.TCP_NODELAY, true);
            }
            // loop.deadlines() watches over the connect, without a task for each
            channel.config().setConnectTimeoutMillis(0);
            // an answer that came before the peer closed is still to be read
            channel.config().setAutoClose(false);
            UpstreamChannel upstream = new UpstreamChannel(loop, channel, peer, decoders.responses(loop));
            loop.executor().register(channel).syncUninterruptibly();
            return upstream;
        } catch (RuntimeException e) {
            log.error("cannot open a connection to {}: {}", peer.name(), e.toString());
            if (channel != null) {
                channel.unsafe().closeForcibly();
            }
            return null;
        }
    }
}
