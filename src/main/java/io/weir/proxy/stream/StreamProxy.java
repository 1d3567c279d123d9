package io.weir.proxy.stream;

import io.netty.channel.EventLoop;
import io.weir.config.AdminState;
import io.weir.config.ListenerConfig;
import io.weir.config.ProxyConfig;
import io.weir.config.ServerConfig;
import io.weir.config.StreamListenerConfig;
import io.weir.config.UpstreamConfig;
import io.weir.proxy.log.LogWriter;
import io.weir.proxy.loop.LoopContexts;
import io.weir.proxy.loop.UpstreamSockets;
import io.weir.upstream.Upstreams;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What all stream listeners share. Safe on every thread. */
public final class StreamProxy {

    private final LoopContexts contexts;
    private final Upstreams upstreams;
    private final UpstreamSockets sockets;
    private final StreamCounts counts = new StreamCounts();
    private final AtomicLong sessions = new AtomicLong();
    private final Map<EventLoop, StreamLoop> loops = new ConcurrentHashMap<>();

    /** @param sockets for connections to peers */
    public StreamProxy(LoopContexts contexts, Upstreams upstreams, UpstreamSockets sockets) {
        this.contexts = contexts;
        this.upstreams = upstreams;
        this.sockets = sockets;
    }

    /** A listener of TCP that is yet to {@link StreamListener#follow} rules. */
    public TcpListener tcpListener() {
        return new TcpListener(this);
    }

    /** A listener of UDP that is yet to {@link UdpListener#serve} a socket and to follow rules. */
    public UdpListener udpListener() {
        return new UdpListener(this);
    }

    /**
     * Makes the configuration of a listener ready for sessions. Its groups have been committed.
     *
     * @param log of the listener; null if it has none
     */
    public StreamRules compile(StreamListenerConfig config, @Nullable LogWriter log) {
        return new StreamRules(
                config,
                StreamRoutes.of(config, upstreams::group),
                counts.of(config.name()),
                log == null ? null : SessionLog.of(log, config.accessLog()));
    }

    public StreamCounts counts() {
        return counts;
    }

    /** A configuration has been committed: ends the sessions whose listener wants that of servers that went. */
    public void committed(ProxyConfig config) {
        counts.configured(config.listeners().stream()
                .filter(StreamListenerConfig.class::isInstance)
                .map(ListenerConfig::name)
                .collect(Collectors.toSet()));
        Map<String, Set<Integer>> down = new HashMap<>();
        for (UpstreamConfig group : config.upstreams()) {
            for (ServerConfig server : group.servers()) {
                if (server.state() == AdminState.DOWN) {
                    down.computeIfAbsent(group.name(), name -> new HashSet<>()).add(server.id());
                }
            }
        }
        endSessions(session -> session.isDroppedWith(down));
    }

    /** Ends the sessions that are with a server, whatever their listener wants. Returns at once. */
    public void dropSessions(String upstream, int serverId) {
        endSessions(session -> session.isWith(upstream, serverId));
    }

    /** Ends running sessions soon, each on its loop, where they are asked. */
    void endSessions(Predicate<Session> which) {
        loops.values()
                .forEach(loop -> loop.executor().execute(() -> {
                    for (Session session : loop.sessions()) {
                        if (which.test(session)) {
                            session.end(Session.OK);
                        }
                    }
                }));
    }

    /** The number of a session that begins, from 1. */
    long nextNumber() {
        return sessions.incrementAndGet();
    }

    UpstreamSockets sockets() {
        return sockets;
    }

    StreamLoop loop(EventLoop executor) {
        return loops.computeIfAbsent(executor, e -> new StreamLoop(contexts.of(e)));
    }
}
