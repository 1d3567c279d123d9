package io.weir.proxy.loop;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.ScheduledFuture;
import io.weir.zone.Ticker;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The timeouts of one event loop: a hashed wheel in which one can be moved for the price of a field.
 *
 * <p>Almost no timeout ever fires, and almost all are moved many times, so moving one later only notes the new time; the
 * wheel finds out when it comes by. One periodic task drives the wheel, and only while something is in it.
 *
 * <p>What has come by the time a timeout is due counts, as in nginx: the loop polls its sockets between two ticks, so a tick
 * goes by what the clock said at the one before. A process that stood still, or whose loop got no processor, finds bytes to
 * read and deadlines passed at once; the bytes are read first, and whoever reads them moves the deadline.
 *
 * <p>Timeouts fire up to three ticks of {@value #TICK_MILLIS} ms late, never early. Confined to the loop's thread.
 */
public final class Deadlines {

    private static final Logger log = LoggerFactory.getLogger(Deadlines.class);

    /** Short enough for any timeout an operator sets, long enough to cost nothing. */
    static final int TICK_MILLIS = 20;

    private static final long TICK = TimeUnit.MILLISECONDS.toNanos(TICK_MILLIS);
    private static final int SLOTS = 512;

    /** Something that can time out. Always in at most one slot of one wheel. */
    // the fields are the wheel's alone
    public abstract static class Timeout {

        static final long NEVER = Long.MAX_VALUE;

        long deadline = NEVER;
        long linkedTick = NEVER;

        @Nullable
        Timeout previous;

        @Nullable
        Timeout next;

        /** Called once the deadline has passed; the timeout is no longer armed then. */
        protected abstract void expired();

        public final boolean isArmed() {
            return deadline != NEVER;
        }

        public final void disarm() {
            deadline = NEVER;
        }
    }

    /** Head of a slot's list. */
    private static final class Slot extends Timeout {
        @Override
        protected void expired() {
            throw new IllegalStateException();
        }
    }

    private final EventExecutor loop;
    private final Ticker ticker;
    private final Slot[] wheel = new Slot[SLOTS];
    private final long origin;
    private long lastTickNanos;
    private long currentTick;
    private int linked;
    private @Nullable ScheduledFuture<?> driver;

    public Deadlines(EventExecutor loop, Ticker ticker) {
        this.loop = loop;
        this.ticker = ticker;
        this.origin = ticker.nanos();
        for (int i = 0; i < SLOTS; i++) {
            wheel[i] = new Slot();
        }
    }

    /** Lets {@code timeout} expire {@code nanos} from now, in place of any time it had. */
    public void arm(Timeout timeout, long nanos) {
        long now = ticker.nanos() - origin;
        timeout.deadline = now + nanos;
        if (driver == null) {
            currentTick = now / TICK;
            lastTickNanos = now;
            driver = loop.scheduleAtFixedRate(this::tick, TICK_MILLIS, TICK_MILLIS, TimeUnit.MILLISECONDS);
        }
        if (timeout.linkedTick == Timeout.NEVER || timeout.deadline / TICK + 1 < timeout.linkedTick) {
            unlink(timeout);
            link(timeout);
        }
    }

    /** Takes the timeout out of the wheel, so that nothing holds on to it. */
    public void forget(Timeout timeout) {
        timeout.disarm();
        unlink(timeout);
    }

    private void tick() {
        long polled = lastTickNanos;
        lastTickNanos = ticker.nanos() - origin;
        // after a pause of the process each slot is visited once at the most
        long from = Math.max(currentTick, polled / TICK - SLOTS);
        while (from < polled / TICK) {
            from++;
            currentTick = from;
            visit(wheel[(int) (from % SLOTS)], polled);
        }
        if (linked == 0 && driver != null) {
            driver.cancel(false);
            driver = null;
        }
    }

    private void visit(Slot slot, long now) {
        // taken off the wheel first: whatever expires may arm or forget others in this very slot
        Timeout first = slot.next;
        slot.next = null;
        Slot visited = new Slot();
        visited.next = first;
        if (first != null) {
            first.previous = visited;
        }
        for (Timeout t = visited.next; t != null; t = visited.next) {
            unlink(t);
            if (t.deadline <= now) {
                t.disarm();
                expire(t);
            } else if (t.isArmed()) {
                link(t);
            }
        }
    }

    private static void expire(Timeout timeout) {
        try {
            timeout.expired();
        } catch (RuntimeException e) {
            // an exception would end the periodic task, and with it every other timeout of the loop
            log.error("a timeout failed", e);
        }
    }

    private void link(Timeout timeout) {
        // rounded up, so that it is never early; a deadline beyond the wheel is looked at once a turn
        long tick = Math.max(currentTick + 1, Math.min(timeout.deadline / TICK + 1, currentTick + SLOTS - 1));
        timeout.linkedTick = tick;
        Slot slot = wheel[(int) (tick % SLOTS)];
        timeout.previous = slot;
        timeout.next = slot.next;
        if (slot.next != null) {
            slot.next.previous = timeout;
        }
        slot.next = timeout;
        linked++;
    }

    private void unlink(Timeout timeout) {
        Timeout previous = timeout.previous;
        if (previous == null) {
            return;
        }
        previous.next = timeout.next;
        if (timeout.next != null) {
            timeout.next.previous = previous;
        }
        timeout.previous = null;
        timeout.next = null;
        timeout.linkedTick = Timeout.NEVER;
        linked--;
    }
}
