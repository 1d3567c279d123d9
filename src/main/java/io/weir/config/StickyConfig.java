package io.weir.config;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How the requests of one client are kept at one server of a group, whatever the balancing method.
 *
 * @see <a href="https://nginx.org/en/docs/http/ngx_http_upstream_module.html#sticky">nginx: sticky</a>
 */
public sealed interface StickyConfig {

    /**
     * A cookie that the proxy adds to every response tells the server.
     *
     * @param name of the cookie, at most 128 characters
     * @param expires whole seconds such as {@code 1h}, {@code max}, or empty for a cookie that ends with the browser
     * @param domain a name that may begin with a dot; empty for none
     * @param path begins with a slash; empty for none
     * @param sameSite {@code strict}, {@code lax}, {@code none}, or empty to leave it out
     */
    record Cookie(
            String name, String expires, String domain, String path, boolean secure, boolean httpOnly, String sameSite)
            implements StickyConfig {

        /** As long as nginx can say it. */
        public static final String MAX = "max";

        private static final int MAX_NAME = 128;

        private static final String NO_VARIABLES = "must not have a $: there are no variables here";

        private static final Pattern DOMAIN = Pattern.compile(
                "\\.?[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*");

        private static final Set<String> SAME_SITE = Set.of("", "strict", "lax", "none");

        public Cookie {
            Checks checks = new Checks()
                    .check(
                            HttpSyntax.isToken(name) && name.length() <= MAX_NAME,
                            "name",
                            "must be a cookie name of at most " + MAX_NAME + " characters");
            // nginx takes variables in a domain; here clients would get the name of one
            if (domain.indexOf('$') >= 0) {
                checks.check(false, "domain", NO_VARIABLES);
            } else {
                checks.check(
                        domain.isEmpty() || DOMAIN.matcher(domain).matches() && domain.length() <= 254,
                        "domain",
                        "must be a domain name, which may begin with a dot");
            }
            if (path.indexOf('$') >= 0) {
                checks.check(false, "path", NO_VARIABLES);
            } else {
                checks.check(
                        path.isEmpty() || path.startsWith("/") && isAttribute(path),
                        "path",
                        "must begin with / and be printable ASCII without space or semicolon");
            }
            checks.check(
                    SAME_SITE.contains(sameSite.toLowerCase(Locale.ROOT)),
                    "sameSite",
                    "must be strict, lax, none, or empty");
            if (!expires.isEmpty() && !expires.equals(MAX)) {
                TimeSpan time = checks.attempt("expires", () -> TimeSpan.parse(expires));
                // a Max-Age has whole seconds, and one of 0 ends the cookie at once
                checks.check(
                        time == null || !time.isZero() && time.value().toMillis() % 1000 == 0,
                        "expires",
                        "must be whole seconds, at least one");
            }
            checks.done();
        }

        /** What a request says. */
        public Template value() {
            // a cookie's name may have characters that no variable in a text can have
            return new Template("$cookie_" + name, List.of(new Template.Reference("cookie_" + name)));
        }

        /** How long the cookie lasts; null for {@code max} and for the end of the browser. */
        public @Nullable TimeSpan lasts() {
            return expires.isEmpty() || expires.equals(MAX) ? null : TimeSpan.parse(expires);
        }

        private static boolean isAttribute(String text) {
            return text.chars().allMatch(c -> c > ' ' && c < 127 && c != ';');
        }
    }

    /**
     * Something in the request tells the {@code route} of the server.
     *
     * @param values the first that is not empty counts
     */
    record Route(List<Template> values) implements StickyConfig {

        public Route {
            values = List.copyOf(values);
            Checks checks = new Checks().check(!values.isEmpty(), "values", "must have at least one value");
            for (int i = 0; i < values.size(); i++) {
                checks.check(!values.get(i).text().isEmpty(), "values[" + i + "]", "must not be empty");
            }
            checks.done();
        }
    }

    /**
     * A session that a server has begun stays there: which one that was is remembered.
     *
     * @param create what tells the new session in a response, such as {@code $upstream_cookie_sid}
     * @param lookup what tells the session in a request, such as {@code $cookie_sid}
     * @param timeout after which an unused session is forgotten
     * @param header whether it is remembered at the response head, and not only after the response
     * @param sessions most of them; then the least recently used is forgotten
     */
    record Learn(Template create, Template lookup, TimeSpan timeout, boolean header, int sessions)
            implements StickyConfig {

        /** nginx's. */
        public static final TimeSpan DEFAULT_TIMEOUT = TimeSpan.parse("10m");

        /** Some 15 MB. */
        public static final int DEFAULT_SESSIONS = 100_000;

        public Learn {
            new Checks()
                    .check(!create.text().isEmpty(), "create", "must not be empty")
                    .check(!lookup.text().isEmpty(), "lookup", "must not be empty")
                    .check(!timeout.isZero(), "timeout", "must be more than 0")
                    .range("sessions", sessions, 1, 10_000_000)
                    .done();
        }
    }
}
