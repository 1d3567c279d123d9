package io.weir.config;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * When a request moves on to the next server.
 *
 * @see <a href="https://nginx.org/en/docs/http/ngx_http_proxy_module.html#proxy_next_upstream">proxy_next_upstream</a>
 */
public enum NextUpstream {
    ERROR,
    TIMEOUT,
    INVALID_HEADER,
    HTTP_403,
    HTTP_404,
    HTTP_429,
    HTTP_500,
    HTTP_502,
    HTTP_503,
    HTTP_504,
    /** Also requests whose method is POST, LOCK or PATCH, after their sending had begun. */
    NON_IDEMPOTENT,
    OFF;

    /** As in the API and in nginx: {@code http_502}. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Reads one condition.
     *
     * @throws InvalidConfigException on an unknown one, with an empty field
     */
    public static NextUpstream parse(String text) {
        for (NextUpstream value : values()) {
            if (value.text().equals(text)) {
                return value;
            }
        }
        throw new InvalidConfigException(
                "",
                "must be one of error, timeout, invalid_header, http_403, http_404, http_429, http_500, http_502,"
                        + " http_503, http_504, non_idempotent, off");
    }

    /** The condition of a response status, or null if no condition names that status. */
    public static @Nullable NextUpstream ofStatus(int status) {
        return switch (status) {
            case 403 -> HTTP_403;
            case 404 -> HTTP_404;
            case 429 -> HTTP_429;
            case 500 -> HTTP_500;
            case 502 -> HTTP_502;
            case 503 -> HTTP_503;
            case 504 -> HTTP_504;
            default -> null;
        };
    }
}
