package io.weir.control.drain;

import io.weir.config.AdminState;
import io.weir.config.DrainConfig;
import io.weir.config.ServerConfig;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a server and its last drain.
 *
 * @param address as the operator wrote it
 * @param state of the server; null if it was removed
 * @param drain null if there was none
 * @param outcome null while it is in progress
 * @param endedAt null while it is in progress
 * @param conns in progress at the server, on this node
 * @param requests begun there since the drain has, on this node; null if it ended before this node started
 */
public record DrainReport(
        ServerKey server,
        String address,
        @Nullable AdminState state,
        @Nullable DrainConfig drain,
        @Nullable DrainOutcome outcome,
        @Nullable Instant endedAt,
        int conns,
        @Nullable Long requests) {

    static DrainReport none(ServerKey key, ServerConfig server, int conns) {
        return new DrainReport(key, server.address().text(), server.state(), null, null, null, conns, null);
    }

    static DrainReport inProgress(ServerKey key, ServerConfig server, DrainConfig drain, int conns, long requests) {
        return new DrainReport(key, server.address().text(), server.state(), drain, null, null, conns, requests);
    }

    /** @param drain not in progress */
    static DrainReport ended(
            ServerKey key, ServerConfig server, DrainConfig drain, int conns, @Nullable Long requests) {
        DrainConfig.End end = Objects.requireNonNull(drain.end());
        return new DrainReport(
                key,
                server.address().text(),
                server.state(),
                drain,
                DrainOutcome.of(end.result()),
                end.at(),
                conns,
                requests);
    }

    public boolean isInProgress() {
        return drain != null && outcome == null;
    }
}
