package io.weir.control.drain;

import io.weir.config.AdminState;
import io.weir.config.DrainConfig;
import io.weir.config.ServerConfig;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A drain that has ended while this node ran.
 *
 * @param server as it was last
 * @param requests begun at the server since the drain had, on this node
 */
record PastDrain(ServerConfig server, DrainConfig drain, DrainOutcome outcome, Instant at, long requests) {

    /** Whether it is the one that this tells the end of. */
    boolean isOf(DrainConfig ended) {
        return drain.since().equals(ended.since());
    }

    /** @param state of the server now; null if it was removed */
    DrainReport report(ServerKey key, @Nullable AdminState state, int conns) {
        return new DrainReport(key, server.address().text(), state, drain, outcome, at, conns, requests);
    }
}
