package io.weir.proxy.stream;

import io.netty.buffer.ByteBuf;
import io.weir.proxy.loop.Deadlines;
import io.weir.proxy.loop.Pace;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;

/**
 * What a side with a pace reads. Bytes that come unasked wait here: when the other end has closed, Netty reads what the
 * system has of it whether that is wanted or not. Confined to its loop's thread.
 */
final class PacedInput {

    private final StreamLoop loop;
    private final Side side;
    private final Pace pace;
    private final Pause pause = new Pause();
    private final ArrayDeque<ByteBuf> unasked = new ArrayDeque<>();
    private boolean resting;
    private boolean ended;
    private boolean closed;

    PacedInput(StreamLoop loop, Side side, long rate, long startNanos) {
        this.loop = loop;
        this.side = side;
        this.pace = new Pace(rate, startNanos);
    }

    private final class Pause extends Deadlines.Timeout {
        @Override
        protected void expired() {
            resume();
        }
    }

    /**
     * Bytes that one read may bring. What comes unasked is not slowed down by small reads: it would only be kept in as many
     * buffers, of which a rate of one byte a second makes millions.
     */
    int limit() {
        return resting ? Integer.MAX_VALUE : pace.limit(loop.now());
    }

    boolean isPausing() {
        return pause.isArmed();
    }

    /** Something was read. */
    void read(ByteBuf bytes) {
        if (resting || closed) {
            unasked.add(bytes);
            if (closed) {
                clear();
            }
            return;
        }
        // one read at a time; what comes of it is known at its end
        resting = true;
        side.holdForRate();
        pace.took(bytes.readableBytes());
        side.hand(bytes);
    }

    /** No more was read for now. */
    void turnEnded() {
        if (resting && !pause.isArmed()) {
            rest();
        }
    }

    /** Goes on, now or after the pause that what was taken costs. */
    private void rest() {
        long millis = pace.pauseMillis(loop.now());
        if (millis > 0) {
            pause(millis);
        } else {
            resume();
        }
    }

    private void pause(long millis) {
        loop.deadlines().arm(pause, TimeUnit.MILLISECONDS.toNanos(millis));
        side.endTurn();
    }

    /** The other side takes bytes again. */
    void unblocked() {
        if (resting && !pause.isArmed()) {
            resume();
        }
    }

    private void resume() {
        while (!closed && !side.isBlocked()) {
            long further = pace.furtherMillis(loop.now());
            if (further > 0) {
                pause(further);
                return;
            }
            if (unasked.isEmpty()) {
                goOn();
                return;
            }
            take(unasked.getFirst());
            long millis = pace.pauseMillis(loop.now());
            if (millis > 0) {
                pause(millis);
                return;
            }
            side.endTurn();
        }
    }

    private void take(ByteBuf first) {
        int most = pace.limit(loop.now());
        ByteBuf piece = first.readableBytes() <= most ? unasked.removeFirst() : first.readRetainedSlice(most);
        pace.took(piece.readableBytes());
        side.hand(piece);
    }

    private void goOn() {
        resting = false;
        if (ended) {
            side.end();
        } else {
            side.endTurn();
            side.releaseFromRate();
        }
    }

    /** No more will be read; tells whether that may be told at once. */
    boolean mayEnd() {
        ended = true;
        return !resting || closed;
    }

    void close() {
        closed = true;
        loop.deadlines().forget(pause);
        clear();
    }

    private void clear() {
        while (!unasked.isEmpty()) {
            unasked.removeFirst().release();
        }
    }
}
