package io.weir.proxy.http;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.util.AsciiString;
import io.weir.config.PathMatch;
import io.weir.config.RedirectRule;
import io.weir.config.RouteConfig;
import io.weir.config.RouteTarget;
import org.jspecify.annotations.Nullable;

/**
 * Turns the address that a route's requests are sent to back into the path that they came by, where a server sends its
 * client there. Immutable.
 *
 * <p>Differs from nginx: the path stays a path, where nginx makes an address of it ({@code absolute_redirect}). A client
 * that came by way of another proxy could not follow that.
 *
 * @see <a href="https://nginx.org/en/docs/http/ngx_http_proxy_module.html#proxy_redirect">proxy_redirect</a>
 */
final class Redirects {

    private static final AsciiString REFRESH = new AsciiString("Refresh");
    private static final AsciiString URL = new AsciiString("url=");

    private final String from;
    private final String to;

    private Redirects(String from, String to) {
        this.from = from;
        this.to = to;
    }

    /** Those of a route; null if it has none, as where its address is worked out for each request. */
    static @Nullable Redirects of(RouteConfig route) {
        if (route.proxy().redirect() == RedirectRule.OFF) {
            return null;
        }
        String url;
        if (route.target() instanceof RouteTarget.Upstream group) {
            url = "http://" + group.name();
        } else if (route.target() instanceof RouteTarget.Address address
                && address.url().isConstant()) {
            url = address.url().text();
        } else {
            return null;
        }
        String prefix = route.rewritePrefix();
        return prefix == null || route.path().type() == PathMatch.Type.REGEX
                ? new Redirects(url + "/", "/")
                : new Redirects(
                        url + prefix, Escapes.path(Text.bytes(route.path().value())));
    }

    /** The value of a field of a server's response as the client gets it. */
    CharSequence applied(AsciiString name, AsciiString value) {
        int at;
        if (HttpHeaderNames.LOCATION.contentEqualsIgnoreCase(name)) {
            at = 0;
        } else if (REFRESH.contentEqualsIgnoreCase(name)) {
            int url = AsciiString.indexOfIgnoreCaseAscii(value, URL, 0);
            if (url < 0) {
                return value;
            }
            at = url + URL.length();
        } else {
            return value;
        }
        String text = value.toString();
        return text.startsWith(from, at) ? text.substring(0, at) + to + text.substring(at + from.length()) : value;
    }
}
