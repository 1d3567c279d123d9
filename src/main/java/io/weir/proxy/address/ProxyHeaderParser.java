package io.weir.proxy.address;

import io.netty.buffer.ByteBuf;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Reads headers of the PROXY protocol, versions 1 and 2, strictly.
 *
 * <p>Differs from nginx: addresses, ports, additional fields and their checksum are checked, and what the protocol does
 * not define is refused.
 *
 * @see <a href="https://www.haproxy.org/download/3.2/doc/proxy-protocol.txt">The PROXY protocol, section 2</a>
 */
final class ProxyHeaderParser {

    /** The longest line that version 1 can have, its end included. */
    private static final int MAX_LINE = 107;

    /** nginx's limit of a header of version 2; additional fields could make it 64 KiB. */
    static final int MAX_HEADER = 4096;

    private static final byte[] TEXT = "PROXY ".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] SIGNATURE = "\r\n\r\n\0\r\nQUIT\n".getBytes(StandardCharsets.US_ASCII);

    /** Signature, version and command, family and transport, length of the rest. */
    private static final int FIXED = SIGNATURE.length + 4;

    private static final int LOCAL = 0;
    private static final int PROXY = 1;
    private static final int UNSPEC = 0;
    private static final int INET = 1;
    private static final int INET6 = 2;
    private static final int UNIX = 3;
    private static final int STREAM = 1;
    private static final int DGRAM = 2;
    private static final int CRC32C_FIELD = 3;

    private ProxyHeaderParser() {}

    /**
     * Takes a header off the beginning of {@code in}.
     *
     * @return null if more bytes are needed; none has been taken then
     */
    static @Nullable ProxyHeader read(ByteBuf in) throws BrokenHeaderException {
        if (!in.isReadable()) {
            return null;
        }
        boolean binary = in.getByte(in.readerIndex()) == SIGNATURE[0];
        byte[] start = binary ? SIGNATURE : TEXT;
        for (int i = 0; i < start.length && i < in.readableBytes(); i++) {
            if (in.getByte(in.readerIndex() + i) != start[i]) {
                throw new BrokenHeaderException("not a header");
            }
        }
        return binary ? readBinary(in) : readLine(in);
    }

    // ---- version 1 ----

    private static @Nullable ProxyHeader readLine(ByteBuf in) throws BrokenHeaderException {
        int from = in.readerIndex();
        int length = in.bytesBefore(Math.min(in.readableBytes(), MAX_LINE), (byte) '\n') + 1;
        if (length == 0) {
            if (in.readableBytes() >= MAX_LINE) {
                throw new BrokenHeaderException("longer than " + MAX_LINE + " bytes");
            }
            return null;
        }
        String line = in.toString(from, length, StandardCharsets.ISO_8859_1);
        if (line.indexOf('\r') != length - 2) {
            throw new BrokenHeaderException("the line does not end in CRLF");
        }
        ProxyHeader header = parse(line.substring(0, length - 2));
        in.skipBytes(length);
        return header;
    }

    private static ProxyHeader parse(String line) throws BrokenHeaderException {
        String[] words = line.split(" ", -1);
        String protocol = words[1];
        if (protocol.equals("UNKNOWN")) {
            return ProxyHeader.NOBODY;
        }
        boolean v4 = protocol.equals("TCP4");
        if (!v4 && !protocol.equals("TCP6") || words.length != 6) {
            throw new BrokenHeaderException("not a protocol, two addresses and two ports");
        }
        return new ProxyHeader(
                new InetSocketAddress(address(words[2], v4), port(words[4])),
                new InetSocketAddress(address(words[3], v4), port(words[5])));
    }

    private static InetAddress address(String text, boolean v4) throws BrokenHeaderException {
        InetAddress address = (text.indexOf(':') < 0) == v4 ? Addresses.ip(text) : null;
        // no zeros in front: 010 is 8 to some and 10 to others
        if (address == null || v4 && !address.getHostAddress().equals(text)) {
            throw new BrokenHeaderException("an address is wrong");
        }
        return address;
    }

    private static int port(String text) throws BrokenHeaderException {
        int port = Addresses.number(text, 0, text.length());
        if (port < 0 || text.length() > 1 && text.charAt(0) == '0') {
            throw new BrokenHeaderException("a port is wrong");
        }
        return port;
    }

    // ---- version 2 ----

    private static @Nullable ProxyHeader readBinary(ByteBuf in) throws BrokenHeaderException {
        if (in.readableBytes() < FIXED) {
            return null;
        }
        int versionCommand = in.getUnsignedByte(in.readerIndex() + SIGNATURE.length);
        int command = versionCommand & 0xf;
        if (versionCommand >> 4 != 2 || command > PROXY) {
            throw new BrokenHeaderException("an unknown version or command");
        }
        int length = FIXED + in.getUnsignedShort(in.readerIndex() + FIXED - Short.BYTES);
        if (length > MAX_HEADER) {
            throw new BrokenHeaderException("longer than " + MAX_HEADER + " bytes");
        }
        if (in.readableBytes() < length) {
            return null;
        }
        byte[] header = new byte[length];
        in.readBytes(header);
        return command == LOCAL ? ProxyHeader.NOBODY : parse(header);
    }

    private static ProxyHeader parse(byte[] header) throws BrokenHeaderException {
        int family = header[SIGNATURE.length + 1] >> 4 & 0xf;
        int transport = header[SIGNATURE.length + 1] & 0xf;
        if (family > UNIX || transport > DGRAM) {
            throw new BrokenHeaderException("an unknown family or transport");
        }
        if (family == UNSPEC) {
            // what follows is not for us to understand
            return ProxyHeader.NOBODY;
        }
        int size = family == INET ? 4 : family == INET6 ? 16 : 108;
        int end = FIXED + 2 * size + (family == UNIX ? 0 : 2 * Short.BYTES);
        if (header.length < end) {
            throw new BrokenHeaderException("too short for its addresses");
        }
        checkFields(header, end);
        if (family == UNIX || transport != STREAM) {
            return ProxyHeader.NOBODY;
        }
        ByteBuffer addresses = ByteBuffer.wrap(header, FIXED, end - FIXED);
        InetAddress source = address(addresses, size);
        InetAddress destination = address(addresses, size);
        return new ProxyHeader(
                new InetSocketAddress(source, Short.toUnsignedInt(addresses.getShort())),
                new InetSocketAddress(destination, Short.toUnsignedInt(addresses.getShort())));
    }

    private static InetAddress address(ByteBuffer from, int size) {
        byte[] bytes = new byte[size];
        from.get(bytes);
        return Addresses.of(bytes);
    }

    /** Walks over the additional fields, which have to fill the rest, and verifies the checksum if one of them is one. */
    private static void checkFields(byte[] header, int from) throws BrokenHeaderException {
        ByteBuffer fields = ByteBuffer.wrap(header);
        fields.position(from);
        int checksumAt = -1;
        while (fields.hasRemaining()) {
            if (fields.remaining() < 1 + Short.BYTES) {
                throw new BrokenHeaderException("an additional field is cut off");
            }
            int type = fields.get();
            int length = Short.toUnsignedInt(fields.getShort());
            if (fields.remaining() < length) {
                throw new BrokenHeaderException("an additional field is cut off");
            }
            if (type == CRC32C_FIELD) {
                if (length != Integer.BYTES || checksumAt >= 0) {
                    throw new BrokenHeaderException("not one checksum of four bytes");
                }
                checksumAt = fields.position();
            }
            fields.position(fields.position() + length);
        }
        if (checksumAt >= 0) {
            int sent = fields.getInt(checksumAt);
            fields.putInt(checksumAt, 0);
            CRC32C checksum = new CRC32C();
            checksum.update(header, 0, header.length);
            if (sent != (int) checksum.getValue()) {
                throw new BrokenHeaderException("the checksum is wrong");
            }
        }
    }
}
