package io.weir.config;

/** What the operator wants of a server. */
public enum AdminState {
    /** Takes traffic. */
    UP,
    /** Takes none; what is running there goes on. */
    DOWN,
    /** Takes only requests already bound to it; what is running there goes on. */
    DRAIN
}
