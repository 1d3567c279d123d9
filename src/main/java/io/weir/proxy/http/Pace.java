package io.weir.proxy.http;

import java.util.concurrent.TimeUnit;

/**
 * How fast a response may be read: {@code allowed = rate * (now - start + 1) - taken}, by a clock of whole seconds, and a
 * pause of {@code n / rate} after each turn that brought n bytes. So the first second's worth may come at once.
 *
 * @see <a href="https://nginx.org/en/docs/http/ngx_http_proxy_module.html#proxy_limit_rate">proxy_limit_rate</a>
 */
final class Pace {

    private final long rate;
    private final long startSecond;
    private long taken;
    private long turn;

    /** @param rate bytes a second, more than 0 */
    Pace(long rate, long nowNanos) {
        this.rate = rate;
        this.startSecond = second(nowNanos);
    }

    private static long second(long nanos) {
        return TimeUnit.NANOSECONDS.toSeconds(nanos);
    }

    void took(int bytes) {
        taken += bytes;
        turn += bytes;
    }

    /** Ends a turn; tells how long to pause then. */
    long pauseMillis() {
        long pause = turn * 1000 / rate;
        turn = 0;
        return pause;
    }

    private long allowed(long nowNanos) {
        return rate * (second(nowNanos) - startSecond + 1) - taken;
    }

    /** How much longer to pause after a pause; 0 to go on. */
    long furtherMillis(long nowNanos) {
        long allowed = allowed(nowNanos);
        return allowed > 0 ? 0 : -allowed * 1000 / rate + 1;
    }

    /** Bytes that may be taken at once, 1 or more. */
    int limit(long nowNanos) {
        return (int) Math.max(1, Math.min(Integer.MAX_VALUE, allowed(nowNanos)));
    }
}
