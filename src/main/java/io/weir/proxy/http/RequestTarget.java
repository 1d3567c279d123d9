package io.weir.proxy.http;

import org.jspecify.annotations.Nullable;

/**
 * The target of a request taken apart.
 *
 * @param raw path and query byte for byte as the client sent them (nginx's {@code $request_uri}); one char is one byte
 * @param path decoded, with dot segments resolved and slashes merged (nginx's {@code $uri}); one char is one byte
 * @param query behind the first question mark, without it; null if there is none
 * @param authority host and port of an absolute target, which then counts instead of the Host field; null for none
 */
record RequestTarget(
        String raw,
        String path,
        @Nullable String query,
        @Nullable String authority) {

    private static final String SCHEME = "http://";

    /**
     * Reads a target in origin or absolute form (RFC 9112 sections 3.2.1 and 3.2.2).
     *
     * @return null if it is neither, or its path cannot be decoded or climbs above the root: 400
     */
    static @Nullable RequestTarget parse(String text) {
        String raw = text;
        String authority = null;
        if (!raw.startsWith("/")) {
            if (!raw.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
                return null;
            }
            int end = SCHEME.length();
            while (end < raw.length() && raw.charAt(end) != '/' && raw.charAt(end) != '?') {
                end++;
            }
            authority = raw.substring(SCHEME.length(), end);
            raw = raw.substring(end);
            if (!raw.startsWith("/")) {
                raw = "/" + raw;
            }
        }
        int mark = raw.indexOf('?');
        String query = mark < 0 ? null : raw.substring(mark + 1);
        String path = normalise(mark < 0 ? raw : raw.substring(0, mark));
        // a fragment never belongs in a request; where servers cut at it differs
        return path == null || raw.indexOf('#') >= 0 ? null : new RequestTarget(raw, path, query, authority);
    }

    /** The path as routes are matched with it, or null if it is not one. */
    private static @Nullable String normalise(String path) {
        if (isPlain(path)) {
            return path;
        }
        StringBuilder out = new StringBuilder(path.length());
        for (int i = 0; i < path.length(); i++) {
            char c = path.charAt(i);
            if (c == '%') {
                int high = i + 2 < path.length() ? Character.digit(path.charAt(i + 1), 16) : -1;
                int low = i + 2 < path.length() ? Character.digit(path.charAt(i + 2), 16) : -1;
                if (high < 0 || low < 0) {
                    return null;
                }
                c = (char) (high << 4 | low);
                i += 2;
                if (c == 0) {
                    return null;
                }
            }
            if (c == '/') {
                if (!closeSegment(out)) {
                    return null;
                }
                if (!out.isEmpty() && out.charAt(out.length() - 1) == '/') {
                    continue;
                }
            }
            out.append(c);
        }
        return closeSegment(out) ? out.toString() : null;
    }

    /** Resolves a last segment of one or two dots; false if that climbs above the root. */
    private static boolean closeSegment(StringBuilder out) {
        int slash = out.lastIndexOf("/");
        String last = out.length() - slash <= 3 ? out.substring(slash + 1) : "";
        if (last.equals(".")) {
            out.setLength(slash + 1);
        } else if (last.equals("..")) {
            if (slash == 0) {
                return false;
            }
            out.setLength(out.lastIndexOf("/", slash - 1) + 1);
        }
        return true;
    }

    /** Whether there is nothing to decode, merge or resolve, as in nearly every request. */
    private static boolean isPlain(String path) {
        char before = 0;
        for (int i = 0; i < path.length(); i++) {
            char c = path.charAt(i);
            if (c == '%' || before == '/' && (c == '/' || c == '.')) {
                return false;
            }
            before = c;
        }
        return true;
    }
}
