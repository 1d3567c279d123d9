package io.weir.proxy.stream;

import io.weir.proxy.loop.BoundListener;
import java.net.InetAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * What the sessions of a bound socket share: the rules for new ones, and how many there are. Safe on every thread.
 *
 * <p>A socket is bound before the change that it belongs to is sure to come; before there are rules to {@link #follow} no
 * session begins.
 */
public abstract sealed class StreamListener implements BoundListener permits TcpListener {

    private final StreamProxy proxy;
    private final AtomicInteger open = new AtomicInteger();
    private final Map<InetAddress, Integer> openByAddress = new ConcurrentHashMap<>();
    private volatile @Nullable StreamRules rules;

    StreamListener(StreamProxy proxy) {
        this.proxy = proxy;
    }

    final StreamProxy proxy() {
        return proxy;
    }

    /** What a new session follows; null if it has to wait. */
    final @Nullable StreamRules rules() {
        return rules;
    }

    /** New sessions follow this on return; those that run are left alone. */
    public void follow(StreamRules rules) {
        this.rules = rules;
    }

    /** Nothing: a session has no moment at which nothing of it is running, and nginx lets it go on too. */
    @Override
    public void drain() {}

    /** Ends all sessions, as the stop of a worker process of nginx does. */
    @Override
    public void close() {
        proxy.endSessions(session -> session.listener() == this);
    }

    @Override
    public int clients() {
        return open.get();
    }

    // ---- limits; told by sessions ----

    /** Counts one more session, and tells how many there are now. */
    final int enter() {
        return open.incrementAndGet();
    }

    final void leave() {
        open.decrementAndGet();
    }

    /** Counts one more session of this address, and tells how many there are now. */
    final int enter(InetAddress address) {
        return openByAddress.merge(address, 1, Integer::sum);
    }

    final void leave(InetAddress address) {
        openByAddress.computeIfPresent(address, (same, number) -> number == 1 ? null : number - 1);
    }
}
