package io.weir.proxy.address;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

/** proxy-protocol.txt, section 2; checksums were worked out with a CRC32c made of its polynomial, bit by bit. */
class ProxyHeaderWriterTest {

    private static final String SIGNATURE = "0d0a0d0a000d0a515549540a";
    private static final SocketAddress UNIX = UnixDomainSocketAddress.of("/run/app.sock");

    private static final InetSocketAddress CLIENT = address("192.0.2.1", 567);
    private static final InetSocketAddress LISTENER = address("198.51.100.2", 443);
    private static final InetSocketAddress CLIENT6 = address("2001:db8::1", 567);
    private static final InetSocketAddress LISTENER6 = address("2001:db8::2", 80);

    private static InetSocketAddress address(String ip, int port) {
        return new InetSocketAddress(Addresses.ip(ip), port);
    }

    private static String text(SocketAddress source, SocketAddress destination) {
        ByteBuf out = Unpooled.buffer();
        ProxyHeaderWriter.writeText(out, source, destination);
        return out.toString(StandardCharsets.US_ASCII);
    }

    private static String binary(SocketAddress source, SocketAddress destination, boolean datagram) {
        ByteBuf out = Unpooled.buffer();
        ProxyHeaderWriter.writeBinary(out, source, destination, datagram);
        return ByteBufUtil.hexDump(out);
    }

    @Test
    void textOfIpv4() {
        assertThat(text(address("127.0.0.1", 60820), address("127.0.0.1", 17007)))
                .isEqualTo("PROXY TCP4 127.0.0.1 127.0.0.1 60820 17007\r\n");
    }

    @Test
    void textOfIpv6() {
        assertThat(text(CLIENT6, LISTENER6)).isEqualTo("PROXY TCP6 2001:db8::1 2001:db8::2 567 80\r\n");
    }

    @Test
    void textOfMixedFamiliesIsIpv6() {
        assertThat(text(CLIENT6, LISTENER)).isEqualTo("PROXY TCP6 2001:db8::1 ::ffff:198.51.100.2 567 443\r\n");
        assertThat(text(CLIENT, LISTENER6)).isEqualTo("PROXY TCP6 ::ffff:192.0.2.1 2001:db8::2 567 80\r\n");
    }

    @Test
    void textOfWhatIsNotIpIsUnknown() {
        assertThat(text(UNIX, LISTENER)).isEqualTo("PROXY UNKNOWN\r\n");
        assertThat(text(CLIENT, UNIX)).isEqualTo("PROXY UNKNOWN\r\n");
        assertThat(text(InetSocketAddress.createUnresolved("app", 80), LISTENER))
                .isEqualTo("PROXY UNKNOWN\r\n");
    }

    @Test
    void longestTextIsWithinTheLimitOfTheProtocol() {
        InetSocketAddress longest = address("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", 65535);
        assertThat(text(longest, longest)).hasSizeLessThanOrEqualTo(107).hasSize(104);
    }

    @Test
    void binaryOfIpv4HasALengthOf19() {
        String addresses = "c0000201" + "c6336402" + "0237" + "01bb";
        assertThat(binary(CLIENT, LISTENER, false))
                .isEqualTo(SIGNATURE + "2111" + "0013" + addresses + "030004" + "f385954d");
        assertThat(binary(CLIENT, LISTENER, true))
                .isEqualTo(SIGNATURE + "2112" + "0013" + addresses + "030004" + "17bba691");
    }

    @Test
    void binaryOfIpv6() {
        String addresses = "20010db8000000000000000000000001" + "20010db8000000000000000000000002" + "0237" + "0050";
        assertThat(binary(CLIENT6, LISTENER6, false))
                .isEqualTo(SIGNATURE + "2121" + "002b" + addresses + "030004" + "089a140a");
    }

    @Test
    void binaryOfMixedFamiliesIsIpv6() {
        String addresses = "20010db8000000000000000000000001" + "00000000000000000000ffffc6336402" + "0237" + "01bb";
        assertThat(binary(CLIENT6, LISTENER, false))
                .isEqualTo(SIGNATURE + "2121" + "002b" + addresses + "030004" + "232af7e3");
    }

    @Test
    void binaryOfWhatIsNotIpIsLocal() {
        assertThat(binary(UNIX, LISTENER, false)).isEqualTo(SIGNATURE + "2000" + "0007" + "030004" + "a9b87e8f");
        assertThat(binary(CLIENT, UNIX, true)).isEqualTo(SIGNATURE + "2000" + "0007" + "030004" + "a9b87e8f");
    }

    @Test
    void binaryIsAppendedToWhatIsThere() {
        ByteBuf out = Unpooled.buffer().writeByte(7);
        ProxyHeaderWriter.writeBinary(out, CLIENT, LISTENER, false);
        assertThat(ByteBufUtil.hexDump(out)).isEqualTo("07" + binary(CLIENT, LISTENER, false));
    }

    @Property
    void ownParserReadsWhatWasWritten(
            @ForAll("addresses") InetSocketAddress source, @ForAll("addresses") InetSocketAddress destination)
            throws BrokenHeaderException {
        ProxyHeader expected = new ProxyHeader(source, destination);
        ByteBuf text = Unpooled.buffer();
        ProxyHeaderWriter.writeText(text, source, destination);
        assertThat(text.readableBytes()).isLessThanOrEqualTo(107);
        assertThat(ProxyHeaderParser.read(text)).isEqualTo(expected);
        assertThat(text.isReadable()).isFalse();

        ByteBuf binary = Unpooled.buffer();
        ProxyHeaderWriter.writeBinary(binary, source, destination, false);
        assertThat(ProxyHeaderParser.read(binary)).isEqualTo(expected);
        assertThat(binary.isReadable()).isFalse();
    }

    @Provide
    Arbitrary<InetSocketAddress> addresses() {
        Arbitrary<byte[]> v4 = Arbitraries.bytes().array(byte[].class).ofSize(4);
        Arbitrary<byte[]> v6 = Arbitraries.bytes().array(byte[].class).ofSize(16);
        Arbitrary<byte[]> sparse = v6.map(bytes -> {
            byte[] zeros = Arrays.copyOf(bytes, 16);
            Arrays.fill(zeros, 2, 12, (byte) 0);
            return zeros;
        });
        Arbitrary<byte[]> all = Arbitraries.oneOf(v4, v6, sparse);
        return all.flatMap(ip ->
                Arbitraries.integers().between(0, 65535).map(port -> new InetSocketAddress(Addresses.of(ip), port)));
    }
}
