package io.weir.proxy.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.config.StickyConfig;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Layout of the cookie: balancing.md section 12.2, recorded from nginx. */
class StickyCookieTest {

    private static final Instant NOW = Instant.parse("2026-11-30T14:24:37Z");

    private static String value(
            String expires, String domain, String path, boolean secure, boolean httpOnly, String sameSite) {
        return StickyCookie.value(
                new StickyConfig.Cookie("srv", expires, domain, path, secure, httpOnly, sameSite), "abc", NOW);
    }

    @Test
    void sessionCookie() {
        assertThat(value("", "", "", false, false, "")).isEqualTo("srv=abc");
    }

    @Test
    void allThatThereIs() {
        assertThat(value("1h", "example.com", "/app", true, true, "strict"))
                .isEqualTo("srv=abc; expires=Mon, 30-Nov-26 15:24:37 GMT; max-age=3600; domain=example.com; httponly;"
                        + " secure; samesite=strict; path=/app");
    }

    @Test
    void forEver() {
        assertThat(value("max", "", "", false, false, ""))
                .isEqualTo("srv=abc; expires=Thu, 31-Dec-37 23:55:55 GMT; max-age=315360000");
    }
}
