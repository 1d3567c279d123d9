package io.weir.program;

import java.util.Arrays;
import java.util.Random;
import java.util.zip.CRC32;

/** Bodies that both ends know from a number alone; those of two numbers differ, and so do two places of one. */
final class SeededBytes {

    /** A prime, so that no size of a buffer divides it. */
    private static final int PERIOD = 262_147;

    private static final byte[] TABLE = new byte[PERIOD];

    static {
        new Random(1).nextBytes(TABLE);
    }

    private SeededBytes() {}

    static byte[] of(int seed, int size) {
        byte[] bytes = new byte[size];
        for (int at = 0, from = start(seed, 0); at < size; from = 0) {
            int length = Math.min(size - at, PERIOD - from);
            System.arraycopy(TABLE, from, bytes, at, length);
            at += length;
        }
        return bytes;
    }

    /** Whether the first bytes of {@code bytes} are those that are at {@code position} in the body of this number. */
    static boolean matches(int seed, int position, byte[] bytes, int length) {
        for (int at = 0, from = start(seed, position); at < length; from = 0) {
            int step = Math.min(length - at, PERIOD - from);
            if (!Arrays.equals(bytes, at, at + step, TABLE, from, from + step)) {
                return false;
            }
            at += step;
        }
        return true;
    }

    static String checksum(byte[] bytes) {
        CRC32 crc = new CRC32();
        crc.update(bytes);
        return Long.toHexString(crc.getValue());
    }

    private static int start(int seed, int position) {
        return (int) ((seed * 7919L + position) % PERIOD);
    }
}
