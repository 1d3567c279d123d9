package io.weir.proxy.http;

/** Percent-encoding of a decoded path, so that it means the same again. */
final class Escapes {

    private static final String HEX = "0123456789ABCDEF";

    private Escapes() {}

    /** Escapes what nginx escapes in a rewritten URI: controls, space, DEL and above, and the marks that end a path. */
    static String path(String decoded) {
        StringBuilder out = new StringBuilder(decoded.length() + 16);
        for (int i = 0; i < decoded.length(); i++) {
            char c = decoded.charAt(i);
            if (c <= ' ' || c >= 127 || c == '%' || c == '?' || c == '#') {
                out.append('%').append(HEX.charAt(c >> 4 & 15)).append(HEX.charAt(c & 15));
            } else {
                out.append(c);
            }
        }
        return out.toString();
    }
}
