package io.weir.control.drain;

import io.weir.control.change.Refusal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Predicate;

/**
 * Who waits for the end of a drain. Holds no thread for them; each is told once, on the thread that finds that its wait is
 * over. Safe on every thread.
 */
final class Waits {

    /** Each is an open connection of the control plane, which has some thousands in all. */
    static final int MOST = 1000;

    private record Wait(ServerKey server, Instant until, Runnable whenOver) {}

    private final List<Wait> waits = new ArrayList<>();

    /** @throws Refusal if too many wait already */
    synchronized void add(ServerKey server, Instant until, Runnable whenOver) {
        if (waits.size() >= MOST) {
            throw new Refusal(Refusal.Reason.BUSY, "too many requests wait for drains; ask again without wait");
        }
        waits.add(new Wait(server, until, whenOver));
    }

    /** Those who wait for this server need not any more. */
    void end(ServerKey server) {
        endIf(wait -> wait.server.equals(server));
    }

    /** Those whose time is over. */
    void expire(Instant now) {
        endIf(wait -> !now.isBefore(wait.until));
    }

    void endAll() {
        endIf(wait -> true);
    }

    private void endIf(Predicate<Wait> over) {
        take(over).forEach(wait -> wait.whenOver.run());
    }

    private synchronized List<Wait> take(Predicate<Wait> over) {
        List<Wait> taken = new ArrayList<>();
        for (Iterator<Wait> all = waits.iterator(); all.hasNext(); ) {
            Wait wait = all.next();
            if (over.test(wait)) {
                all.remove();
                taken.add(wait);
            }
        }
        return taken;
    }
}
