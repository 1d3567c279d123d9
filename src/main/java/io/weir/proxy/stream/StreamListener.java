package io.weir.proxy.stream;

import io.weir.proxy.loop.BoundListener;
import io.weir.proxy.loop.ClientLimits;
import org.jspecify.annotations.Nullable;

/**
 * What the sessions of a bound socket share: the rules for new ones, and how many there are. Safe on every thread.
 *
 * <p>A socket is bound before the change that it belongs to is sure to come; before there are rules to {@link #follow} no
 * session begins.
 */
public abstract sealed class StreamListener implements BoundListener permits TcpListener, UdpListener {

    private final StreamProxy proxy;
    private final ClientLimits limits = new ClientLimits();
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

    /** Nothing: only clients and peers know what their bytes mean. */
    @Override
    public void goAway() {}

    @Override
    public void cut() {
        close();
    }

    /** Ends all sessions, as the stop of a worker process of nginx does. */
    @Override
    public void close() {
        proxy.endSessions(session -> session.listener() == this);
    }

    @Override
    public int clients() {
        return limits.open();
    }

    /** How many sessions there are; told by them. */
    final ClientLimits limits() {
        return limits;
    }
}
