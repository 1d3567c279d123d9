package io.weir.proxy.stream;

import io.weir.config.ListenerConfig;
import io.weir.config.ProxyConfig;
import io.weir.proxy.loop.LoopContexts;
import io.weir.proxy.loop.UpstreamSockets;
import io.weir.upstream.Upstreams;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** What all stream listeners share, and the sessions that are open. Safe on every thread. */
public final class StreamProxy {

    private final LoopContexts contexts;
    private final Upstreams upstreams;
    private final UpstreamSockets sockets;
    private final StreamCounts counts = new StreamCounts();
    private final AtomicLong numbers = new AtomicLong();
    private final Set<Session> sessions = ConcurrentHashMap.newKeySet();

    /** @param sockets for connections to peers */
    public StreamProxy(LoopContexts contexts, Upstreams upstreams, UpstreamSockets sockets) {
        this.contexts = contexts;
        this.upstreams = upstreams;
        this.sockets = sockets;
    }

    /** A TCP listener that is yet to follow its configuration. */
    public TcpListener listener() {
        return new TcpListener(this);
    }

    public StreamCounts counts() {
        return counts;
    }

    /** Ends the sessions that are with a server now; returns before they have ended. */
    public void dropSessions(String upstream, int serverId) {
        forEach(session -> true, session -> {
            if (session.isAt(upstream, serverId)) {
                session.finish(200, null);
            }
        });
    }

    /**
     * Ends the sessions whose server is gone or down, where their listener asks for that. Everything else goes on with what
     * it began with.
     */
    public void follow(ProxyConfig config) {
        Servers servers = new Servers(config);
        forEach(session -> session.rules().config().proxy().sessionDrop(), session -> {
            if (!session.isWanted(servers)) {
                session.finish(200, null);
            }
        });
        counts.retain(config.listeners().stream().map(ListenerConfig::name).collect(Collectors.toSet()));
    }

    private interface Step {
        void take(Session session);
    }

    /** Runs a step for sessions, each on its loop. */
    private void forEach(Predicate<Session> wanted, Step step) {
        for (Session session : sessions) {
            if (wanted.test(session)) {
                session.loop().executor().execute(() -> {
                    if (!session.isOver()) {
                        step.take(session);
                    }
                });
            }
        }
    }

    LoopContexts contexts() {
        return contexts;
    }

    Upstreams upstreams() {
        return upstreams;
    }

    UpstreamSockets sockets() {
        return sockets;
    }

    long nextNumber() {
        return numbers.incrementAndGet();
    }

    void begun(Session session) {
        sessions.add(session);
    }

    void ended(Session session) {
        sessions.remove(session);
    }
}
