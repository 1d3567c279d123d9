package io.weir.zone;

/**
 * Rounds of smooth weighted round robin in which some peers take part with all their weight: counts them, so that the gain
 * of all can be told without adding it to each. Guarded by the zone lock.
 */
public final class Rounds {

    private long count;
    private long totalWeight;
    private int size;

    public Rounds() {
        this(0);
    }

    /** Begins to count at {@code count}; of a peer, only differences matter. */
    public Rounds(long count) {
        this.count = count;
    }

    /** How many there were. */
    public long count() {
        return count;
    }

    /** One more: all who take part gain their weight. */
    public void advance() {
        count++;
    }

    /** What all who take part gain in a round. */
    public long totalWeight() {
        return totalWeight;
    }

    /** How many take part. */
    public int size() {
        return size;
    }

    void add(int weight) {
        totalWeight += weight;
        size++;
    }

    void remove(int weight) {
        totalWeight -= weight;
        size--;
    }
}
