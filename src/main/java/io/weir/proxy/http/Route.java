package io.weir.proxy.http;

import io.weir.config.RouteConfig;
import io.weir.config.RouteTarget;
import io.weir.upstream.UpstreamGroup;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A route made ready for requests: its group found, its templates compiled. Immutable. */
final class Route {

    private final RouteConfig config;
    private final String owner;
    private final String path;
    private final @Nullable UpstreamGroup group;
    private final String proxyHost;
    private final @Nullable Text address;
    private final @Nullable Text respondBody;
    private final HeaderEdits requestEdits;
    private final HeaderEdits responseEdits;
    private final ErrorPages errorPages;
    private final @Nullable Redirects redirects;

    /**
     * @param listener that the route belongs to
     * @param group of the target, if it is known before a request comes
     * @param proxyHost what the upstream is told as Host unless the route sets one: nginx's {@code $proxy_host}
     */
    Route(String listener, RouteConfig config, @Nullable UpstreamGroup group, String proxyHost) {
        this.config = config;
        this.owner = listener + "/" + config.name();
        this.path = Text.bytes(config.path().value());
        this.group = group;
        this.proxyHost = proxyHost;
        this.address = config.target() instanceof RouteTarget.Address target && group == null
                ? Text.compile(target.url())
                : null;
        this.respondBody = config.target() instanceof RouteTarget.Respond target ? Text.compile(target.body()) : null;
        this.requestEdits = new HeaderEdits(config.requestHeaders());
        this.responseEdits = new HeaderEdits(config.responseHeaders());
        this.errorPages = new ErrorPages(config.errorPages());
        this.redirects = Redirects.of(config);
    }

    RouteConfig config() {
        return config;
    }

    /** The path that it matches, as requests have it: one char for each byte. */
    String path() {
        return path;
    }

    /** What its idle connections belong to where they are not shared; the same after the route was changed. */
    String owner() {
        return owner;
    }

    /** Null if there is a fixed answer, or the address is worked out for each request. */
    @Nullable
    UpstreamGroup group() {
        return group;
    }

    String proxyHost() {
        return proxyHost;
    }

    /** The address that is worked out for each request, if it is one of those. */
    @Nullable
    Text address() {
        return address;
    }

    @Nullable
    Text respondBody() {
        return respondBody;
    }

    HeaderEdits requestEdits() {
        return requestEdits;
    }

    HeaderEdits responseEdits() {
        return responseEdits;
    }

    ErrorPages errorPages() {
        return errorPages;
    }

    /** Null if what servers send is passed on as it is. */
    @Nullable
    Redirects redirects() {
        return redirects;
    }

    /** Whether it takes requests of this method and with these fields. */
    boolean accepts(String method, HttpFields headers) {
        if (!config.methods().isEmpty() && !config.methods().contains(method)) {
            return false;
        }
        if (!config.headers().isEmpty()) {
            for (Map.Entry<String, String> wanted : config.headers().entrySet()) {
                if (!wanted.getValue().equals(headers.get(wanted.getKey()))) {
                    return false;
                }
            }
        }
        return true;
    }

    /** Body limit in bytes, {@link Long#MAX_VALUE} for none. */
    long maxBodyBytes() {
        long bytes = config.maxBodySize().bytes();
        return bytes == 0 ? Long.MAX_VALUE : bytes;
    }
}
