package io.weir.control.access;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;

/** What a browser says about the page that sent a request. Other clients say nothing and are not concerned. */
final class BrowserOrigin {

    private static final String FETCH_SITE = "Sec-Fetch-Site";
    private static final Pattern DEFAULT_PORT = Pattern.compile(":(?:80|443)$");
    private static final Pattern PORT = Pattern.compile(":\\d+$");
    private static final Pattern V4 = Pattern.compile("\\d+\\.\\d+\\.\\d+\\.\\d+");

    private BrowserOrigin() {}

    /** Whether a request comes from a page of this very server, or from no page. */
    static boolean isOwn(HttpServletRequest request) {
        String site = request.getHeader(FETCH_SITE);
        if (site != null && !site.equals("same-origin") && !site.equals("none")) {
            return false;
        }
        String origin = request.getHeader(HttpHeaders.ORIGIN);
        if (origin == null) {
            return true;
        }
        int authority = origin.indexOf("://");
        String host = request.getHeader(HttpHeaders.HOST);
        return authority > 0
                && host != null
                && normal(origin.substring(authority + 3)).equals(normal(host));
    }

    /**
     * Whether nobody can make this host mean another address: a name of one's own can be pointed at 127.0.0.1 after a page
     * was loaded from it, and then the browser takes Weir for that page's own server.
     */
    static boolean isUnrebindable(@Nullable String host) {
        if (host == null) {
            return true;
        }
        String name = PORT.matcher(host).replaceFirst("").toLowerCase(Locale.ROOT);
        return name.equals("localhost")
                || name.endsWith(".localhost")
                || name.startsWith("[")
                || V4.matcher(name).matches();
    }

    private static String normal(String authority) {
        return DEFAULT_PORT.matcher(authority).replaceFirst("").toLowerCase(Locale.ROOT);
    }
}
