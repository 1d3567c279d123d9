package io.weir.proxy.loop;

/**
 * What a listener's clients have in common for as long as one of them is there, also when the socket that they came by is
 * closed. It gets its configuration by methods that each protocol has of its own.
 *
 * <p>Safe on every thread.
 */
public interface BoundListener {

    /** Lets each client go as soon as nothing of it is running. Clients may still come, and are let go as well. */
    void drain();

    /** Tells clients that would stay for long that Weir stops, where their protocol has a way. After {@link #drain}. */
    void goAway();

    /** Ends what is left, in a way that clients can understand. They may need a moment to take it. */
    void cut();

    /** Drops what is left. */
    void close();

    /** Clients that are there now: open connections, or sessions. */
    int clients();
}
