package io.weir.control.upstream;

import io.swagger.v3.oas.annotations.media.Schema;
import io.weir.config.ServerConfig;
import java.util.Locale;

/** A server as the API shows it. */
@Schema(name = "Server", description = "A server of an upstream group. Only the address is required.")
record ServerView(
        @Schema(
                description =
                        "Stable, never used again. Given by Weir, or at most 1000000000 if a new server brings its own.",
                example = "1")
        int id,

        @Schema(
                description =
                        "host:port, [v6]:port or unix:/path; the port is 80 if none is named, and must be named in a"
                                + " stream group.")
        String address,

        @Schema(description = "1 to 1000000.", defaultValue = "1")
        int weight,

        @Schema(description = "Most requests or sessions in progress; 0 for no limit.", defaultValue = "0")
        int maxConns,

        @Schema(description = "Failures within failTimeout that take it out; 0 for never.", defaultValue = "1")
        int maxFails,

        @Schema(description = "Whole seconds.", defaultValue = "10s")
        String failTimeout,

        @Schema(description = "Time over which its weight climbs to the full one.", defaultValue = "0s")
        String slowStart,

        @Schema(description = "Used only while no other is available.", defaultValue = "false")
        boolean backup,

        @Schema(
                allowableValues = {"up", "down", "drain"},
                defaultValue = "up")
        String state,

        @Schema(description = "http: its id for sticky routes.", defaultValue = "")
        String route) {

    static ServerView of(ServerConfig server) {
        return new ServerView(
                server.id(),
                server.address().text(),
                server.weight(),
                server.maxConns(),
                server.maxFails(),
                server.failTimeout().text(),
                server.slowStart().text(),
                server.backup(),
                server.state().name().toLowerCase(Locale.ROOT),
                server.route());
    }
}
