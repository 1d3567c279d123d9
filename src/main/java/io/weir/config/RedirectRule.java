package io.weir.config;

/**
 * What becomes of a server's {@code Location} and {@code Refresh}.
 *
 * @see <a href="https://nginx.org/en/docs/http/ngx_http_proxy_module.html#proxy_redirect">proxy_redirect</a>
 */
public enum RedirectRule {
    /** An address that the route's requests are sent to becomes the path that they came by. */
    DEFAULT("default"),
    OFF("off");

    private final String text;

    RedirectRule(String text) {
        this.text = text;
    }

    /** As in the API and in nginx. */
    public String text() {
        return text;
    }

    /**
     * Reads one.
     *
     * @throws InvalidConfigException on any other, with an empty field
     */
    public static RedirectRule parse(String text) {
        for (RedirectRule value : values()) {
            if (value.text.equals(text)) {
                return value;
            }
        }
        throw new InvalidConfigException("", "must be default or off");
    }
}
