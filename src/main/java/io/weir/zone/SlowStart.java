package io.weir.zone;

/**
 * The climb of a peer's weight: from the moment it begins, the weight is at most {@code weight * elapsed / slow_start},
 * but at least 1, until {@code slow_start} has passed. Guarded by the zone lock.
 *
 * <p>nginx offers slow_start only in its commercial version and does not document the curve.
 *
 * @see <a href="https://nginx.org/en/docs/http/ngx_http_upstream_module.html#slow_start">nginx: slow_start</a>
 */
final class SlowStart {

    private static final long NANOS_PER_MILLI = 1_000_000;

    private boolean warming;
    private long since;
    private long millis;

    /** Takes the configured length; 0 ends a climb. */
    void length(long newMillis) {
        millis = newMillis;
        warming &= millis > 0;
    }

    /** Begins the climb; false if none is configured. */
    boolean begin(long now) {
        warming = millis > 0;
        since = now;
        return warming;
    }

    void end() {
        warming = false;
    }

    boolean isWarming(long now) {
        warming = warming && elapsedMillis(now) < millis;
        return warming;
    }

    /** What {@code weight} may be now. */
    int ceiling(int weight, long now) {
        if (!isWarming(now)) {
            return weight;
        }
        // no overflow: a weight is at most 10^6, a time at most 3650 days
        return (int) Math.max(1, weight * elapsedMillis(now) / millis);
    }

    private long elapsedMillis(long now) {
        return (now - since) / NANOS_PER_MILLI;
    }
}
