package io.weir.config;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A number of bytes as the operator wrote it: {@code 0}, {@code 8k}, {@code 1m}, {@code 1g}. Units are nginx's, each 1024
 * times the one before, in either case. The text is kept, so that what was sent is what is shown.
 */
public record ByteSize(String text, long bytes) {

    /** Far more than any body, and far from overflow. */
    private static final long MOST = 1L << 50;

    private static final Pattern SYNTAX = Pattern.compile("(\\d{1,12})([kKmMgG]?)");

    /**
     * Reads a size.
     *
     * @throws InvalidConfigException on anything else, with an empty field
     */
    public static ByteSize parse(String text) {
        Matcher m = SYNTAX.matcher(text);
        if (!m.matches()) {
            throw new InvalidConfigException("", "must be a size such as 0, 512, 8k, 1m or 1g");
        }
        int shift = switch (m.group(2)) {
            case "k", "K" -> 10;
            case "m", "M" -> 20;
            case "g", "G" -> 30;
            default -> 0;
        };
        long number = Long.parseLong(m.group(1));
        if (number > MOST >> shift) {
            throw new InvalidConfigException("", "must be at most 1048576g");
        }
        return new ByteSize(text, number << shift);
    }

    /** A size in the largest unit that it is a whole number of. */
    public static ByteSize of(long bytes) {
        for (int unit = 3; unit > 0; unit--) {
            int shift = 10 * unit;
            if (bytes > 0 && bytes >> shift << shift == bytes) {
                return new ByteSize((bytes >> shift) + "?kmg".substring(unit, unit + 1), bytes);
            }
        }
        return new ByteSize(Long.toString(bytes), bytes);
    }

    @Override
    public String toString() {
        return text;
    }
}
