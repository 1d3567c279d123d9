package io.weir.control.drain;

import io.weir.config.DrainConfig;
import io.weir.config.ServerConfig;
import io.weir.zone.ServerLoad;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A drain in progress, as this node sees it. Guarded by {@link Drains}. */
final class RunningDrain {

    private final long requestsBefore;
    private ServerConfig server;
    private DrainConfig drain;

    /** As last seen. */
    private ServerLoad load;

    private boolean cut;

    RunningDrain(ServerConfig server, DrainConfig drain, ServerLoad load) {
        this.server = server;
        this.drain = drain;
        this.load = load;
        requestsBefore = load.requests();
    }

    ServerConfig server() {
        return server;
    }

    DrainConfig drain() {
        return drain;
    }

    /** Takes what was asked for last; one that was asked for anew has its time again. */
    void follow(ServerConfig changed, DrainConfig asked) {
        server = changed;
        if (!asked.equals(drain)) {
            drain = asked;
            cut = false;
        }
    }

    void saw(ServerLoad now) {
        load = now;
    }

    /** Begun at the server since the drain has; peers that were removed take theirs with them. */
    long requests(ServerLoad now) {
        return Math.max(0, now.requests() - requestsBefore);
    }

    private boolean isOverdue(Instant now) {
        Instant deadline = drain.deadline();
        return deadline != null && !now.isBefore(deadline);
    }

    boolean isToBeCut(Instant now) {
        return !cut && load.conns() > 0 && isOverdue(now);
    }

    void cut() {
        cut = true;
    }

    boolean isCut() {
        return cut;
    }

    /** How it is to be ended; null if it goes on. */
    DrainConfig.@Nullable Result due() {
        if (cut) {
            return DrainConfig.Result.TIMED_OUT;
        }
        return load.conns() == 0 ? DrainConfig.Result.DRAINED : null;
    }

    /** @param after the server once the drain is over; null if it was removed, which the drain may have asked for */
    DrainOutcome outcome(@Nullable ServerConfig after, Instant now) {
        DrainConfig last = after == null ? null : after.drain();
        if (last != null && last.end() != null) {
            return DrainOutcome.of(last.end().result());
        }
        if (after != null || drain.then() != DrainConfig.Then.REMOVE) {
            return DrainOutcome.CANCELLED;
        }
        // the node that removed it need not be this one: what was left here tells
        if (cut || load.conns() > 0 && isOverdue(now)) {
            return DrainOutcome.TIMED_OUT;
        }
        return load.conns() == 0 ? DrainOutcome.DRAINED : DrainOutcome.CANCELLED;
    }

    PastDrain ended(DrainOutcome outcome, Instant now) {
        return new PastDrain(server, drain, outcome, now, requests(load));
    }
}
