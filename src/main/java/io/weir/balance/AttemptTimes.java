package io.weir.balance;

/** How long the parts of an attempt took, each from its begin. */
public interface AttemptTimes {

    /** Until there was a usable connection; -1 if it did not come to that. */
    long connectNanos();

    /** Until the response head was complete, or the first byte of a stream had come; -1 if it did not come to that. */
    long headerNanos();

    /** Until the end; -1 while it goes on. */
    long responseNanos();
}
