package io.weir.config;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * How a route talks to its servers; the defaults are nginx's.
 *
 * @param connectTimeout to connect, more than 0
 * @param sendTimeout between two writes to a server that takes no more, more than 0
 * @param readTimeout for the whole response head once the request was sent, then between two reads of the body; more
 *     than 0
 * @param nextUpstream conditions under which the next server is tried
 * @param nextUpstreamTries most attempts, the first included; 0 for as many as there are servers
 * @param nextUpstreamTimeout after which no further attempt begins; 0 for no limit
 * @param requestBuffering what becomes of a request's body first
 * @param buffering what becomes of a response that the client does not take as fast as it comes
 * @param httpVersion that servers are asked in
 * @param interceptErrors whether a server's response is replaced too if the route has an error page for its status
 * @param ignoreClientAbort whether a request that is with a server goes on there when its client leaves
 * @param redirect what becomes of {@code Location} and {@code Refresh}
 * @see <a href="https://nginx.org/en/docs/http/ngx_http_proxy_module.html">ngx_http_proxy_module</a>
 */
public record ProxySettings(
        TimeSpan connectTimeout,
        TimeSpan sendTimeout,
        TimeSpan readTimeout,
        Set<NextUpstream> nextUpstream,
        int nextUpstreamTries,
        TimeSpan nextUpstreamTimeout,
        RequestBuffering requestBuffering,
        ResponseBuffering buffering,
        HttpVersion httpVersion,
        boolean interceptErrors,
        boolean ignoreClientAbort,
        RedirectRule redirect)
        implements RetryRules {

    private static final TimeSpan SIXTY_SECONDS = TimeSpan.parse("60s");

    public static final ProxySettings DEFAULT =
            new ProxySettings(SIXTY_SECONDS, SIXTY_SECONDS, SIXTY_SECONDS, CONNECTING, 0, TimeSpan.parse("0s"));

    public ProxySettings {
        nextUpstream = nextUpstream.isEmpty()
                ? Collections.unmodifiableSet(EnumSet.noneOf(NextUpstream.class))
                : Collections.unmodifiableSet(EnumSet.copyOf(nextUpstream));
        new Checks()
                .check(!connectTimeout.isZero(), "connectTimeout", "must be more than 0")
                .check(!sendTimeout.isZero(), "sendTimeout", "must be more than 0")
                .check(!readTimeout.isZero(), "readTimeout", "must be more than 0")
                .check(
                        !nextUpstream.contains(NextUpstream.OFF) || nextUpstream.size() == 1,
                        "nextUpstream",
                        "off stands alone")
                .range("nextUpstreamTries", nextUpstreamTries, 0, 1000)
                .done();
    }

    /** With nginx's rules for bodies and responses. */
    public ProxySettings(
            TimeSpan connectTimeout,
            TimeSpan sendTimeout,
            TimeSpan readTimeout,
            Set<NextUpstream> nextUpstream,
            int nextUpstreamTries,
            TimeSpan nextUpstreamTimeout) {
        this(
                connectTimeout,
                sendTimeout,
                readTimeout,
                nextUpstream,
                nextUpstreamTries,
                nextUpstreamTimeout,
                RequestBuffering.DEFAULT,
                ResponseBuffering.DEFAULT,
                HttpVersion.HTTP_1_1,
                false,
                false,
                RedirectRule.DEFAULT);
    }

    public ProxySettings with(RequestBuffering changed) {
        return with(changed, buffering, httpVersion, interceptErrors, ignoreClientAbort, redirect);
    }

    public ProxySettings with(ResponseBuffering changed) {
        return with(requestBuffering, changed, httpVersion, interceptErrors, ignoreClientAbort, redirect);
    }

    public ProxySettings with(HttpVersion changed) {
        return with(requestBuffering, buffering, changed, interceptErrors, ignoreClientAbort, redirect);
    }

    public ProxySettings with(RedirectRule changed) {
        return with(requestBuffering, buffering, httpVersion, interceptErrors, ignoreClientAbort, changed);
    }

    public ProxySettings interceptingErrors() {
        return with(requestBuffering, buffering, httpVersion, true, ignoreClientAbort, redirect);
    }

    public ProxySettings ignoringClientAbort() {
        return with(requestBuffering, buffering, httpVersion, interceptErrors, true, redirect);
    }

    private ProxySettings with(
            RequestBuffering requests,
            ResponseBuffering responses,
            HttpVersion version,
            boolean intercept,
            boolean ignoreAbort,
            RedirectRule redirects) {
        return new ProxySettings(
                connectTimeout,
                sendTimeout,
                readTimeout,
                nextUpstream,
                nextUpstreamTries,
                nextUpstreamTimeout,
                requests,
                responses,
                version,
                intercept,
                ignoreAbort,
                redirects);
    }

    @Override
    public Set<NextUpstream> retryConditions() {
        return nextUpstream;
    }
}
