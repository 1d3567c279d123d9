package io.weir.proxy;

import io.weir.proxy.loop.BoundListener;

/** A socket that is bound, and who takes its clients. On control threads. */
sealed interface BoundSocket permits BoundTcp, BoundUdp {

    BoundListener listener();

    /** Begins to take no new clients, without losing one that is on its way; returns at once. */
    void stopAccepting();

    /** Waits for what {@link #stopAccepting} has begun. */
    void awaitClosed();

    /** Undoes a bind that nobody was to see. */
    void forget();
}
