package io.weir.zone;

/**
 * The climb of a peer's weight: from the moment it begins, the weight is at most {@code weight * elapsed / slow_start},
 * but at least 1, until {@code slow_start} has passed.
 *
 * <p>nginx offers slow_start only in its commercial version and does not document the curve.
 *
 * @param since when it began, nanoseconds of the zone's ticker
 * @param millis its length, more than 0
 * @see <a href="https://nginx.org/en/docs/http/ngx_http_upstream_module.html#slow_start">nginx: slow_start</a>
 */
record SlowStart(long since, long millis) {

    private static final long NANOS_PER_MILLI = 1_000_000;

    boolean isOver(long now) {
        return elapsedMillis(now) >= millis;
    }

    /** What {@code weight} may be now, before it is over. */
    int ceiling(int weight, long now) {
        // no overflow: a weight is at most 10^6, a time at most 3650 days
        return (int) Math.max(1, weight * elapsedMillis(now) / millis);
    }

    /** How much of it has passed before it is over, 0 to 99. */
    int percent(long now) {
        return (int) Math.max(0, 100 * elapsedMillis(now) / millis);
    }

    private long elapsedMillis(long now) {
        return (now - since) / NANOS_PER_MILLI;
    }
}
