package io.weir.proxy.http;

import io.weir.config.HttpVersion;
import io.weir.config.NextUpstream;
import io.weir.config.ProxySettings;
import io.weir.upstream.KeepaliveCache;
import io.weir.upstream.Outcome;
import io.weir.upstream.PeerConnection;
import io.weir.upstream.UpstreamGroup;
import io.weir.zone.FailureReason;
import io.weir.zone.Peer;
import org.jspecify.annotations.Nullable;

/**
 * The attempts of an exchange at a group: picks peers, finds or makes connections to them, and frees each attempt exactly
 * once, when the upstream's side of it is over. Confined to the loop's thread.
 */
final class Attempts {

    private final Exchange exchange;
    private final UpstreamGroup group;
    private final Route route;
    private final PeerConnection peers;
    private @Nullable UpstreamChannel connection;
    private boolean cached;
    private boolean connected;
    private boolean picking;
    private boolean pickAgain;

    Attempts(Exchange exchange, UpstreamGroup group, Route route) {
        this.exchange = exchange;
        this.group = group;
        this.route = route;
        this.peers = group.open(settings(), exchange);
    }

    private ProxySettings settings() {
        return route.config().proxy();
    }

    UpstreamGroup group() {
        return group;
    }

    PeerConnection peers() {
        return peers;
    }

    /** Of the open attempt, connected or not; null if none is open. */
    @Nullable
    UpstreamChannel connection() {
        return connection;
    }

    /** Of the open attempt, once the request may be sent on it. */
    @Nullable
    UpstreamChannel ready() {
        return connected ? connection : null;
    }

    /** Begins an attempt. The exchange hears of its connection, or that there is none to be had, maybe at once. */
    void next() {
        if (picking) {
            // a connect may fail at once: the loop below goes on, where recursion might not end on a large group
            pickAgain = true;
            return;
        }
        picking = true;
        do {
            pickAgain = false;
            begin();
        } while (pickAgain);
        picking = false;
    }

    private void begin() {
        Peer peer = peers.get();
        if (peer == null) {
            exchange.answer(502);
            return;
        }
        connected = false;
        // the balancer chose first, as in nginx; the cache only saves the handshake
        UpstreamChannel idle = isCaching() ? cache().take(peer, route.owner()) : null;
        cached = idle != null;
        if (idle != null) {
            exchange.upstreamConnected(idle);
            return;
        }
        UpstreamChannel fresh = exchange.client().proxy().open(exchange.loop(), peer);
        if (fresh == null) {
            // out of sockets: that is Weir's own fault and not the peer's
            peers.free(Outcome.OK, null);
            exchange.answer(500);
            return;
        }
        connection = fresh;
        fresh.connect(exchange, settings().connectTimeout().nanos());
    }

    private boolean isCaching() {
        return group.keepalive().connections() > 0 && settings().httpVersion() == HttpVersion.HTTP_1_1;
    }

    private KeepaliveCache<UpstreamChannel> cache() {
        return exchange.loop().cache(group);
    }

    /** The connection is there, and sending begins. */
    void connected(UpstreamChannel to) {
        connection = to;
        connected = true;
        to.begin(exchange);
        peers.connected();
    }

    /** So many bytes of the request were written. */
    void countSent(UpstreamChannel to, long bytes) {
        if (bytes > 0) {
            to.countHanded(bytes);
            peers.addBytes(bytes, 0);
        }
    }

    /**
     * The attempt failed before there was a response head.
     *
     * @param status that stands for the response
     * @param replayable whether the request can be sent again
     * @return whether another attempt may follow
     */
    boolean fail(NextUpstream condition, FailureReason reason, int status, boolean replayable) {
        boolean sendingBegan = connected;
        peers.status(status);
        end(Outcome.FAILED, reason);
        if (cached && condition == NextUpstream.ERROR) {
            peers.refundTry();
        }
        return peers.mayRetry(condition, sendingBegan, replayable, isIdempotent());
    }

    /**
     * Ends the attempt before there was a response head, for no fault of the peer.
     *
     * @param replayable whether the request can be sent again
     * @return whether another attempt may follow
     */
    boolean giveUp(boolean replayable) {
        boolean sendingBegan = connected;
        peers.status(502);
        end(Outcome.NEXT, null);
        return peers.mayRetry(NextUpstream.ERROR, sendingBegan, replayable, isIdempotent());
    }

    /**
     * A response head has come. Ends the attempt if the request moves on because of it.
     *
     * @return whether another attempt follows
     */
    boolean leave(int status, boolean replayable) {
        peers.headerReceived(status);
        if (!peers.mayRetryStatus(status, true, replayable, isIdempotent())) {
            return false;
        }
        boolean harmless = status == 403 || status == 404;
        end(harmless ? Outcome.NEXT : Outcome.FAILED, harmless ? null : FailureReason.HTTP_STATUS);
        return true;
    }

    private boolean isIdempotent() {
        return PeerConnection.isIdempotent(exchange.request().method());
    }

    /** Frees the open attempt, if there is one, and gives up its connection. */
    void end(Outcome outcome, @Nullable FailureReason reason) {
        UpstreamChannel ended = detach();
        if (ended != null) {
            ended.discard();
            peers.free(outcome, reason);
        }
    }

    /** The response is complete: frees the attempt, and keeps the connection if it may be used again. */
    void finish(boolean reusable) {
        UpstreamChannel ended = detach();
        if (ended == null) {
            return;
        }
        peers.free(Outcome.OK, null);
        if (reusable && isCaching()) {
            ended.keep(cache(), route.owner(), group.keepalive().timeout().nanos());
        } else {
            ended.discard();
        }
    }

    private @Nullable UpstreamChannel detach() {
        UpstreamChannel ended = connection;
        connection = null;
        connected = false;
        if (ended != null) {
            peers.addBytes(0, ended.takeReceived());
        }
        return ended;
    }

    /** The connection was handed to a tunnel, which has ended. */
    void tunnelEnded() {
        connection = null;
        peers.free(Outcome.OK, null);
    }
}
