package io.weir.proxy.http;

import io.netty.handler.codec.http.HttpHeaderNames;

/** Finds single cookies without decoding all of them (RFC 6265 sections 4.1 and 4.2). */
final class Cookies {

    private Cookies() {}

    /**
     * The value of a cookie that a client sent; empty if there is none. Read as nginx reads it: pairs may also be parted by
     * commas, blanks may stand around the equals sign, and a value goes on to the next semicolon, blanks included.
     */
    static String find(HttpFields headers, String name) {
        for (String line : headers.getAll(HttpHeaderNames.COOKIE)) {
            int at = 0;
            while (at < line.length()) {
                if (line.regionMatches(true, at, name, 0, name.length())) {
                    at = behindBlanks(line, at + name.length());
                    if (at < line.length() && line.charAt(at++) == '=') {
                        at = behindBlanks(line, at);
                        int end = line.indexOf(';', at);
                        return line.substring(at, end < 0 ? line.length() : end);
                    }
                }
                while (at < line.length() && line.charAt(at) != ';' && line.charAt(at) != ',') {
                    at++;
                }
                at = behindBlanks(line, at + 1);
            }
        }
        return "";
    }

    private static int behindBlanks(String line, int from) {
        int at = from;
        while (at < line.length() && line.charAt(at) == ' ') {
            at++;
        }
        return at;
    }

    /** The value of a cookie that a server sets; empty if it does not. */
    static String findSet(HttpFields headers, String name) {
        for (String line : headers.getAll(HttpHeaderNames.SET_COOKIE)) {
            int end = line.indexOf(';');
            String value = valueOf((end < 0 ? line : line.substring(0, end)).strip(), name);
            if (value != null) {
                return value;
            }
        }
        return "";
    }

    private static @org.jspecify.annotations.Nullable String valueOf(String pair, String name) {
        return pair.length() > name.length()
                        && pair.charAt(name.length()) == '='
                        && pair.regionMatches(true, 0, name, 0, name.length())
                ? pair.substring(name.length() + 1)
                : null;
    }
}
