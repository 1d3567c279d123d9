package io.weir.config;

/**
 * What a listener grants its clients; names and defaults are nginx's.
 *
 * @param headerTimeout for a whole request head, however it trickles in ({@code client_header_timeout})
 * @param bodyTimeout between two reads of a request body ({@code client_body_timeout})
 * @param sendTimeout while the client takes nothing ({@code send_timeout})
 * @param keepaliveTimeout between two requests; 0 closes after each ({@code keepalive_timeout})
 * @param keepaliveRequests most requests on one connection ({@code keepalive_requests})
 * @param largeHeaderBuffers how long a request head may be ({@code large_client_header_buffers})
 * @param maxHeaders most fields of a request ({@code max_headers})
 * @param lingeringTimeout how long to wait for more of what nobody reads, so that the client gets to read the answer
 *     ({@code lingering_timeout})
 * @param lingeringTime how long to go on with that ({@code lingering_time})
 * @param maxConnections most connections at one time, 0 for no limit
 * @param maxConnectionsPerAddress most of them from one address, 0 for no limit ({@code limit_conn})
 * @see <a href="https://nginx.org/en/docs/http/ngx_http_core_module.html">ngx_http_core_module</a>
 */
public record ClientSettings(
        TimeSpan headerTimeout,
        TimeSpan bodyTimeout,
        TimeSpan sendTimeout,
        TimeSpan keepaliveTimeout,
        int keepaliveRequests,
        HeaderBuffers largeHeaderBuffers,
        int maxHeaders,
        TimeSpan lingeringTimeout,
        TimeSpan lingeringTime,
        int maxConnections,
        int maxConnectionsPerAddress) {

    public static final ClientSettings DEFAULT = new ClientSettings(
            TimeSpan.parse("60s"),
            TimeSpan.parse("60s"),
            TimeSpan.parse("60s"),
            TimeSpan.parse("75s"),
            1000,
            HeaderBuffers.DEFAULT,
            1000,
            TimeSpan.parse("5s"),
            TimeSpan.parse("30s"),
            0,
            0);

    public ClientSettings {
        new Checks()
                .check(!headerTimeout.isZero(), "headerTimeout", "must be more than 0")
                .check(!bodyTimeout.isZero(), "bodyTimeout", "must be more than 0")
                .check(!sendTimeout.isZero(), "sendTimeout", "must be more than 0")
                .range("keepaliveRequests", keepaliveRequests, 1, Integer.MAX_VALUE)
                .range("maxHeaders", maxHeaders, 1, 100_000)
                .check(!lingeringTimeout.isZero(), "lingeringTimeout", "must be more than 0")
                .check(!lingeringTime.isZero(), "lingeringTime", "must be more than 0")
                .range("maxConnections", maxConnections, 0, Integer.MAX_VALUE)
                .range("maxConnectionsPerAddress", maxConnectionsPerAddress, 0, Integer.MAX_VALUE)
                .done();
    }
}
