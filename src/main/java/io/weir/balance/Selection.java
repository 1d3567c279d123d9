package io.weir.balance;

import io.weir.zone.Peer;

/**
 * What one attempt brings to the choice of its peer, and the one place that says who is eligible.
 *
 * <p>One object serves all attempts of a request, one after the other. The caller holds the zone lock.
 */
public final class Selection {

    /** A mark that no peer ever has. */
    public static final long NOBODY = -1;

    private long now;
    private long second;
    private long tried = NOBODY;

    /**
     * Begins an attempt.
     *
     * @param now nanoseconds of the zone's ticker
     * @param tried the mark of the peers that the request has tried, in whichever tier, or {@link #NOBODY}
     */
    public void begin(long now, long tried) {
        this.now = now;
        this.second = Peer.second(now);
        this.tried = tried;
    }

    /** When the attempt began, nanoseconds of the zone's ticker. */
    public long now() {
        return now;
    }

    /** Whether the attempt may go to {@code peer}: not tried by this request, and available. */
    public boolean isEligible(Peer peer) {
        return !peer.isMarked(tried) && peer.isAvailable(second);
    }
}
