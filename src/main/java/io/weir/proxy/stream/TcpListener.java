package io.weir.proxy.stream;

import io.netty.channel.Channel;
import io.weir.config.StreamClientSettings;
import io.weir.config.StreamListenerConfig;
import io.weir.proxy.log.LogWriter;
import io.weir.proxy.loop.BoundListener;
import io.weir.proxy.loop.ClientLimits;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * What the TCP clients of a listening socket share: the rules in force, and their sessions. Safe on every thread.
 *
 * <p>A socket is bound before the change that it belongs to is sure to come. Clients that connect meanwhile wait until there
 * are rules to {@link #follow}.
 */
public final class TcpListener implements BoundListener {

    private final StreamProxy proxy;
    private final ClientLimits limits = new ClientLimits();
    private final Set<Session> sessions = ConcurrentHashMap.newKeySet();
    private final Queue<Channel> waiting = new ConcurrentLinkedQueue<>();
    private volatile @Nullable StreamRules rules;

    TcpListener(StreamProxy proxy) {
        this.proxy = proxy;
    }

    @Override
    public void accept(Channel channel) {
        StreamRules its = rules;
        if (its != null) {
            begin(channel, its);
            return;
        }
        waiting.add(channel);
        admitWaiting();
    }

    private void admitWaiting() {
        StreamRules its = rules;
        if (its == null) {
            return;
        }
        for (Channel channel = waiting.poll(); channel != null; channel = waiting.poll()) {
            Channel next = channel;
            next.eventLoop().execute(() -> begin(next, its));
        }
    }

    private void begin(Channel channel, StreamRules its) {
        if (!(channel.remoteAddress() instanceof InetSocketAddress remote)
                || !(channel.localAddress() instanceof InetSocketAddress local)) {
            // it has gone already
            channel.close();
            return;
        }
        InetAddress address = remote.getAddress();
        StreamClientSettings granted = its.config().client();
        ClientLimits.Entry entry = limits.enter(address, granted.maxConnections(), granted.maxConnectionsPerAddress());
        channel.closeFuture().addListener(closed -> limits.leave(address));
        TcpSession session =
                new TcpSession(proxy, proxy.contexts().of(channel.eventLoop()), its, channel, remote, local);
        sessions.add(session);
        channel.closeFuture().addListener(closed -> sessions.remove(session));
        if (entry == ClientLimits.Entry.IN) {
            session.begin();
        } else {
            session.finish(503, null);
        }
    }

    /**
     * New sessions follow this; those that run go on with what they began with.
     *
     * @param writer of its log; null for none
     */
    public void follow(StreamListenerConfig config, @Nullable LogWriter writer) {
        rules = new StreamRules(config, writer);
        admitWaiting();
    }

    /** A session has no moment at which nothing of it is running. */
    @Override
    public void drain() {}

    @Override
    public void close() {
        for (Channel channel = waiting.poll(); channel != null; channel = waiting.poll()) {
            channel.close();
        }
        sessions.forEach(session -> session.end(200));
    }

    @Override
    public int clients() {
        return sessions.size();
    }
}
