package io.weir.proxy.http;

import java.util.regex.Pattern;

/**
 * A regular expression of a route, matched on the event loop and so with a limit: a pattern that backtracks would stop all
 * traffic of the loop for one client's path. nginx has the same from PCRE's match limit. Immutable.
 */
final class PathRegex {

    /** Looks at characters, a few milliseconds at worst; a pattern that is linear needs some ten thousand at most. */
    private static final int LIMIT = 500_000;

    private final Pattern pattern;

    PathRegex(String pattern) {
        this.pattern = Pattern.compile(pattern);
    }

    /**
     * Whether the pattern is found anywhere in the path.
     *
     * @throws TooCostly if that cannot be told with reasonable effort
     */
    boolean isFoundIn(String path) {
        try {
            return pattern.matcher(new Budgeted(path, new int[] {LIMIT})).find();
        } catch (StackOverflowError e) {
            // java.util.regex recurses for each repetition of a group
            throw TooCostly.INSTANCE;
        }
    }

    @Override
    public String toString() {
        return pattern.pattern();
    }

    /** A path that this pattern cannot be matched with. One object without a trace: clients can cause as many as they like. */
    static final class TooCostly extends RuntimeException {

        private static final long serialVersionUID = 1L;

        private static final TooCostly INSTANCE = new TooCostly();

        private TooCostly() {
            super("a regular expression of a route takes too long on this path", null, false, false);
        }
    }

    /** Text that may be looked at so many times; its parts share the count. */
    private record Budgeted(CharSequence text, int[] left) implements CharSequence {

        @Override
        public char charAt(int index) {
            if (left[0]-- <= 0) {
                throw TooCostly.INSTANCE;
            }
            return text.charAt(index);
        }

        @Override
        public int length() {
            return text.length();
        }

        @Override
        public CharSequence subSequence(int start, int end) {
            return new Budgeted(text.subSequence(start, end), left);
        }

        @Override
        public String toString() {
            return text.toString();
        }
    }
}
