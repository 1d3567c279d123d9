package io.weir.config;

import org.jspecify.annotations.Nullable;

/**
 * One {@code server} of an upstream group; the defaults are nginx's.
 *
 * @param id stable within the group, never used again, 0 or more
 * @param weight 1 to 1,000,000
 * @param maxConns most attempts in progress, 0 for no limit
 * @param maxFails failures within {@code failTimeout} that take it out, 0 for never
 * @param failTimeout whole seconds; both the window of counting and the time out of rotation
 * @param slowStart over which its weight climbs to nominal after it was added, came back or recovered; 0 for at once
 * @param backup used only while no primary server is available
 * @param route its id for {@code sticky route}, at most 32 characters; empty for none
 * @param drain the drain that put it into its {@code state}, in progress or ended; null for none
 * @see <a href="https://nginx.org/en/docs/http/ngx_http_upstream_module.html#server">nginx: server</a>
 */
public record ServerConfig(
        int id,
        ServerAddress address,
        int weight,
        int maxConns,
        int maxFails,
        TimeSpan failTimeout,
        TimeSpan slowStart,
        boolean backup,
        AdminState state,
        String route,
        @Nullable DrainConfig drain) {

    public static final int DEFAULT_WEIGHT = 1;
    public static final int DEFAULT_MAX_FAILS = 1;
    public static final TimeSpan DEFAULT_FAIL_TIMEOUT = TimeSpan.parse("10s");
    public static final TimeSpan NO_SLOW_START = TimeSpan.parse("0s");

    private static final int MOST = 1_000_000;

    public ServerConfig {
        new Checks()
                .check(id >= 0, "id", "must be 0 or more")
                .range("weight", weight, 1, MOST)
                .range("maxConns", maxConns, 0, MOST)
                .range("maxFails", maxFails, 0, MOST)
                // nginx counts in whole seconds; a fraction would be silently lost
                .check(failTimeout.value().toMillis() % 1000 == 0, "failTimeout", "must be whole seconds")
                .check(
                        route.length() <= 32 && route.chars().allMatch(c -> c > ' ' && c < 127 && c != ';'),
                        "route",
                        "must be at most 32 printable ASCII characters without space or semicolon")
                .check(drain == null || state != AdminState.UP, "drain", "goes with state drain or down only")
                .done();
    }

    /** A server that nobody drains. */
    public ServerConfig(
            int id,
            ServerAddress address,
            int weight,
            int maxConns,
            int maxFails,
            TimeSpan failTimeout,
            TimeSpan slowStart,
            boolean backup,
            AdminState state,
            String route) {
        this(id, address, weight, maxConns, maxFails, failTimeout, slowStart, backup, state, route, null);
    }

    /** A server with nginx's defaults. */
    public static ServerConfig of(int id, String address) {
        return new ServerConfig(
                id,
                ServerAddress.parse(address, 80),
                DEFAULT_WEIGHT,
                0,
                DEFAULT_MAX_FAILS,
                DEFAULT_FAIL_TIMEOUT,
                NO_SLOW_START,
                false,
                AdminState.UP,
                "");
    }

    public ServerConfig withWeight(int weight) {
        return new ServerConfig(
                id, address, weight, maxConns, maxFails, failTimeout, slowStart, backup, state, route, drain);
    }

    /** In another state, and with no drain: it ends with the state that it made. */
    public ServerConfig withState(AdminState state) {
        return withDrain(state, null);
    }

    public ServerConfig withDrain(AdminState state, @Nullable DrainConfig drain) {
        return new ServerConfig(
                id, address, weight, maxConns, maxFails, failTimeout, slowStart, backup, state, route, drain);
    }

    public ServerConfig withMaxConns(int maxConns) {
        return new ServerConfig(
                id, address, weight, maxConns, maxFails, failTimeout, slowStart, backup, state, route, drain);
    }

    public ServerConfig withFails(int maxFails, String failTimeout) {
        return new ServerConfig(
                id,
                address,
                weight,
                maxConns,
                maxFails,
                TimeSpan.parse(failTimeout),
                slowStart,
                backup,
                state,
                route,
                drain);
    }

    public ServerConfig withBackup(boolean backup) {
        return new ServerConfig(
                id, address, weight, maxConns, maxFails, failTimeout, slowStart, backup, state, route, drain);
    }
}
