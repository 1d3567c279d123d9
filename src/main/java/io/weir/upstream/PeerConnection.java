package io.weir.upstream;

import io.weir.balance.BalancingMethod;
import io.weir.balance.Milestone;
import io.weir.balance.Selection;
import io.weir.config.GroupProtocol;
import io.weir.config.NextUpstream;
import io.weir.config.RequestValues;
import io.weir.config.RetryRules;
import io.weir.zone.FailureReason;
import io.weir.zone.Peer;
import io.weir.zone.Zone;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One client request or session on its way to a peer: get one, tell what happens there, free it, and perhaps get another.
 *
 * <p>Every {@link #get} that returns a peer is followed by exactly one {@link #free}. In between, the attempt is open and
 * counts as one of the peer's connections. Confined to one thread; the zone lock is held within get and within free
 * alone. nginx's name for this is {@code ngx_peer_connection_t}.
 *
 * <p>Differs from nginx: the peers a request has tried are remembered as peers, not as places in the list, so a retry
 * after a change of the group goes on among the new peers; nginx answers 502.
 */
public final class PeerConnection {

    private final UpstreamGroup group;
    private final RetryRules rules;
    private final RequestValues values;
    private final Selection selection;
    private @Nullable BalancingMethod method;
    private @Nullable Attempt current;
    private @Nullable Attempt first;
    private @Nullable List<Attempt> later;
    private boolean open;
    private boolean onBackup;
    private int triesLeft;
    private long startNanos;
    private boolean exhausted;

    PeerConnection(UpstreamGroup group, RetryRules rules, RequestValues values) {
        this.group = group;
        this.rules = rules;
        this.values = values;
        this.selection = new Selection(values);
    }

    /**
     * Picks the peer of the next attempt.
     *
     * @return null if nobody is eligible; an attempt that bears the group's name and status 502 tells of it
     * @throws IllegalStateException if an attempt is open
     */
    public @Nullable Peer get() {
        if (open) {
            throw new IllegalStateException("an attempt is open at " + attempt().peerName());
        }
        long now = group.ticker().nanos();
        Peer peer;
        Zone zone = group.zone();
        follow(group.method());
        zone.lock();
        try {
            // the method changes together with the peers, under the lock
            BalancingMethod used = follow(group.method());
            if (first == null) {
                begin(zone, now);
            }
            peer = pick(zone, used, now);
            if (peer != null) {
                zone.acquire(peer, now);
                used.begun(peer, now);
            }
        } finally {
            zone.unlock();
        }
        if (peer == null) {
            zone.counters().noPeer();
            if (first != null) {
                exhausted();
            }
            add(Attempt.busy(group.name(), now));
            return null;
        }
        open = true;
        add(new Attempt(peer, now));
        return peer;
    }

    private void begin(Zone zone, long now) {
        startNanos = now;
        int most = rules.nextUpstreamTries();
        triesLeft = most == 0 ? zone.tries() : Math.min(most, zone.tries());
    }

    /** Lets a method that this request has not met yet take what it needs. */
    private BalancingMethod follow(BalancingMethod next) {
        if (next != method) {
            method = next;
            selection.forget();
            next.begin(selection);
        }
        return next;
    }

    /** The caller holds the zone lock. */
    private @Nullable Peer pick(Zone zone, BalancingMethod used, long now) {
        Peer last = current == null ? null : current.peer();
        if (last != null) {
            selection.addTried(last);
        }
        selection.begin(now, first == null ? Selection.NOBODY : zone.nextMark());
        if (!onBackup) {
            Peer peer = zone.isSingle() ? lone(zone.primary().peer(0)) : used.select(zone.primary(), selection);
            if (peer != null || zone.backup().size() == 0) {
                return peer;
            }
            // once on the backups, a request stays there, even if a primary comes back meanwhile
            onBackup = true;
        }
        return used.select(zone.backup(), selection);
    }

    /** The only peer of a group may be tried again: its connections are all that a retry can exchange. */
    private @Nullable Peer lone(Peer peer) {
        boolean available = peer.isAvailable(selection.second())
                || selection.isBoundTo(peer) && peer.isAvailableToBound(selection.second());
        return available ? peer : null;
    }

    private void add(Attempt attempt) {
        current = attempt;
        if (first == null) {
            first = attempt;
            return;
        }
        if (later == null) {
            later = new ArrayList<>(2);
        }
        later.add(attempt);
    }

    /** The connection is ready, TLS included; also told of a cached one. */
    public void connected() {
        long now = group.ticker().nanos();
        Attempt attempt = attempt();
        attempt.connected(now);
        tell(attempt, Milestone.CONNECTED, attempt.connectNanos(), now);
    }

    /** The connection of a session is ready, which clears the peer's failures without waiting for the session's end. */
    public void sessionConnected() {
        connected();
        Peer peer = attempt().peer();
        if (peer != null) {
            Zone zone = group.zone();
            zone.lock();
            try {
                peer.established(group.ticker().nanos());
            } finally {
                zone.unlock();
            }
        }
    }

    /** The first byte of a session has come from its peer: what stands for a response head there. */
    public void firstByteReceived() {
        headerReceived(attempt().status());
    }

    /** The response head is complete. */
    public void headerReceived(int status) {
        long now = group.ticker().nanos();
        Attempt attempt = attempt();
        boolean first = !attempt.isAnswered();
        attempt.headerReceived(status, now);
        if (first) {
            tell(attempt, Milestone.ANSWERED, attempt.headerNanos(), now);
        }
    }

    private void tell(Attempt attempt, Milestone milestone, long nanos, long now) {
        Peer peer = attempt.peer();
        BalancingMethod chosenBy = method;
        if (peer != null && chosenBy != null && chosenBy.watches(milestone)) {
            Zone zone = group.zone();
            zone.lock();
            try {
                chosenBy.reached(peer, milestone, nanos, now);
            } finally {
                zone.unlock();
            }
        }
    }

    /** The response whose head has come is the one that the client gets; told before anything else of it. */
    public void responseChosen() {
        Affinity affinity = group.affinity();
        if (affinity != null) {
            affinity.headerReceived(values, sid());
        }
    }

    /** What binds further requests to the peer of the last attempt; empty if there was none. */
    public String sid() {
        Peer peer = current == null ? null : current.peer();
        return peer == null ? "" : peer.sid();
    }

    /** Bytes that went over the connection, of whatever kind. */
    public void addBytes(long sent, long received) {
        attempt().addBytes(sent, received);
    }

    /** Bytes of the response body. */
    public void addBodyBytes(long bytes) {
        attempt().addBodyBytes(bytes);
    }

    /** What stands for the status of a response that did not come: 502 or 504; 0 for nothing. The status of a session. */
    public void status(int status) {
        attempt().status(status);
    }

    /**
     * Ends the attempt. All that happened is added to the peer's counters here.
     *
     * @param reason required for {@link Outcome#FAILED}, without meaning otherwise
     * @throws IllegalStateException if no attempt is open
     */
    public void free(Outcome outcome, @Nullable FailureReason reason) {
        Attempt attempt = attempt();
        Peer peer = attempt.peer();
        if (!open || peer == null) {
            throw new IllegalStateException("no attempt is open");
        }
        FailureReason failure = outcome == Outcome.FAILED ? Objects.requireNonNull(reason, "reason") : null;
        open = false;
        long now = group.ticker().nanos();
        attempt.ended(now);
        Zone zone = group.zone();
        zone.lock();
        try {
            count(peer, attempt);
            peer.countTransfer(attempt.bytesSent(), attempt.bytesReceived());
            zone.release(peer, now, failure);
            if (method != null) {
                method.ended(peer, outcome == Outcome.OK, attempt, now);
            }
            // a lone peer is not retried; one that was removed makes way for those that came instead
            triesLeft = zone.isSingle() && !peer.isRemoved() ? 0 : Math.max(0, triesLeft - 1);
        } finally {
            zone.unlock();
        }
        Affinity affinity = group.affinity();
        if (affinity != null && outcome == Outcome.OK && attempt.isAnswered()) {
            affinity.responseReceived(values, peer.sid());
        }
        if (outcome == Outcome.OK && attempts() > 1) {
            settled(attempt);
        }
    }

    private void count(Peer peer, Attempt attempt) {
        if (isSession()) {
            if (attempt.isConnected()) {
                peer.countSession(attempt.connectNanos(), attempt.headerNanos(), attempt.responseNanos());
            }
        } else if (attempt.isAnswered() && attempt.status() > 0) {
            peer.countResponse(attempt.status(), attempt.headerNanos(), attempt.responseNanos());
        }
    }

    private boolean isSession() {
        return group.protocol() == GroupProtocol.STREAM;
    }

    /** A request that was retried ends with a response, or because its client left. */
    private void settled(Attempt attempt) {
        NextUpstream condition = NextUpstream.ofStatus(attempt.status());
        if (condition != null && rules.retryConditions().contains(condition)) {
            exhausted();
        } else if (attempt.isAnswered() || attempt.bytesReceived() > 0 || isSession() && attempt.isConnected()) {
            group.zone().counters().retried(true);
        }
    }

    private void exhausted() {
        if (!exhausted) {
            exhausted = true;
            group.zone().counters().retried(false);
        }
    }

    /**
     * Gives the last attempt's try back: a cached connection turned out to be dead, which says nothing of the peer. Told
     * after {@link #free}, if the condition is {@code error}.
     */
    public void refundTry() {
        if (open) {
            throw new IllegalStateException("an attempt is open");
        }
        triesLeft++;
    }

    /**
     * Whether a request whose attempt failed before a response head may get another peer. Asked after {@link #free}.
     *
     * @param condition error, timeout or invalid_header
     * @param sendingBegan whether any of the request may have been sent
     * @param replayable whether the body is still there from its first byte
     * @param idempotent see {@link #isIdempotent}
     */
    public boolean mayRetry(NextUpstream condition, boolean sendingBegan, boolean replayable, boolean idempotent) {
        if (triesLeft > 0 && allows(condition, sendingBegan, replayable, idempotent)) {
            return true;
        }
        if (attempts() > 1) {
            exhausted();
        }
        return false;
    }

    /**
     * Whether a request may leave this response and get another peer. Asked before {@link #free}.
     *
     * @param status of the response
     */
    public boolean mayRetryStatus(int status, boolean sendingBegan, boolean replayable, boolean idempotent) {
        NextUpstream condition = NextUpstream.ofStatus(status);
        return condition != null && triesLeft > 1 && allows(condition, sendingBegan, replayable, idempotent);
    }

    private boolean allows(NextUpstream condition, boolean sendingBegan, boolean replayable, boolean idempotent) {
        return rules.retryConditions().contains(condition)
                && (!sendingBegan || idempotent || rules.retryConditions().contains(NextUpstream.NON_IDEMPOTENT))
                && (!sendingBegan || replayable)
                && hasTime();
    }

    private boolean hasTime() {
        long limit = rules.nextUpstreamTimeout().nanos();
        return limit == 0 || group.ticker().nanos() - startNanos < limit;
    }

    /** Whether a method may be sent twice, as nginx sees it: all but POST, LOCK and PATCH. */
    public static boolean isIdempotent(String method) {
        return !method.equals("POST") && !method.equals("LOCK") && !method.equals("PATCH");
    }

    /** How many attempts there were; a last one that found nobody eligible included. */
    public int attempts() {
        if (first == null) {
            return 0;
        }
        return later == null ? 1 : 1 + later.size();
    }

    /** The attempt at {@code index}, from 0. */
    public Attempt attempt(int index) {
        Attempt attempt = index == 0 ? first : later == null ? null : later.get(index - 1);
        if (attempt == null) {
            throw new IndexOutOfBoundsException(index);
        }
        return attempt;
    }

    private Attempt attempt() {
        Attempt attempt = current;
        if (attempt == null) {
            throw new IllegalStateException("there was no attempt yet");
        }
        return attempt;
    }
}
