package io.weir.proxy.address;

import io.netty.buffer.ByteBuf;
import io.netty.util.NetUtil;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Writes headers of the PROXY protocol, versions 1 and 2. One address of IPv4 beside one of IPv6 is written as the IPv6
 * address that it is mapped to.
 *
 * <p>Differs from nginx: it does so in version 1 too, where nginx writes a line that names one family and has addresses of
 * both.
 *
 * @see <a href="https://www.haproxy.org/download/3.2/doc/proxy-protocol.txt">The PROXY protocol, section 2</a>
 */
public final class ProxyHeaderWriter {

    private static final byte[] SIGNATURE = "\r\n\r\n\0\r\nQUIT\n".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] UNKNOWN = "PROXY UNKNOWN\r\n".getBytes(StandardCharsets.US_ASCII);

    private static final int VERSION_2 = 0x20;
    private static final int LOCAL = 0;
    private static final int PROXY = 1;
    private static final int INET = 0x10;
    private static final int INET6 = 0x20;
    private static final int STREAM = 1;
    private static final int DGRAM = 2;

    private static final int CRC32C_FIELD = 3;
    private static final int CRC32C_FIELD_LENGTH = 1 + Short.BYTES + Integer.BYTES;

    private ProxyHeaderWriter() {}

    /**
     * Writes a header of version 1, {@code UNKNOWN} if one of the addresses is none of IP; at most 107 bytes.
     *
     * @param source the client
     * @param destination what it is connected to
     */
    public static void writeText(ByteBuf out, SocketAddress source, SocketAddress destination) {
        InetSocketAddress from = resolved(source);
        InetSocketAddress to = resolved(destination);
        if (from == null || to == null) {
            out.writeBytes(UNKNOWN);
            return;
        }
        boolean v4 = isV4(from) && isV4(to);
        String line = (v4 ? "PROXY TCP4 " : "PROXY TCP6 ") + text(from, v4) + ' ' + text(to, v4) + ' ' + from.getPort()
                + ' ' + to.getPort() + "\r\n";
        out.writeCharSequence(line, StandardCharsets.US_ASCII);
    }

    private static String text(InetSocketAddress address, boolean v4) {
        String text = NetUtil.toAddressString(address.getAddress());
        return v4 || !isV4(address) ? text : "::ffff:" + text;
    }

    /**
     * Writes a header of version 2 with a checksum; one of the command {@code LOCAL} if an address is none of IP.
     *
     * @param source the client
     * @param destination what it is connected to
     * @param datagram whether by UDP
     */
    public static void writeBinary(ByteBuf out, SocketAddress source, SocketAddress destination, boolean datagram) {
        InetSocketAddress from = resolved(source);
        InetSocketAddress to = resolved(destination);
        int start = out.writerIndex();
        out.writeBytes(SIGNATURE);
        if (from == null || to == null) {
            out.writeByte(VERSION_2 | LOCAL).writeByte(0).writeShort(CRC32C_FIELD_LENGTH);
        } else {
            boolean v4 = isV4(from) && isV4(to);
            int addresses = 2 * (v4 ? 4 : 16) + 2 * Short.BYTES;
            out.writeByte(VERSION_2 | PROXY)
                    .writeByte((v4 ? INET : INET6) | (datagram ? DGRAM : STREAM))
                    .writeShort(addresses + CRC32C_FIELD_LENGTH);
            writeAddress(out, from, v4);
            writeAddress(out, to, v4);
            out.writeShort(from.getPort()).writeShort(to.getPort());
        }
        out.writeByte(CRC32C_FIELD).writeShort(Integer.BYTES).writeInt(0);
        int length = out.writerIndex() - start;
        // over the whole header, in which the checksum itself is 0
        out.setInt(out.writerIndex() - Integer.BYTES, checksum(out, start, length));
    }

    private static void writeAddress(ByteBuf out, InetSocketAddress address, boolean v4) {
        if (!v4 && isV4(address)) {
            // ::ffff:0:0/96
            out.writeZero(10).writeShort(0xffff);
        }
        out.writeBytes(address.getAddress().getAddress());
    }

    private static int checksum(ByteBuf bytes, int from, int length) {
        CRC32C checksum = new CRC32C();
        for (ByteBuffer part : bytes.nioBuffers(from, length)) {
            checksum.update(part);
        }
        return (int) checksum.getValue();
    }

    private static @Nullable InetSocketAddress resolved(SocketAddress address) {
        return address instanceof InetSocketAddress inet && !inet.isUnresolved() ? inet : null;
    }

    private static boolean isV4(InetSocketAddress address) {
        return address.getAddress() instanceof Inet4Address;
    }
}
