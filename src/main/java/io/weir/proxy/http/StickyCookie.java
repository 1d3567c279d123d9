package io.weir.proxy.http;

import io.weir.config.StickyConfig;
import io.weir.config.TimeSpan;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/**
 * The Set-Cookie field that keeps a client at its server, laid out as nginx does.
 *
 * @see <a href="https://nginx.org/en/docs/http/ngx_http_upstream_module.html#sticky_cookie">nginx: sticky cookie</a>
 */
final class StickyCookie {

    private static final DateTimeFormatter DATE = DateTimeFormatter.ofPattern(
                    "EEE, dd-MMM-yy HH:mm:ss 'GMT'", Locale.ENGLISH)
            .withZone(ZoneOffset.UTC);

    /** nginx's last moment, the end of 32-bit time, and the ten years that go with it. */
    private static final String FOR_EVER = "; expires=Thu, 31-Dec-37 23:55:55 GMT; max-age=315360000";

    private StickyCookie() {}

    /**
     * The value of the field.
     *
     * @param sid of the peer that the client shall come back to
     */
    static String value(StickyConfig.Cookie cookie, String sid, Instant now) {
        StringBuilder out = new StringBuilder(cookie.name()).append('=').append(sid);
        TimeSpan lasts = cookie.lasts();
        if (lasts != null) {
            out.append("; expires=").append(DATE.format(now.plus(lasts.value())));
            out.append("; max-age=").append(lasts.value().toSeconds());
        } else if (cookie.expires().equals(StickyConfig.Cookie.MAX)) {
            out.append(FOR_EVER);
        }
        append(out, "; domain=", cookie.domain());
        out.append(cookie.httpOnly() ? "; httponly" : "").append(cookie.secure() ? "; secure" : "");
        append(out, "; samesite=", cookie.sameSite());
        append(out, "; path=", cookie.path());
        return out.toString();
    }

    private static void append(StringBuilder out, String name, String value) {
        if (!value.isEmpty()) {
            out.append(name).append(value);
        }
    }
}
