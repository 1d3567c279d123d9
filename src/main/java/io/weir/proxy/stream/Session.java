package io.weir.proxy.stream;

import io.weir.config.AccessRule;
import io.weir.config.NextUpstream;
import io.weir.config.RealIpConfig;
import io.weir.config.RequestValues;
import io.weir.config.StreamClientSettings;
import io.weir.config.StreamListenerConfig;
import io.weir.config.StreamSettings;
import io.weir.config.Template;
import io.weir.proxy.address.ProxyHeader;
import io.weir.upstream.Outcome;
import io.weir.upstream.PeerConnection;
import io.weir.upstream.UpstreamGroup;
import io.weir.zone.FailureReason;
import io.weir.zone.Peer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One session: a client and the one peer that it is bound to. Holds what is the same for TCP and UDP: who the client is, the
 * attempts at peers, the status, and the end, which comes once.
 *
 * <p>It follows the rules that were in force as it began. Confined to its loop's thread.
 *
 * @see <a href="https://nginx.org/en/docs/stream/stream_processing.html">How nginx processes a TCP/UDP session</a>
 */
abstract class Session implements RequestValues {

    /** The session came to its end; also one that its client or its peer broke off, or that fell silent. */
    static final int OK = 200;

    /** What the client sent first is not what it has to be. */
    static final int BAD_REQUEST = 400;

    static final int FORBIDDEN = 403;

    /** Weir's own fault, or that of its configuration. */
    static final int INTERNAL_ERROR = 500;

    /** No peer was to be had, or none answered. */
    static final int BAD_GATEWAY = 502;

    /** There are enough sessions already. */
    static final int UNAVAILABLE = 503;

    private final StreamListener listener;
    private final StreamRules rules;
    private final StreamLoop loop;
    private final long number;
    private final SocketAddress connectedFrom;
    private final SocketAddress local;
    private final long startNanos;
    private final int openAtStart;
    private SocketAddress remote;
    private ProxyHeader proxyHeader = ProxyHeader.NOBODY;
    private @Nullable InetAddress counted;
    private @Nullable ClientHello hello;
    private @Nullable StreamTarget target;
    private @Nullable PeerConnection peers;
    private @Nullable Peer peer;
    private long endNanos;
    private int status;

    /**
     * Begins a session, which is counted and listed from now on.
     *
     * @param remote who sent the first bytes
     * @param local where they were sent to
     */
    Session(StreamListener listener, StreamRules rules, StreamLoop loop, SocketAddress remote, SocketAddress local) {
        this.listener = listener;
        this.rules = rules;
        this.loop = loop;
        this.number = listener.proxy().nextNumber();
        this.connectedFrom = remote;
        this.remote = remote;
        this.local = local;
        this.startNanos = loop.now();
        this.openAtStart = listener.enter();
        rules.counts().begun();
        loop.add(this);
    }

    // ---- who and what ----

    final StreamListener listener() {
        return listener;
    }

    final StreamLoop loop() {
        return loop;
    }

    final StreamListenerConfig config() {
        return rules.config();
    }

    final StreamSettings settings() {
        return rules.config().proxy();
    }

    final StreamClientSettings granted() {
        return rules.config().client();
    }

    /** A number of its own among the sessions of this process. */
    final long number() {
        return number;
    }

    /** The client, seen through proxies in front that are trusted. */
    final SocketAddress remoteAddress() {
        return remote;
    }

    /** Who sent the first bytes: the client, or a proxy in front. */
    final SocketAddress connectedFrom() {
        return connectedFrom;
    }

    final SocketAddress localAddress() {
        return local;
    }

    final ProxyHeader proxyHeader() {
        return proxyHeader;
    }

    /** What a client of TLS said; null if nobody has looked. */
    final @Nullable ClientHello hello() {
        return hello;
    }

    final @Nullable StreamTarget target() {
        return target;
    }

    /** Its attempts; null before there is a group. */
    final @Nullable PeerConnection peers() {
        return peers;
    }

    /** What it ended with; 0 before. */
    final int status() {
        return status;
    }

    final boolean isOver() {
        return status != 0;
    }

    final long elapsedNanos() {
        return (isOver() ? endNanos : loop.now()) - startNanos;
    }

    /** Bytes that came from the client, apart from a PROXY protocol header. */
    abstract long bytesReceived();

    /** Bytes that went to the client. */
    abstract long bytesSent();

