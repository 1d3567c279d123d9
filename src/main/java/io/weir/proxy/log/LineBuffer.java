package io.weir.proxy.log;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Lines of a log as bytes, appended piece by piece. Strings are taken as one byte for each char, as everywhere on the path
 * of a request. Confined to one thread; whoever hands it on lets go of it.
 */
public final class LineBuffer {

    /** Of the array that most lines of a busy loop are in: hundreds of them for one wake-up and one write. */
    private static final int CAPACITY = 64 * 1024;

    /** Handed over from this size on, so that one more line seldom makes the array grow beyond its capacity. */
    private static final int BATCH = CAPACITY - 4 * 1024;

    /** Little for the few lines of a quiet hour; grows fast. */
    private static final int FIRST = 4 * 1024;

    private static final byte[] HEX = "0123456789ABCDEF".getBytes(StandardCharsets.US_ASCII);

    /** Bytes that stand for themselves: in a plain line, and in a JSON string as long as no byte is above 126. */
    private static final boolean[] PLAIN = new boolean[256];

    static {
        Arrays.fill(PLAIN, ' ', 127, true);
        PLAIN['"'] = false;
        PLAIN['\\'] = false;
    }

    private byte[] bytes = new byte[FIRST];
    private int length;
    private int lines;

    public int length() {
        return length;
    }

    /** Lines that were ended. */
    public int lines() {
        return lines;
    }

    /** Whether it is time to hand it over. */
    public boolean isFull() {
        return length >= BATCH;
    }

    ByteBuffer toByteBuffer() {
        return ByteBuffer.wrap(bytes, 0, length);
    }

    private void reserve(int more) {
        if (bytes.length - length < more) {
            bytes = Arrays.copyOf(bytes, Math.max(Math.min(bytes.length * 4, CAPACITY), (length + more) * 2));
        }
    }

    public void put(char c) {
        reserve(1);
        bytes[length++] = (byte) c;
    }

    public void put(byte[] text) {
        reserve(text.length);
        System.arraycopy(text, 0, bytes, length, text.length);
        length += text.length;
    }

    /** Text that is known to need no escapes. */
    public void put(String text) {
        reserve(text.length());
        copy(text);
        length += text.length();
    }

    // the deprecated method is the one that takes the low byte of each char, without a detour by an array
    @SuppressWarnings("deprecation")
    private void copy(String text) {
        text.getBytes(0, text.length(), bytes, length);
    }

    /** A whole number, in decimal. */
    public void number(long value) {
        reserve(20);
        if (value < 0) {
            put(Long.toString(value));
            return;
        }
        int end = length + digits(value);
        long rest = value;
        for (int at = end - 1; at >= length; at--) {
            bytes[at] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        length = end;
    }

    private static int digits(long value) {
        int digits = 1;
        for (long rest = value; rest >= 10; rest /= 10) {
            digits++;
        }
        return digits;
    }

    /** A time in seconds with three decimals, as nginx writes times. */
    public void seconds(long millis) {
        number(millis / 1000);
        put('.');
        threeDigits((int) (millis % 1000));
    }

    /** Three digits with zeros in front. */
    public void threeDigits(int value) {
        reserve(3);
        bytes[length++] = (byte) ('0' + value / 100 % 10);
        bytes[length++] = (byte) ('0' + value / 10 % 10);
        bytes[length++] = (byte) ('0' + value % 10);
    }

    /**
     * Text in which quotes, backslashes, controls and all above 126 become {@code \xXX}.
     *
     * @see <a href="https://nginx.org/en/docs/http/ngx_http_log_module.html#log_format">nginx: escape=default</a>
     */
    public void escaped(String text) {
        reserve(text.length());
        copy(text);
        if (isPlain(text.length())) {
            length += text.length();
            return;
        }
        for (int i = 0; i < text.length(); i++) {
            int b = text.charAt(i) & 0xff;
            reserve(4);
            if (PLAIN[b]) {
                bytes[length++] = (byte) b;
            } else {
                bytes[length++] = '\\';
                bytes[length++] = 'x';
                hex(b);
            }
        }
    }

    /** Whether the next so many bytes, which were just copied, stand for themselves. */
    private boolean isPlain(int count) {
        for (int i = length; i < length + count; i++) {
            if (!PLAIN[bytes[i] & 0xff]) {
                return false;
            }
        }
        return true;
    }

    private void hex(int b) {
        bytes[length++] = HEX[b >> 4];
        bytes[length++] = HEX[b & 15];
    }

    /**
     * The inside of a JSON string. Bytes that are UTF-8 stay; others are taken as ISO-8859-1.
     *
     * <p>Differs from nginx: it copies all bytes above 127, and a client can make a line that no parser reads.
     */
    public void json(String text) {
        reserve(text.length());
        copy(text);
        if (isPlain(text.length())) {
            length += text.length();
            return;
        }
        int size = text.length();
        for (int i = 0; i < size; i++) {
            int b = text.charAt(i) & 0xff;
            reserve(6);
            if (b >= 128) {
                int sequence = Utf8.length(text, i);
                for (int at = i; at < i + sequence; at++) {
                    bytes[length++] = (byte) text.charAt(at);
                }
                if (sequence == 0) {
                    unicode(b);
                } else {
                    i += sequence - 1;
                }
            } else {
                jsonAscii(b);
            }
        }
    }

    private void jsonAscii(int b) {
        int letter = switch (b) {
            case '"', '\\' -> b;
            case '\n' -> 'n';
            case '\r' -> 'r';
            case '\t' -> 't';
            case '\b' -> 'b';
            case '\f' -> 'f';
            default -> 0;
        };
        if (letter != 0) {
            bytes[length++] = '\\';
            bytes[length++] = (byte) letter;
        } else if (b < ' ') {
            unicode(b);
        } else {
            bytes[length++] = (byte) b;
        }
    }

    private void unicode(int b) {
        bytes[length++] = '\\';
        bytes[length++] = 'u';
        bytes[length++] = '0';
        bytes[length++] = '0';
        hex(b);
    }

    public void endLine() {
        put('\n');
        lines++;
    }
}
