package io.weir.proxy.stream;

import io.weir.config.RequestValues;
import io.weir.config.Template;
import io.weir.proxy.address.ProxyHeader;
import io.weir.proxy.loop.LoopContext;
import io.weir.upstream.Outcome;
import io.weir.upstream.PeerConnection;
import io.weir.upstream.UpstreamGroup;
import io.weir.zone.FailureReason;
import io.weir.zone.Peer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * A client's session, which is with one peer from the moment that it has one until its end. Confined to its loop's thread.
 *
 * <p>Whoever carries its bytes tells what happens; that it is counted, logged and given back to its peer, once, is cared
 * for here.
 */
abstract class Session implements RequestValues {

    /** Often enough for a graph, and seldom beside the system calls that move so many. */
    private static final long TOLD_BYTES = 64 * 1024;

    private final StreamProxy proxy;
    private final LoopContext loop;
    private final StreamRules rules;
    private final ListenerSessions counts;
    private final long number;
    private final InetSocketAddress peerAddress;
    private final InetSocketAddress localAddress;
    private final long startNanos;
    private InetSocketAddress clientAddress;
    private ProxyHeader proxyHeader = ProxyHeader.NOBODY;
    private @Nullable ClientHello hello;
    private @Nullable PeerConnection peers;
    private @Nullable UpstreamGroup group;
    private @Nullable Peer peer;
    private boolean over;
    private int status;
    private long endNanos;
    private long bytesReceived;
    private long bytesSent;
    private long receivedTold;
    private long sentTold;

    /**
     * @param peerAddress of the connection, or where the datagrams come from
     * @param localAddress that the client has sent them to
     */
    Session(
            StreamProxy proxy,
            LoopContext loop,
            StreamRules rules,
            InetSocketAddress peerAddress,
            InetSocketAddress localAddress) {
        this.proxy = proxy;
        this.loop = loop;
        this.rules = rules;
        this.counts = proxy.counts().of(rules.config().name());
        this.number = proxy.nextNumber();
        this.peerAddress = peerAddress;
        this.localAddress = localAddress;
        this.clientAddress = peerAddress;
        this.startNanos = loop.now();
        counts.begins();
        proxy.begun(this);
    }

    StreamProxy proxy() {
        return proxy;
    }

    LoopContext loop() {
        return loop;
    }

    StreamRules rules() {
        return rules;
    }

    /** {@code TCP} or {@code UDP}, as nginx's {@code $protocol}. */
    final String protocol() {
        return rules.config().protocol().name();
    }

    /** One of its own in this process. */
    long number() {
        return number;
    }

    /** Of the connection; see {@link #client} for what stands behind proxies. */
    InetSocketAddress peerAddress() {
        return peerAddress;
    }

    InetSocketAddress localAddress() {
        return localAddress;
    }

    /** After trusted proxies were seen through. */
    InetSocketAddress client() {
        return clientAddress;
    }

    ProxyHeader proxyHeader() {
        return proxyHeader;
    }

    /** Whose header the connection began with. */
    void proxyHeader(ProxyHeader header) {
        proxyHeader = header;
        clientAddress = rules.client(peerAddress, header);
    }

    /** Null if no hello is waited for. */
    @Nullable
    ClientHello hello() {
        return hello;
    }

    void hello(ClientHello awaited) {
        hello = awaited;
    }

    /** Null before a peer was asked for. */
    @Nullable
    PeerConnection peers() {
        return peers;
    }

    /** Bytes that the client has sent, as far as they were read. */
    long bytesReceived() {
        return bytesReceived;
    }

    void received(long bytes) {
        bytesReceived += bytes;
        if (bytesReceived - receivedTold >= TOLD_BYTES) {
            tellBytes();
        }
    }

    /** Bytes that were sent to the client; complete at the end. */
    long bytesSent() {
        return bytesSent;
    }

    void sent(long bytes) {
        bytesSent += bytes;
        if (bytesSent - sentTold >= TOLD_BYTES) {
            tellBytes();
        }
    }

    /** So that the numbers of a listener grow while long sessions last. */
    private void tellBytes() {
        counts.transferred(bytesReceived - receivedTold, Math.max(0, bytesSent - sentTold));
        receivedTold = bytesReceived;
        sentTold = Math.max(sentTold, bytesSent);
    }

    long elapsedNanos() {
        return (over ? endNanos : loop.now()) - startNanos;
    }

    /** How it ended; 0 while it goes on. */
    int status() {
        return status;
    }

    boolean isOver() {
        return over;
    }

    @Override
    public String value(Template template) {
        return SessionVariables.value(template, this);
    }

    @Override
    public @Nullable InetAddress clientAddress() {
        return clientAddress.getAddress();
    }

    // ---- the peer ----

    /** Finds the group that takes the client; false if there is none. */
    final boolean chooseGroup() {
        String name = rules.upstream(hello);
        UpstreamGroup chosen = name == null ? null : proxy.upstreams().group(name);
        if (chosen == null) {
            return false;
        }
        group = chosen;
        peers = chosen.open(rules.config().proxy(), this);
        return true;
    }

    /** Picks the peer of an attempt, which has to end in {@link #attemptFailed} or at the end; null if there is none. */
    final @Nullable Peer pick() {
        peer = open().get();
        return peer;
    }

    /** The connections of a session that has a group. */
    final PeerConnection open() {
        PeerConnection its = peers;
        if (its == null) {
            throw new IllegalStateException("no group was chosen");
        }
        return its;
    }

    /** The attempt is over, and no session came of it. */
    final void attemptFailed(FailureReason reason) {
        peer = null;
        open().free(Outcome.FAILED, reason);
    }

    /** Whether it is with a peer of this server. */
    final boolean isAt(String upstream, int serverId) {
        return peer != null && group != null && group.name().equals(upstream) && peer.id() == serverId;
    }

    /** Whether its peer's server is still there and may be used. */
    final boolean isWanted(Servers servers) {
        return peer == null || group == null || servers.hasUp(group.name(), peer.id());
    }

    // ---- the end ----

    /** Ends the session: lets go of everything that it holds. On any thread; returns before it has happened. */
    final void end(int status) {
        loop.executor().execute(() -> finish(status, null));
    }

    /**
     * Ends the session now. What happens later is of no concern any more.
     *
     * @param failure what is held against the peer, null for nothing
     */
    final void finish(int code, @Nullable FailureReason failure) {
        if (over) {
            return;
        }
        over = true;
        status = code;
        endNanos = loop.now();
        closing();
        PeerConnection its = peers;
        if (its != null && peer != null) {
            its.status(code);
            its.free(failure == null ? Outcome.OK : Outcome.FAILED, failure);
        }
        if (group != null) {
            group.countRequest(code, elapsedNanos());
        }
        tellBytes();
        counts.ends(code);
        StreamLog log = rules.log();
        if (log != null) {
            loop.logLines().add(log.writer(), log.format(), this);
        }
        proxy.ended(this);
        close();
    }

    /** The session is over, and its numbers are about to be read; whatever waits is to be forgotten. */
    abstract void closing();

    /** Everything was counted, and the connections are to be closed. */
    abstract void close();
}
