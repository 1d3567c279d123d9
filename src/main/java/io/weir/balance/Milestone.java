package io.weir.balance;

/** What an attempt may get to before it ends. */
public enum Milestone {
    /** There is a connection that can be used. */
    CONNECTED,
    /** The response head is complete; for a stream, the first byte has come. */
    ANSWERED
}
