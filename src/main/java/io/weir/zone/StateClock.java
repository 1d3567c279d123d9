package io.weir.zone;

/** Which state a peer is in, since when, and for how long it has been out of service in all. Guarded by the zone lock. */
final class StateClock {

    private PeerState state;
    private long since;
    private long downNanos;

    StateClock(PeerState state, long now) {
        this.state = state;
        this.since = now;
    }

    /** Notes the state as it is; true if it has changed. */
    boolean follow(PeerState next, long now) {
        if (next == state) {
            return false;
        }
        downNanos = downNanos(now);
        state = next;
        since = now;
        return true;
    }

    PeerState state() {
        return state;
    }

    long inStateNanos(long now) {
        // the time is read before the lock is taken, so another thread may have used a later one
        return Math.max(0, now - since);
    }

    long downNanos(long now) {
        return downNanos + (state.isOutage() ? inStateNanos(now) : 0);
    }
}