    @Override
    public final String value(Template template) {
        return SessionVariables.value(template, this);
    }

    @Override
    public final @Nullable InetAddress clientAddress() {
        return remote instanceof InetSocketAddress inet ? inet.getAddress() : null;
    }

    // ---- phases; each tells a status to end with, 0 to go on ----

    /** Whether there are enough sessions of the listener already. */
    final int limitSessions() {
        return exceeds(openAtStart, granted().maxConnections()) ? UNAVAILABLE : 0;
    }

    /** Takes what a proxy in front says, where it is trusted to say who the client is. */
    final void proxiedBy(ProxyHeader header) {
        proxyHeader = header;
        RealIpConfig realIp = config().realIp();
        if (realIp != null
                && header.source() != null
                && connectedFrom instanceof InetSocketAddress from
                && realIp.trusts(from.getAddress())) {
            remote = header.source();
        }
    }

    /** Whether there are enough sessions of the client's address already, and whether it is let in. */
    final int admit() {
        InetAddress address = clientAddress();
        if (address == null) {
            return 0;
        }
        counted = address;
        if (exceeds(listener.enter(address), granted().maxConnectionsPerAddress())) {
            return UNAVAILABLE;
        }
        return AccessRule.allows(granted().access(), address) ? 0 : FORBIDDEN;
    }

    private static boolean exceeds(int number, int limit) {
        return limit > 0 && number > limit;
    }

    /**
     * Chooses the group.
     *
     * @param said by a client of TLS; null if nobody has looked
     */
    final int choose(@Nullable ClientHello said) {
        hello = said;
        target = rules.routes().find(said);
        if (target == null) {
            return INTERNAL_ERROR;
        }
        peers = target.group().open(settings(), this);
        return 0;
    }

    // ---- attempts ----

    private PeerConnection chosen() {
        PeerConnection known = peers;
        if (known == null) {
            throw new IllegalStateException("no group has been chosen");
        }
        return known;
    }

    /** Picks the peer of the next attempt; null if nobody is eligible. */
    final @Nullable Peer nextPeer() {
        peer = chosen().get();
        return peer;
    }

    final void connected() {
        chosen().connected();
    }

    final void firstByteReceived() {
        chosen().firstByteReceived();
    }

    /**
     * Ends the open attempt, if there is one.
     *
     * @param reason required if the outcome is a failure
     * @param sent bytes that went to the peer
     * @param received bytes that came from it
     */
    final void endAttempt(int status, Outcome outcome, @Nullable FailureReason reason, long sent, long received) {
        if (peer != null) {
            peer = null;
            chosen().addBytes(sent, received);
            chosen().status(status);
            chosen().free(outcome, reason);
        }
    }

    /** Whether another peer may be tried after one that could not be connected to. */
    final boolean mayRetry(NextUpstream condition) {
        return chosen().mayRetry(condition, false, true, true);
    }

    final boolean isWith(String upstream, int serverId) {
        Peer its = peer;
        return its != null
                && its.id() == serverId
                && target != null
                && target.group().name().equals(upstream);
    }

    /**
     * Whether its listener wants it to end since its server has gone.
     *
     * @param down servers that the operator has set down, by group
     */
    final boolean isDroppedWith(Map<String, Set<Integer>> down) {
        Peer its = peer;
        if (!settings().sessionDrop() || its == null || target == null) {
            return false;
        }
        UpstreamGroup group = target.group();
        return group.isClosed()
                || its.isRemoved()
                || down.getOrDefault(group.name(), Set.of()).contains(its.id());
    }

    // ---- the end ----

    /** Ends the session, unless it has ended already: gives up its sockets, frees the peer, counts and logs. */
    final void end(int with) {
        if (isOver()) {
            return;
        }
        endNanos = loop.now();
        status = with;
        release(with);
        endAttempt(with, Outcome.OK, null, 0, 0);
        loop.remove(this);
        if (counted != null) {
            listener.leave(counted);
        }
        listener.leave();
        rules.counts().ended(with, bytesReceived(), bytesSent());
        if (target != null) {
            target.group().countRequest(with, elapsedNanos());
        }
        SessionLog log = rules.log();
        if (log != null) {
            loop.logLines().add(log.writer(), log.format(), this);
        }
    }

    /**
     * Gives up sockets, buffers and timeouts. The attempt may be ended here with its bytes; else it ends without any, to the
     * peer's good.
     */
    abstract void release(int with);
}
