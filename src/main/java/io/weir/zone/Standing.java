package io.weir.zone;

/** What can be said of the eligibility of a peer before the next change of it that its tier is told of. */
public enum Standing {
    /** It may not be picked, whatever the time. */
    OUT,
    /** It has failed too often: not to be picked before {@link Peer#retrySecond}; from then on to be looked at. */
    FAILED,
    /** It may be picked; its weight changes with time, or with the next round. */
    UNSTEADY,
    /** It may be picked, and has all its weight. */
    STEADY
}
