package io.weir.config;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How a stream listener talks to its servers; the defaults are nginx's.
 *
 * @param connectTimeout to connect, more than 0 ({@code proxy_connect_timeout})
 * @param timeout between two events on either side, after which a session ends; more than 0 ({@code proxy_timeout})
 * @param halfClose whether a side that has sent its last byte goes on to get what the other sends ({@code
 *     proxy_half_close})
 * @param nextUpstream whether another server is tried when one cannot be connected to ({@code proxy_next_upstream})
 * @param nextUpstreamTries most attempts, the first included; 0 for as many as there are servers
 * @param nextUpstreamTimeout after which no further attempt begins; 0 for no limit
 * @param requests datagrams of a client after which its next one begins a new session; 0 for any number ({@code
 *     proxy_requests})
 * @param responses datagrams that are expected in answer to each of a client's; null for any number ({@code
 *     proxy_responses})
 * @param uploadRate bytes a second that are read from a client, 0 for no limit ({@code proxy_upload_rate})
 * @param downloadRate bytes a second that are read from a server, 0 for no limit ({@code proxy_download_rate})
 * @param bufferSize for each direction, 1k to 16m ({@code proxy_buffer_size})
 * @param proxyProtocol version of the header that a server gets first; null for none ({@code proxy_protocol})
 * @param sessionDrop whether sessions end when their server is removed or set down ({@code proxy_session_drop})
 * @see <a href="https://nginx.org/en/docs/stream/ngx_stream_proxy_module.html">ngx_stream_proxy_module</a>
 */
public record StreamSettings(
        TimeSpan connectTimeout,
        TimeSpan timeout,
        boolean halfClose,
        boolean nextUpstream,
        int nextUpstreamTries,
        TimeSpan nextUpstreamTimeout,
        int requests,
        @Nullable Integer responses,
        ByteSize uploadRate,
        ByteSize downloadRate,
        ByteSize bufferSize,
        @Nullable ProxyHeaderVersion proxyProtocol,
        boolean sessionDrop)
        implements RetryRules {

    public static final StreamSettings DEFAULT = new StreamSettings(
            TimeSpan.parse("60s"),
            TimeSpan.parse("10m"),
            false,
            true,
            0,
            TimeSpan.parse("0s"),
            0,
            null,
            ByteSize.parse("0"),
            ByteSize.parse("0"),
            ByteSize.parse("16k"),
            null,
            false);

    public StreamSettings {
        new Checks()
                .check(!connectTimeout.isZero(), "connectTimeout", "must be more than 0")
                .check(!timeout.isZero(), "timeout", "must be more than 0")
                .range("nextUpstreamTries", nextUpstreamTries, 0, 1000)
                .range("requests", requests, 0, Integer.MAX_VALUE)
                .range("responses", responses == null ? 0 : responses, 0, Integer.MAX_VALUE)
                .size("bufferSize", bufferSize, 1 << 10, 16 << 20)
                .done();
    }

    /** That a connection cannot be made is all that a session can tell of a server before it is bound to it. */
    @Override
    public Set<NextUpstream> retryConditions() {
        return nextUpstream ? CONNECTING : Set.of();
    }
}
