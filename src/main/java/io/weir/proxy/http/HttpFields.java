package io.weir.proxy.http;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.util.AsciiString;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a message as they came: one array of bytes, and where in it names and values begin and end. One char is one
 * byte. Names are compared without regard to case; several fields of one name keep their order. Immutable.
 *
 * <p>A head has few fields and is asked for few of them, so that looking through all costs less than an index would.
 */
final class HttpFields {

    static final HttpFields NONE = new HttpFields(new byte[0], new int[0]);

    /** Positions for each field: of the name's beginning and end, and the value's. */
    static final int STRIDE = 4;

    private final byte[] bytes;
    private final int[] at;

    /**
     * @param bytes of the head
     * @param at {@link #STRIDE} positions in it for each field
     */
    HttpFields(byte[] bytes, int[] at) {
        this.bytes = bytes;
        this.at = at;
    }

    int size() {
        return at.length / STRIDE;
    }

    /** The name of field {@code i} as it came: a view of the head's bytes. */
    AsciiString name(int i) {
        int field = i * STRIDE;
        return new AsciiString(bytes, at[field], at[field + 1] - at[field], false);
    }

    /** The value of field {@code i}, without blanks around it: a view of the head's bytes. */
    AsciiString value(int i) {
        int field = i * STRIDE;
        return new AsciiString(bytes, at[field + 2], at[field + 3] - at[field + 2], false);
    }

    /** The value of the first field of this name; null if there is none. */
    @Nullable
    String get(CharSequence name) {
        int field = find(name, 0);
        return field < 0 ? null : text(field);
    }

    /** The values of all fields of this name, in the order in which they came. */
    List<String> getAll(CharSequence name) {
        int field = find(name, 0);
        if (field < 0) {
            return List.of();
        }
        int second = find(name, field + STRIDE);
        if (second < 0) {
            return List.of(text(field));
        }
        List<String> all = new ArrayList<>();
        all.add(text(field));
        for (int next = second; next >= 0; next = find(name, next + STRIDE)) {
            all.add(text(next));
        }
        return all;
    }

    /** The values of all fields of this name in one, as nginx has them since 1.23; null if there is none. */
    @Nullable
    String joined(CharSequence name) {
        int field = find(name, 0);
        if (field < 0) {
            return null;
        }
        String value = text(field);
        for (int next = find(name, field + STRIDE); next >= 0; next = find(name, next + STRIDE)) {
            value += (HttpHeaderNames.COOKIE.contentEqualsIgnoreCase(name) ? "; " : ", ") + text(next);
        }
        return value;
    }

    boolean contains(CharSequence name) {
        return find(name, 0) >= 0;
    }

    /** Whether the lists of all fields of this name hold an item, in whatever case. */
    boolean lists(CharSequence name, String item) {
        for (int field = find(name, 0); field >= 0; field = find(name, field + STRIDE)) {
            int start = at[field + 2];
            int end = at[field + 3];
            while (start < end) {
                int comma = start;
                while (comma < end && bytes[comma] != ',') {
                    comma++;
                }
                if (isItem(start, comma, item)) {
                    return true;
                }
                start = comma + 1;
            }
        }
        return false;
    }

    private boolean isItem(int start, int end, String item) {
        int first = start;
        int last = end;
        while (first < last && isBlank(bytes[first])) {
            first++;
        }
        while (last > first && isBlank(bytes[last - 1])) {
            last--;
        }
        return last - first == item.length() && matches(first, item);
    }

    private static boolean isBlank(byte b) {
        return b == ' ' || b == '\t';
    }

    /** The place of the first field of this name from {@code from} on, or -1. */
    private int find(CharSequence name, int from) {
        int length = name.length();
        for (int i = from; i < at.length; i += STRIDE) {
            if (at[i + 1] - at[i] == length && matches(at[i], name)) {
                return i;
            }
        }
        return -1;
    }

    private boolean matches(int start, CharSequence text) {
        for (int i = 0; i < text.length(); i++) {
            int own = bytes[start + i] & 0xff;
            int asked = text.charAt(i);
            if (own != asked && lower(own) != lower(asked)) {
                return false;
            }
        }
        return true;
    }

    private static int lower(int c) {
        return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
    }

    private String text(int field) {
        return new String(bytes, at[field + 2], at[field + 3] - at[field + 2], StandardCharsets.ISO_8859_1);
    }
}
