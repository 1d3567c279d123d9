package io.weir.zone;

import java.util.Arrays;

/** A row of counters as they were at one moment; immutable. */
public final class Counts {

    private final long[] values;

    private Counts(long[] values) {
        this.values = values;
    }

    public static Counts copyOf(long[] values) {
        return new Counts(values.clone());
    }

    public int size() {
        return values.length;
    }

    public long get(int index) {
        return values[index];
    }

    public long sum() {
        long sum = 0;
        for (long value : values) {
            sum += value;
        }
        return sum;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Counts counts && Arrays.equals(values, counts.values);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(values);
    }

    @Override
    public String toString() {
        return Arrays.toString(values);
    }
}
