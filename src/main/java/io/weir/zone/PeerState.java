package io.weir.zone;

/**
 * What a peer is to an operator, in one word; where several apply, the order is down, checking, unhealthy, unavail,
 * draining, up.
 *
 * <p>The words are those of the NGINX Plus API.
 */
public enum PeerState {
    UP,
    DRAINING,
    DOWN,
    /** Its failures reached {@code max_fails}, and no request has succeeded there since. */
    UNAVAIL,
    /** Waits for its first health check. */
    CHECKING,
    /** Its health checks fail. */
    UNHEALTHY;

    /** Whether time in this state is downtime: out of rotation, but not because the operator wants it. */
    boolean isOutage() {
        return this == UNAVAIL || this == CHECKING || this == UNHEALTHY;
    }
}
