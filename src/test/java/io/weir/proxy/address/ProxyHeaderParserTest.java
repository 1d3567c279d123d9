package io.weir.proxy.address;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** proxy-protocol.txt, section 2. */
class ProxyHeaderParserTest {

    private static final String SIGNATURE = "0d0a0d0a000d0a515549540a";
    private static final String INET = "c0000201c6336402" + "0237" + "01bb";
    private static final String INET6 =
            "20010db8000000000000000000000001" + "20010db8000000000000000000000002" + "02370050";

    private static ByteBuf line(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.ISO_8859_1);
    }

    private static ByteBuf hex(String text) {
        return Unpooled.wrappedBuffer(HexFormat.of().parseHex(text));
    }

    /** Version and command, family and transport, and the rest with its length. */
    private static String binary(String kind, String rest) {
        return SIGNATURE + kind + HexFormat.of().toHexDigits((short) (rest.length() / 2)) + rest;
    }

    private static String shown(ProxyHeader header) {
        return header.source() == null ? "nobody" : shown(header.source()) + " " + shown(header.destination());
    }

    private static String shown(InetSocketAddress address) {
        return address.getAddress().getHostAddress() + " " + address.getPort();
    }

    /** Reads the header from all of its beginnings, then from the whole with a request behind it. */
    private static String read(ByteBuf header) throws BrokenHeaderException {
        int length = header.readableBytes();
        for (int i = 0; i < length; i++) {
            ByteBuf part = header.slice(0, i);
            assertThat(ProxyHeaderParser.read(part)).as("of %d bytes", i).isNull();
            assertThat(part.readableBytes()).isEqualTo(i);
        }
        ByteBuf glued = Unpooled.wrappedBuffer(header, line("GET / HTTP/1.1\r\n\r\n"));
        ProxyHeader read = ProxyHeaderParser.read(glued);
        assertThat(glued.readableBytes()).isEqualTo("GET / HTTP/1.1\r\n\r\n".length());
        return shown(read);
    }

    private static void assertBroken(ByteBuf bytes) {
        assertThatThrownBy(() -> ProxyHeaderParser.read(bytes)).isInstanceOf(BrokenHeaderException.class);
    }

    @ParameterizedTest
    @CsvSource({
        "PROXY TCP4 192.0.2.1 198.51.100.2 567 443, 192.0.2.1 567 198.51.100.2 443",
        "PROXY TCP4 0.0.0.0 255.255.255.255 0 65535, 0.0.0.0 0 255.255.255.255 65535",
        "PROXY TCP6 2001:db8::1 2001:DB8:0:0:0:0:0:2 567 80, 2001:db8:0:0:0:0:0:1 567 2001:db8:0:0:0:0:0:2 80",
        "PROXY TCP6 ::ffff:192.0.2.1 ::1 567 80, 192.0.2.1 567 0:0:0:0:0:0:0:1 80",
        "PROXY TCP6 ::1.2.3.4 64:ff9b::1.2.3.4 1 2, 0:0:0:0:0:0:102:304 1 64:ff9b:0:0:0:0:102:304 2",
        "PROXY UNKNOWN, nobody",
        "PROXY UNKNOWN ffff::1 ffff::2 1 2, nobody",
        "PROXY UNKNOWN whatever it says, nobody"
    })
    void linesOfVersion1(String text, String expected) throws Exception {
        assertThat(read(line(text + "\r\n"))).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "G",
                "PROXX",
                "proxy TCP4",
                " PROXY TCP4",
                "PROXY\r\n",
                "PROXY \r\n",
                "PROXY TCP4\r\n",
                "PROXY  TCP4 192.0.2.1 192.0.2.2 1 2\r\n",
                "PROXY TCP5 192.0.2.1 192.0.2.2 1 2\r\n",
                "PROXY tcp4 192.0.2.1 192.0.2.2 1 2\r\n",
                "PROXY UDP4 192.0.2.1 192.0.2.2 1 2\r\n",
                "PROXY UNKNOWNS\r\n",
                "PROXY UNKNOWN\n",
                "PROXY UNKNOWN\rx\r\n",
                "PROXY TCP4 192.0.2.1 192.0.2.2 1 2\n",
                "PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\r\n",
                "PROXY TCP4 192.0.2.1 192.0.2.2 1 2 \r\n",
                "PROXY TCP4 192.0.2.1 192.0.2.2 1 2 3\r\n",
                "PROXY TCP4 192.0.2.1 192.0.2.2 1\r\n",
                "PROXY TCP4 192.0.2.1  192.0.2.2 1 2\r\n",
                "PROXY TCP4\t192.0.2.1 192.0.2.2 1 2\r\n",
                "PROXY TCP4 192.0.2.256 192.0.2.2 1 2\r\n",
                "PROXY TCP4 192.0.2 192.0.2.2 1 2\r\n",
                "PROXY TCP4 192.0.02.1 192.0.2.2 1 2\r\n",
                "PROXY TCP4 192.0.2.1 localhost 1 2\r\n",
                "PROXY TCP4 ::1 ::1 1 2\r\n",
                "PROXY TCP6 192.0.2.1 192.0.2.2 1 2\r\n",
                "PROXY TCP6 ::1 1::2::3 1 2\r\n",
                "PROXY TCP6 [::1] ::1 1 2\r\n",
                "PROXY TCP6 fe80::1%lo ::1 1 2\r\n",
                "PROXY TCP4 192.0.2.1 192.0.2.2 65536 2\r\n",
                "PROXY TCP4 192.0.2.1 192.0.2.2 99999999999 2\r\n",
                "PROXY TCP4 192.0.2.1 192.0.2.2 +1 2\r\n",
                "PROXY TCP4 192.0.2.1 192.0.2.2 -1 2\r\n",
                "PROXY TCP4 192.0.2.1 192.0.2.2 01 2\r\n",
                "PROXY TCP4 192.0.2.1 192.0.2.2 1 x\r\n",
                "PROXY TCP4 192.0.2.1 192.0.2.2  2\r\n",
                "PROXY TCP4 192.0.2.1 192.0.2.2 \u00b2 2\r\n",
            })
    void otherLinesAreBroken(String text) {
        assertBroken(line(text));
    }

    @Test
    void lineIsAtMost107BytesLong() throws Exception {
        String start = "PROXY UNKNOWN ";
        assertThat(read(line(start + "x".repeat(107 - 2 - start.length()) + "\r\n")))
                .isEqualTo("nobody");
        assertBroken(line(start + "x".repeat(107 - 1 - start.length()) + "\r\n"));
        // what is too long already needs no end
        assertThat(ProxyHeaderParser.read(line(start + "x".repeat(106 - start.length()))))
                .isNull();
        assertBroken(line(start + "x".repeat(107 - start.length())));
    }

    @Test
    void headersOfVersion2() throws Exception {
        assertThat(read(hex(binary("2111", INET)))).isEqualTo("192.0.2.1 567 198.51.100.2 443");
        assertThat(read(hex(binary("2121", INET6)))).isEqualTo("2001:db8:0:0:0:0:0:1 567 2001:db8:0:0:0:0:0:2 80");
        String mapped = "00000000000000000000ffffc0000201";
        assertThat(read(hex(binary("2121", mapped + mapped + "02370050")))).isEqualTo("192.0.2.1 567 192.0.2.1 80");
        assertThat(read(hex(binary("2111", INET + "040003" + "000000" + "ee0000"))))
                .as("additional fields")
                .isEqualTo("192.0.2.1 567 198.51.100.2 443");
    }

    @Test
    void headersOfVersion2ThatNameNobody() throws Exception {
        assertThat(read(hex(binary("2000", "")))).as("LOCAL").isEqualTo("nobody");
        assertThat(read(hex(binary("2011", INET)))).as("LOCAL, with addresses").isEqualTo("nobody");
        assertThat(read(hex(binary("20ff", "010203"))))
                .as("LOCAL, with anything")
                .isEqualTo("nobody");
        assertThat(read(hex(binary("2100", "")))).as("UNSPEC").isEqualTo("nobody");
        assertThat(read(hex(binary("2101", "0102030405"))))
                .as("UNSPEC, with anything")
                .isEqualTo("nobody");
        assertThat(read(hex(binary("2131", "61".repeat(216))))).as("UNIX").isEqualTo("nobody");
        assertThat(read(hex(binary("2112", INET)))).as("DGRAM").isEqualTo("nobody");
        assertThat(read(hex(binary("2110", INET)))).as("INET, of no transport").isEqualTo("nobody");
    }

    @Test
    void otherHeadersOfVersion2AreBroken() {
        assertBroken(hex("0d0a0d0a000d0a515549540b"));
        assertBroken(hex("0d0a0d0a0a"));
        assertBroken(hex(binary("1111", INET)));
        assertBroken(hex(binary("3111", INET)));
        assertBroken(hex(binary("2211", INET)));
        assertBroken(hex(binary("2141", INET)));
        assertBroken(hex(binary("2113", INET)));
        assertBroken(hex(binary("2111", INET.substring(2))));
        assertBroken(hex(binary("2121", INET6.substring(2))));
        assertBroken(hex(binary("2121", INET)));
        assertBroken(hex(binary("2131", "61".repeat(215))));
        assertBroken(hex(binary("2111", INET + "04")));
        assertBroken(hex(binary("2111", INET + "0400")));
        assertBroken(hex(binary("2111", INET + "040001")));
        assertBroken(hex(binary("2111", INET + "04ffff00")));
    }

    @Test
    void headerIsAtMost4096BytesLong() throws Exception {
        int room = ProxyHeaderParser.MAX_HEADER - 16 - 12 - 3;
        String field = "04" + HexFormat.of().toHexDigits((short) room) + "00".repeat(room);
        assertThat(shown(ProxyHeaderParser.read(hex(binary("2111", INET + field)))))
                .isEqualTo("192.0.2.1 567 198.51.100.2 443");
        // known by its length, before the rest has come
        assertBroken(hex(SIGNATURE + "2111" + "0ff1"));
        assertBroken(hex(SIGNATURE + "2000" + "ffff"));
    }

    /** Recorded from HAProxy 2.6: {@code send-proxy-v2 proxy-v2-options crc32c,unique-id}, {@code send-proxy}. */
    @Test
    void headersOfHaproxy() throws Exception {
        assertThat(read(hex(SIGNATURE + "211100167f0000017f000001e1a6497b03000420ee576d050000")))
                .isEqualTo("127.0.0.1 57766 127.0.0.1 18811");
        assertThat(read(hex(SIGNATURE + "2121002e" + "00".repeat(15) + "01" + "00".repeat(15) + "01"
                        + "c59a497c030004a7381125050000")))
                .isEqualTo("0:0:0:0:0:0:0:1 50586 0:0:0:0:0:0:0:1 18812");
        assertThat(read(line("PROXY TCP4 127.0.0.1 127.0.0.1 49794 18813\r\n")))
                .isEqualTo("127.0.0.1 49794 127.0.0.1 18813");
    }

    @Test
    void checksumIsVerifiedWhereverItStands() throws Exception {
        for (String header : List.of(summed("ee000155030004", ""), summed("030004", "ee000155"))) {
            assertThat(read(hex(header))).isEqualTo("192.0.2.1 567 198.51.100.2 443");
            for (int i = 16; i < 16 + INET.length() / 2; i++) {
                byte[] changed = HexFormat.of().parseHex(header);
                changed[i] ^= 0x10;
                assertBroken(Unpooled.wrappedBuffer(changed));
            }
        }
    }

    private static String summed(String before, String after) {
        String zeros = binary("2111", INET + before + "00000000" + after);
        CRC32C checksum = new CRC32C();
        checksum.update(HexFormat.of().parseHex(zeros));
        return binary("2111", INET + before + HexFormat.of().toHexDigits((int) checksum.getValue()) + after);
    }

    @Test
    void checksumHasFourBytesAndStandsOnce() {
        assertBroken(hex(binary("2111", INET + "030003" + "000000")));
        assertBroken(hex(binary("2111", INET + "030005" + "0000000000")));
        assertBroken(hex(summed("030004", "03000400000000")));
    }
}
