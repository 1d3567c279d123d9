package io.weir.proxy.stream;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.unix.UnixChannelOption;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sockets beside one that is bound to a wildcard: one for each address of this machine that a client has asked, since an
 * answer has to leave from there and Netty cannot tell the system where a datagram is to leave from. What is sent to that
 * address comes by its socket from then on. Confined to their loop's thread.
 *
 * <p>They share the port with the first, which only sockets of the same user can that ask for it. The first does not ask
 * before it is bound, so a port that is taken is still refused.
 */
final class AnsweringSockets {

    private static final Logger log = LoggerFactory.getLogger(AnsweringSockets.class);

    /** More addresses than a machine has but for loopback ones, of which it has millions. */
    private static final int MOST = 256;

    private final Channel first;
    private final Supplier<Channel> channels;
    private final Map<InetAddress, Channel> byAddress = new HashMap<>();

    /**
     * @param first is bound
     * @param channels makes further ones, which read as the first does, and are neither registered nor bound
     */
    AnsweringSockets(Channel first, Supplier<Channel> channels) {
        this.first = first;
        this.channels = channels;
    }

    /**
     * The socket whose datagrams leave from an address; the first where there can be none of its own.
     *
     * @param asked what a client has sent to
     */
    Channel of(InetSocketAddress asked) {
        InetAddress address = asked.getAddress();
        if (address.isAnyLocalAddress() || address.isMulticastAddress() || !isWildcard()) {
            return first;
        }
        Channel known = byAddress.get(address);
        if (known != null || byAddress.size() >= MOST) {
            return known == null ? first : known;
        }
        Channel opened = open(asked);
        byAddress.put(address, opened);
        return opened;
    }

    private boolean isWildcard() {
        return first.localAddress() instanceof InetSocketAddress local
                && local.getAddress().isAnyLocalAddress();
    }

    private Channel open(InetSocketAddress asked) {
        Channel channel = null;
        try {
            first.config().setOption(UnixChannelOption.SO_REUSEPORT, true);
            channel = channels.get();
            channel.config().setOption(UnixChannelOption.SO_REUSEPORT, true);
            first.eventLoop().register(channel).syncUninterruptibly();
            ChannelFuture bound = channel.bind(asked);
            if (bound.isSuccess()) {
                return channel;
            }
            log.warn("answers of {} may leave from another address: {}", asked, String.valueOf(bound.cause()));
        } catch (RuntimeException e) {
            log.warn("answers of {} may leave from another address: {}", asked, e.toString());
        }
        if (channel != null && channel.isRegistered()) {
            channel.close();
        } else if (channel != null) {
            channel.unsafe().closeForcibly();
        }
        return first;
    }

    void close() {
        byAddress.values().forEach(Channel::close);
        first.close();
    }
}
