package io.weir.config;

/**
 * The cache of idle connections to a group's peers; the defaults are nginx's.
 *
 * @param connections most idle connections of the group, 0 for no cache
 * @param local whether a connection is reused only by the route that stored it
 * @param requests most requests on one connection, the first included
 * @param time greatest age of a connection that is stored again
 * @param timeout greatest time a connection stays idle
 * @see <a href="https://nginx.org/en/docs/http/ngx_http_upstream_module.html#keepalive">nginx: keepalive</a>
 */
public record KeepaliveConfig(int connections, boolean local, int requests, TimeSpan time, TimeSpan timeout) {

    public static final KeepaliveConfig DEFAULT =
            new KeepaliveConfig(32, true, 1000, TimeSpan.parse("1h"), TimeSpan.parse("60s"));

    /** What a group that nobody declared has. */
    public static final KeepaliveConfig NONE =
            new KeepaliveConfig(0, true, 1000, TimeSpan.parse("1h"), TimeSpan.parse("60s"));

    public KeepaliveConfig {
        new Checks()
                .range("connections", connections, 0, 1_000_000)
                .range("requests", requests, 1, Integer.MAX_VALUE)
                .check(!timeout.isZero(), "timeout", "must be more than 0")
                .done();
    }
}
