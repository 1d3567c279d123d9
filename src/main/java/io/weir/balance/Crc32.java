package io.weir.balance;

import java.nio.charset.StandardCharsets;

/**
 * The CRC-32 of IEEE 802.3, as in {@link java.util.zip.CRC32}, whose state can be kept: a ring continues many times from
 * the same beginning.
 */
final class Crc32 {

    static final int START = -1;

    private static final int POLYNOMIAL = 0xedb88320;
    private static final int[] TABLE = new int[256];

    static {
        for (int i = 0; i < TABLE.length; i++) {
            int value = i;
            for (int bit = 0; bit < 8; bit++) {
                value = (value & 1) == 0 ? value >>> 1 : value >>> 1 ^ POLYNOMIAL;
            }
            TABLE[i] = value;
        }
    }

    private Crc32() {}

    /** The state after one more byte, the low one of {@code value}. */
    static int add(int state, int value) {
        return TABLE[(state ^ value) & 0xff] ^ state >>> 8;
    }

    /**
     * The state after the bytes of a text: those that were read from the wire if each stands for one character, as header
     * fields and targets do, else those of UTF-8.
     */
    static int add(int state, String text) {
        int next = state;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c > 0xff) {
                return addUtf8(state, text);
            }
            next = add(next, c);
        }
        return next;
    }

    private static int addUtf8(int state, String text) {
        int next = state;
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            next = add(next, b);
        }
        return next;
    }

    /** The checksum that a state stands for. */
    static int value(int state) {
        return ~state;
    }
}
