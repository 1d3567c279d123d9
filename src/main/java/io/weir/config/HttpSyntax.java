package io.weir.config;

/** What RFC 9110 allows in names and values of fields. */
public final class HttpSyntax {

    private HttpSyntax() {}

    /** A token: the syntax of methods and field names (RFC 9110 section 5.6.2). */
    public static boolean isToken(String text) {
        return !text.isEmpty() && text.chars().allMatch(HttpSyntax::isTokenChar);
    }

    /** A field value: no control characters but tab (RFC 9110 section 5.5). */
    public static boolean isFieldValue(String text) {
        return text.chars().allMatch(c -> c == '\t' || c >= ' ' && c != 127 && c <= 255);
    }

    private static boolean isTokenChar(int c) {
        return c >= '0' && c <= '9'
                || c >= 'a' && c <= 'z'
                || c >= 'A' && c <= 'Z'
                || "!#$%&'*+-.^_`|~".indexOf(c) >= 0;
    }
}
