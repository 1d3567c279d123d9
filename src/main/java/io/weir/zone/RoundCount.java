package io.weir.zone;

/**
 * Counts the rounds of smooth weighted round robin in which a set of peers took part with all their weight, so that the
 * gain of all can be told without adding it to each. Guarded by the zone lock.
 */
public final class RoundCount {

    private long rounds;

    public long value() {
        return rounds;
    }

    /** One more. */
    public void advance() {
        rounds++;
    }

    /** Begins anew, while no peer takes part. */
    public void reset() {
        rounds = 0;
    }
}
