package io.weir.config;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A length of time as the operator wrote it: {@code 500ms}, {@code 10s}, {@code 1h30m}.
 *
 * <p>Units are nginx's: ms, s, m, h, d (24 h), w (7 d), each at most once and from large to small. The text is kept, so
 * that what was sent is what is shown.
 *
 * @see <a href="https://nginx.org/en/docs/syntax.html">nginx: measurement units</a>
 */
public record TimeSpan(String text, Duration value) {

    /** Far more than any timeout needs, and small enough that nanoseconds never overflow a long. */
    private static final Duration MOST = Duration.ofDays(3650);

    private static final Pattern SYNTAX =
            Pattern.compile("(?:(\\d{1,9})w)?(?:(\\d{1,9})d)?(?:(\\d{1,9})h)?(?:(\\d{1,9})m(?!s))?(?:(\\d{1,9})s)?"
                    + "(?:(\\d{1,9})ms)?");
    private static final long[] UNIT_MILLIS = {604_800_000, 86_400_000, 3_600_000, 60_000, 1_000, 1};

    /**
     * Reads a time.
     *
     * @throws InvalidConfigException on anything else, with an empty field
     */
    public static TimeSpan parse(String text) {
        Matcher m = SYNTAX.matcher(text);
        if (text.isEmpty() || !m.matches()) {
            throw new InvalidConfigException("", "must be a time with a unit such as 500ms, 10s, 5m or 1h");
        }
        long millis = 0;
        for (int i = 0; i < UNIT_MILLIS.length; i++) {
            String digits = m.group(i + 1);
            if (digits != null) {
                millis += Long.parseLong(digits) * UNIT_MILLIS[i];
            }
        }
        Duration value = Duration.ofMillis(millis);
        if (value.compareTo(MOST) > 0) {
            throw new InvalidConfigException("", "must be at most 3650d");
        }
        return new TimeSpan(text, value);
    }

    public long nanos() {
        return value.toNanos();
    }

    public boolean isZero() {
        return value.isZero();
    }

    @Override
    public String toString() {
        return text;
    }
}
