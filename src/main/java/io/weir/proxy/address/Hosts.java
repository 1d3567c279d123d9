package io.weir.proxy.address;

import org.jspecify.annotations.Nullable;

/** The host in a Host field or an absolute target. */
public final class Hosts {

    private Hosts() {}

    /**
     * The name in lower case, without a port and without a dot at its end; empty for an empty field.
     *
     * @return null if it is not a host: 400 (RFC 9112 section 3.2)
     */
    public static @Nullable String name(String field) {
        int end = field.length();
        boolean bracket = field.startsWith("[");
        int close = bracket ? field.indexOf(']') : -1;
        if (bracket && close < 0) {
            return null;
        }
        int colon = field.indexOf(':', Math.max(close, 0));
        if (colon >= 0) {
            for (int i = colon + 1; i < end; i++) {
                if (field.charAt(i) < '0' || field.charAt(i) > '9') {
                    return null;
                }
            }
            end = colon;
        }
        if (bracket && end != close + 1) {
            return null;
        }
        StringBuilder lower = null;
        for (int i = 0; i < end; i++) {
            char c = field.charAt(i);
            if (!isHostChar(c, bracket)) {
                return null;
            }
            if (c >= 'A' && c <= 'Z') {
                if (lower == null) {
                    lower = new StringBuilder(end).append(field, 0, i);
                }
                c += 'a' - 'A';
            }
            if (lower != null) {
                lower.append(c);
            }
        }
        String name = lower != null ? lower.toString() : end == field.length() ? field : field.substring(0, end);
        if (name.isEmpty() && !field.isEmpty()) {
            return null;
        }
        return name.endsWith(".") && name.length() > 1 ? name.substring(0, name.length() - 1) : name;
    }

    /** What reg-name and IP-literal of RFC 3986 section 3.2.2 are made of, without percent-encoding. */
    private static boolean isHostChar(char c, boolean bracket) {
        return c >= 'a' && c <= 'z'
                || c >= 'A' && c <= 'Z'
                || c >= '0' && c <= '9'
                || "-._~!$&'()*+,;=".indexOf(c) >= 0
                || bracket && (c == '[' || c == ']' || c == ':');
    }
}
