package io.weir.config;

/** The version of HTTP that servers are asked in. */
public enum HttpVersion {
    HTTP_1_0("1.0"),
    HTTP_1_1("1.1");

    private final String text;

    HttpVersion(String text) {
        this.text = text;
    }

    /** As in the API and in nginx: {@code 1.1}. */
    public String text() {
        return text;
    }

    /**
     * Reads one.
     *
     * @throws InvalidConfigException on any other, with an empty field
     */
    public static HttpVersion parse(String text) {
        for (HttpVersion value : values()) {
            if (value.text.equals(text)) {
                return value;
            }
        }
        throw new InvalidConfigException("", "must be 1.0 or 1.1");
    }
}
