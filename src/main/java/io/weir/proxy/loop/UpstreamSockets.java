package io.weir.proxy.loop;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.weir.zone.Peer;
import java.net.UnixDomainSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens sockets for connections to peers, on the loop of the client they are for. Safe on every loop. */
public final class UpstreamSockets {

    private static final Logger log = LoggerFactory.getLogger(UpstreamSockets.class);

    /** Of the same fault, most likely too many open files: clients may be many, and those of UDP come from anywhere. */
    private static final long LOG_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final AtomicLong lastLogged = new AtomicLong(System.nanoTime() - LOG_NANOS);
    private final Supplier<? extends Channel> inetChannels;
    private final Supplier<? extends Channel> unixChannels;
    private final Supplier<? extends Channel> datagramChannels;

    /**
     * @param inetChannels make TCP channels that fit the event loops
     * @param unixChannels make unix socket channels, or throw where there are none
     * @param datagramChannels make UDP channels
     */
    public UpstreamSockets(
            Supplier<? extends Channel> inetChannels,
            Supplier<? extends Channel> unixChannels,
            Supplier<? extends Channel> datagramChannels) {
        this.inetChannels = inetChannels;
        this.unixChannels = unixChannels;
        this.datagramChannels = datagramChannels;
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
     * @return null if there are no more sockets to be had, which is logged now and then
     */
    public <T> @Nullable T open(Peer peer, Function<Channel, T> own) {
        boolean unix = peer.address() instanceof UnixDomainSocketAddress;
        return make(peer, unix ? unixChannels : inetChannels, channel -> {
            if (!unix) {
                channel.config().setOption(ChannelOption.TCP_NODELAY, true);
            }
            // the owner's deadlines watch over the connect, without a task for each
            channel.config().setConnectTimeoutMillis(0);
            channel.config().setAutoClose(false);
            return own.apply(channel);
        });
    }

    /**
     * A channel of UDP that is registered, and belongs to no peer before {@link Datagrams#connect}.
     *
     * @param pipeline is added before the channel is registered
     * @return null if there are no more sockets to be had, which is logged
     */
    @SuppressWarnings("deprecation") // no other way not to bind it: a port is chosen as it connects
    public @Nullable Channel openDatagrams(EventLoop loop, Peer peer, ChannelHandler pipeline) {
        return make(peer, datagramChannels, channel -> {
            channel.config().setOption(ChannelOption.DATAGRAM_CHANNEL_ACTIVE_ON_REGISTRATION, true);
            channel.config().setRecvByteBufAllocator(new FixedRecvByteBufAllocator(Datagrams.LARGEST));
            channel.pipeline().addLast(pipeline);
            loop.register(channel).syncUninterruptibly();
            return channel;
        });
    }

    /** A channel of UDP that is not registered yet. */
    public Channel datagrams() {
        return datagramChannels.get();
    }

    private <T> @Nullable T make(Peer peer, Supplier<? extends Channel> channels, Function<Channel, T> own) {
        Channel channel = null;
        try {
            channel = channels.get();
            return own.apply(channel);
        } catch (RuntimeException e) {
            tell(peer, e);
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

    private void tell(Peer peer, RuntimeException e) {
        long now = System.nanoTime();
        long last = lastLogged.get();
        if (now - last >= LOG_NANOS && lastLogged.compareAndSet(last, now)) {
            log.error("cannot open a connection to {}: {}", peer.name(), e.toString());
        }
    }
}
