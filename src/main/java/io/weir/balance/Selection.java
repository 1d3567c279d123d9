package io.weir.balance;

import io.weir.config.RequestValues;
import io.weir.zone.Peer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one attempt brings to the choice of its peer, and the one place that says who is eligible.
 *
 * <p>One object serves all attempts of a request, one after the other. The caller holds the zone lock.
 */
public final class Selection {

    /** A mark that no peer ever has. */
    public static final long NOBODY = -1;

    private final RequestValues request;
    private long now;
    private long second;
    private long mark = NOBODY;
    private List<Peer> tried = List.of();
    private @Nullable Object memo;
    private @Nullable String hint;

    public Selection(RequestValues request) {
        this.request = request;
    }

    /** Notes that an attempt of the request was made at {@code peer}. */
    public void addTried(Peer peer) {
        if (tried.isEmpty()) {
            tried = new ArrayList<>(2);
        }
        tried.add(peer);
    }

    /**
     * Begins an attempt.
     *
     * @param now nanoseconds of the zone's ticker
     * @param mark a value that no peer is marked with, or {@link #NOBODY} if no peer was tried
     */
    public void begin(long now, long mark) {
        this.now = now;
        this.second = Peer.second(now);
        this.mark = mark;
        for (int i = 0; i < tried.size(); i++) {
            tried.get(i).mark(mark);
        }
    }

    /** When the attempt began, nanoseconds of the zone's ticker. */
    public long now() {
        return now;
    }

    /** The whole second of {@link #now}. */
    public long second() {
        return second;
    }

    public RequestValues request() {
        return request;
    }

    /** The peers that earlier attempts of the request were made at, in whichever tier, also removed ones. */
    public List<Peer> tried() {
        return tried;
    }

    /** Whether the attempt may go to {@code peer}: not tried by this request, and available. */
    public boolean isEligible(Peer peer) {
        return !peer.isMarked(mark) && peer.isAvailable(second);
    }

    /** Whether a bound request may go to {@code peer}: not tried by it, and available, or draining. */
    boolean isEligibleBound(Peer peer) {
        return !peer.isMarked(mark) && peer.isAvailableToBound(second);
    }

    /** Whether the request is bound to {@code peer}. */
    public boolean isBoundTo(Peer peer) {
        return hint != null && peer.sid().equals(hint);
    }

    /** The {@link Peer#sid} that the request asks for; null for none. */
    @Nullable
    String hint() {
        return hint;
    }

    void hint(@Nullable String sid) {
        hint = sid;
    }

    /** What the method remembers of the request between its attempts; null until it has put something there. */
    @Nullable
    Object memo() {
        return memo;
    }

    void memo(Object value) {
        memo = value;
    }

    /** Drops what a method remembers of the request: another one takes its place. */
    public void forget() {
        memo = null;
        hint = null;
    }
}
