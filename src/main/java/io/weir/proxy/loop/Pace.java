package io.weir.proxy.loop;

import java.util.concurrent.TimeUnit;

/**
 * How fast bytes may be taken from a side: {@code allowed = rate * (now - start + 1) - taken}, by a clock of whole seconds,
 * so that the first second's worth may come at once; and a pause of {@code n / rate} after a turn that brought n bytes.
 *
 * <p>Timeouts come some milliseconds late, and a turn at a high rate is paid for in fewer. So what a pause was too long is
 * taken from the next, and pauses that are too short to be worth one are added up.
 *
 * @see <a href="https://nginx.org/en/docs/http/ngx_http_proxy_module.html#proxy_limit_rate">proxy_limit_rate</a>
 */
public final class Pace {

    /** More than a timeout is ever late: what is later than that is silence of the server, which earns nothing. */
    private static final long MOST_LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** A pause that is not worth a timeout, which has ticks of this length. */
    private static final long SHORT_MILLIS = 20;

    private final long rate;
    private final long startSecond;
    private long taken;
    private long turn;

    /** When all that was taken until the last turn is paid for. */
    private long paidNanos;

    /** @param rate bytes a second, more than 0 */
    public Pace(long rate, long nowNanos) {
        this.rate = rate;
        this.startSecond = second(nowNanos);
        this.paidNanos = nowNanos;
    }

    private static long second(long nanos) {
        return TimeUnit.NANOSECONDS.toSeconds(nanos);
    }

    public void took(int bytes) {
        taken += bytes;
        turn += bytes;
    }

    /** Ends a turn; tells how long to pause then, 0 not to. */
    public long pauseMillis(long nowNanos) {
        if (turn == 0) {
            return 0;
        }
        // a double, since bytes times nanoseconds overflow
        long cost = (long) ((double) turn * TimeUnit.SECONDS.toNanos(1) / rate);
        turn = 0;
        paidNanos = Math.max(paidNanos, nowNanos - MOST_LATE_NANOS) + cost;
        long pause = TimeUnit.NANOSECONDS.toMillis(paidNanos - nowNanos);
        return pause < SHORT_MILLIS ? 0 : pause;
    }

    private long allowed(long nowNanos) {
        return rate * (second(nowNanos) - startSecond + 1) - taken;
    }

    /** How much longer to pause after a pause; 0 to go on. */
    public long furtherMillis(long nowNanos) {
        long allowed = allowed(nowNanos);
        return allowed > 0 ? 0 : -allowed * 1000 / rate + 1;
    }

    /** Bytes that may be taken at once, 1 or more. */
    public int limit(long nowNanos) {
        return (int) Math.max(1, Math.min(Integer.MAX_VALUE, allowed(nowNanos)));
    }
}
