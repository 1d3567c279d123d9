package io.weir.proxy;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.zip.CRC32;

/** Just enough HTTP/1.1 for the ends of a test; bytes are ISO-8859-1. */
public final class HttpText {

    private HttpText() {}

    /** A head up to and with its empty line; null at the end of the stream. */
    public static String readHead(InputStream in) throws IOException {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        int last4 = 0;
        while (last4 != 0x0d0a0d0a) {
            int b = in.read();
            if (b < 0) {
                if (head.size() == 0) {
                    return null;
                }
                throw new EOFException("in the middle of a head: " + head.toString(StandardCharsets.ISO_8859_1));
            }
            head.write(b);
            last4 = last4 << 8 | b;
        }
        return head.toString(StandardCharsets.ISO_8859_1);
    }

    /** The value of a field, or null. */
    public static String field(String head, String name) {
        for (String line : head.split("\r\n")) {
            int colon = line.indexOf(':');
            if (colon > 0 && line.substring(0, colon).equalsIgnoreCase(name)) {
                return line.substring(colon + 1).strip();
            }
        }
        return null;
    }

    /** The body as the head frames it; nothing if the head says nothing. */
    public static byte[] readBody(String head, InputStream in) throws IOException {
        String coding = field(head, "Transfer-Encoding");
        if (coding != null && coding.toLowerCase(Locale.ROOT).equals("chunked")) {
            return readChunks(in);
        }
        String length = field(head, "Content-Length");
        return length == null ? new byte[0] : readExactly(in, Integer.parseInt(length));
    }

    static byte[] readExactly(InputStream in, int length) throws IOException {
        byte[] bytes = in.readNBytes(length);
        if (bytes.length < length) {
            throw new EOFException("after " + bytes.length + " of " + length + " bytes");
        }
        return bytes;
    }

    private static byte[] readChunks(InputStream in) throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        while (true) {
            int size = Integer.parseInt(readLine(in), 16);
            body.write(readExactly(in, size));
            String end = readLine(in);
            if (!end.isEmpty()) {
                throw new IOException("after a chunk: " + end);
            }
            if (size == 0) {
                return body.toByteArray();
            }
        }
    }

    private static String readLine(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0) {
                throw new EOFException("in a line: " + line);
            }
            line.append((char) b);
        }
        return line.substring(0, line.length() - 1);
    }

    /** Of the next bytes, none of which is kept. */
    static long checksum(InputStream in, long length) throws IOException {
        CRC32 crc = new CRC32();
        byte[] buffer = new byte[64 * 1024];
        for (long left = length; left > 0; ) {
            int n = in.read(buffer, 0, (int) Math.min(buffer.length, left));
            if (n < 0) {
                throw new java.io.EOFException(left + " bytes are missing");
            }
            crc.update(buffer, 0, n);
            left -= n;
        }
        return crc.getValue();
    }
}
