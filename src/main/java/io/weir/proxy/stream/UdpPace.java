package io.weir.proxy.stream;

import io.weir.proxy.loop.Deadlines;
import io.weir.proxy.loop.Pace;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The rate of one direction of a session of UDP: datagrams are not cut, and after each turn comes the pause that it costs. */
final class UdpPace extends Deadlines.Timeout {

    private final StreamLoop loop;
    private final Runnable resumed;
    private final @Nullable Pace pace;

    /**
     * @param rate bytes a second, 0 for no limit
     * @param resumed called at the end of each pause
     */
    UdpPace(StreamLoop loop, long rate, Runnable resumed) {
        this.loop = loop;
        this.resumed = resumed;
        this.pace = rate == 0 ? null : new Pace(rate, loop.now());
    }

    void took(int bytes) {
        if (pace != null) {
            pace.took(bytes);
        }
    }

    /** Ends a turn; tells whether a pause has begun. */
    boolean turnEnded() {
        return pace != null && pausing(pace.pauseMillis(loop.now()));
    }

    private boolean pausing(long millis) {
        if (millis > 0) {
            loop.deadlines().arm(this, TimeUnit.MILLISECONDS.toNanos(millis));
        }
        return millis > 0;
    }

    @Override
    protected void expired() {
        if (pace != null && !pausing(pace.furtherMillis(loop.now()))) {
            resumed.run();
        }
    }

    void close() {
        loop.deadlines().forget(this);
    }
}
