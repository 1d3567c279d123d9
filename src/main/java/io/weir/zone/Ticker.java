package io.weir.zone;

/**
 * Where the running side takes its time from; handed in, so that tests decide what time it is.
 *
 * <p>Safe on every thread. Only differences mean something: it starts anywhere, even below zero.
 */
@FunctionalInterface
public interface Ticker {

    /** Nanoseconds since some moment; never goes back. */
    long nanos();

    /** The system's; the only place that reads it. */
    static Ticker system() {
        return System::nanoTime;
    }
}
