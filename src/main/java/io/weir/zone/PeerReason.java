package io.weir.zone;

/** Why a peer gets no requests, or fewer than its weight would give it. */
public enum PeerReason {
    ADMIN_DOWN,
    DRAINING,
    /** Failed too often and is left alone until {@code fail_timeout} has passed. */
    MAX_FAILS,
    MAX_CONNS,
    /** Takes requests; its weight is still climbing after {@code slow_start} began. */
    WARMING,
    /** A backup that could take requests, while a primary can too. */
    BACKUP_STANDBY
}
