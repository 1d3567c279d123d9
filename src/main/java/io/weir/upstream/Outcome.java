package io.weir.upstream;

/** How an attempt ended, as far as its peer is concerned. */
public enum Outcome {
    /**
     * Nothing to hold against the peer: a complete response whatever its status, one that broke after its head, or a
     * client that left.
     */
    OK,
    /** The request moves on, but the peer did no wrong: a listed 403 or 404. */
    NEXT,
    /** The peer's failure: it counts towards {@code max_fails}. */
    FAILED
}
