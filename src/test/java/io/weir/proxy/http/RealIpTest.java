package io.weir.proxy.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.util.NetUtil;
import io.weir.config.Cidr;
import io.weir.config.RealIpConfig;
import io.weir.proxy.address.ProxyHeader;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What nginx 1.22 made of the same fields: {@code set_real_ip_from} 127.0.0.0/8, 10.0.0.0/8 and 2001:db8::/32, and
 * {@code return 200 "$remote_addr $remote_port"}.
 */
class RealIpTest {

    private static final List<Cidr> TRUSTED = Stream.of("127.0.0.0/8", "10.0.0.0/8", "2001:db8::/32")
            .map(Cidr::parse)
            .toList();
    private static final InetSocketAddress PEER = new InetSocketAddress("127.0.0.1", 4711);
    private static final String SAME = "127.0.0.1 4711";

    private static String client(SocketAddress peer, ProxyHeader proxied, RealIpConfig config, String... values) {
        HttpHeaders headers = new DefaultHttpHeaders();
        for (String value : values) {
            headers.add(config.header(), value);
        }
        InetSocketAddress client = (InetSocketAddress) RealIp.of(config).client(peer, proxied, NettyHeads.of(headers));
        return NetUtil.toAddressString(client.getAddress()) + " " + client.getPort();
    }

    private static String client(String header, boolean recursive, String... values) {
        return client(PEER, ProxyHeader.NOBODY, new RealIpConfig(TRUSTED, header, recursive), values);
    }

    /** A field with one value: what it says, and what it says if recursive. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "1.2.3.4 | 1.2.3.4 0 |",
                "1.2.3.4:567 | 1.2.3.4 567 |",
                "[2001:db9::1]:567 | 2001:db9::1 567 |",
                "2001:db9::1 | 2001:db9::1 0 |",
                "2001:DB9:0:0::1 | 2001:db9::1 0 |",
                // IPv6 addresses that end like one of IPv4, and are none
                "::1.2.3.4 | ::102:304 0 |",
                "64:ff9b::1.2.3.4 | 64:ff9b::102:304 0 |",
                "::1:1.2.3.4 | ::1:102:304 0 |",
                "9.9.9.9, ::10.0.0.5 | ::a00:5 0 |",
                ".:1 | same |",
                "[1.2.3.4]:80 | 1.2.3.4 80 |",
                "1.2.3.4:00080 | 1.2.3.4 80 |",
                "01.2.3.4 | 1.2.3.4 0 |",
                "[2001:db9::1] | same |",
                "1.2.3.4:0 | same |",
                "1.2.3.4:65536 | same |",
                "1.2.3.4: | same |",
                "1.2.3.4:+80 | same |",
                "1.2.3.4:80:90 | same |",
                ":80 | same |",
                "[]:80 | same |",
                "[ | same |",
                "'' | same |",
                "x | same |",
                "1.2.3 | same |",
                "1.2.3.256 | same |",
                "fe80::1%eth0 | same |",
                "unix: | same |",
                "1.1.1.1, 2.2.2.2 | 2.2.2.2 0 |",
                "1.1.1.1,2.2.2.2 | 2.2.2.2 0 |",
                "1.1.1.1 2.2.2.2 | 2.2.2.2 0 |",
                "1.1.1.1, x | same |",
                "1.1.1.1, , | 1.1.1.1 0 |",
                "1.1.1.1,2.2.2.2, , | 2.2.2.2 0 |",
                ",2.2.2.2 | same |",
                "', 2.2.2.2' | 2.2.2.2 0 |",
                "1.1.1.1, 10.0.0.1 | 10.0.0.1 0 | 1.1.1.1 0",
                "1.1.1.1, 10.0.0.1, 10.0.0.2 | 10.0.0.2 0 | 1.1.1.1 0",
                "10.0.0.1, 10.0.0.2 | 10.0.0.2 0 | 10.0.0.1 0",
                "10.0.0.1:70, 10.0.0.2 | 10.0.0.2 0 | 10.0.0.1 70",
                "x, 10.0.0.2 | 10.0.0.2 0 |",
                "9.9.9.9, 1.1.1.1, [2001:db8::5]:80 | 2001:db8::5 80 | 1.1.1.1 0",
                // nginx writes ::ffff:10.0.0.1, and trusts it as 10.0.0.1
                "1.1.1.1, ::ffff:10.0.0.1 | 10.0.0.1 0 | 1.1.1.1 0",
                // nginx takes 1..2.3 for 1.0.2.3
                "1..2.3 | same |",
            })
    void oneValue(String value, String once, String recursive) {
        String expected = once.equals("same") ? SAME : once;
        String recursivelyExpected = recursive == null ? expected : recursive;
        for (String header : List.of("X-Real-IP", "X-Forwarded-For", "x-forwarded-for", "X-Client")) {
            assertThat(client(header, false, value)).as(header).isEqualTo(expected);
            assertThat(client(header, true, value)).as(header).isEqualTo(recursivelyExpected);
        }
    }

    @Test
    void tabIsNoSeparator() {
        assertThat(client("X-Forwarded-For", false, "1.1.1.1\t10.0.0.1")).isEqualTo(SAME);
    }

    /** Several fields: of X-Real-IP, of X-Forwarded-For, of X-Forwarded-For if recursive, of X-Client if recursive. */
    static Stream<Arguments> severalFields() {
        return Stream.of(
                fields("1.1.1.1 0", "2.2.2.2 0", "2.2.2.2 0", "1.1.1.1 0", "1.1.1.1", "2.2.2.2"),
                fields("1.1.1.1 0", "10.0.0.1 0", "1.1.1.1 0", "1.1.1.1 0", "1.1.1.1", "10.0.0.1"),
                fields("1.1.1.1 0", "10.0.0.1 0", "2.2.2.2 0", "1.1.1.1 0", "1.1.1.1", "2.2.2.2, 10.0.0.1"),
                fields("1.1.1.1 0", SAME, SAME, "1.1.1.1 0", "1.1.1.1", "x"),
                fields("1.1.1.1 0", "10.0.0.1 0", "10.0.0.1 0", "1.1.1.1 0", "1.1.1.1", "x, 10.0.0.1"),
                fields("10.0.0.3 0", "10.0.0.1 0", "1.1.1.1 0", "1.1.1.1 0", "1.1.1.1, 10.0.0.3", "10.0.0.2, 10.0.0.1"),
                fields(SAME, "10.0.0.1 0", "10.0.0.1 0", SAME, "x", "10.0.0.1"),
                fields("1.1.1.1 0", SAME, SAME, "1.1.1.1 0", "1.1.1.1", ""));
    }

    private static Arguments fields(String realIp, String forwarded, String recursive, String other, String... values) {
        return Arguments.of(realIp, forwarded, recursive, other, values);
    }

    @ParameterizedTest
    @MethodSource
    void severalFields(String realIp, String forwarded, String recursive, String other, String[] values) {
        assertThat(client("X-Real-IP", false, values)).isEqualTo(realIp);
        assertThat(client("X-Forwarded-For", false, values)).isEqualTo(forwarded);
        assertThat(client("X-Forwarded-For", true, values)).isEqualTo(recursive);
        assertThat(client("X-Client", true, values)).isEqualTo(other);
    }

    @Test
    void withoutTheFieldThePeerIsTheClient() {
        assertThat(client("X-Real-IP", false)).isEqualTo(SAME);
        assertThat(client("X-Forwarded-For", true)).isEqualTo(SAME);
    }

    @Test
    void peerThatIsNotTrustedIsNotBelieved() {
        InetSocketAddress stranger = new InetSocketAddress("192.0.2.1", 1);
        ProxyHeader proxied = new ProxyHeader(PEER, PEER);
        for (String header : List.of("X-Real-IP", "X-Forwarded-For", "proxy_protocol")) {
            RealIpConfig config = new RealIpConfig(TRUSTED, header, true);
            assertThat(client(stranger, proxied, config, "1.1.1.1")).isEqualTo("192.0.2.1 1");
        }
    }

    @Test
    void proxyProtocolNamesTheClientWithItsPort() {
        RealIpConfig config = new RealIpConfig(TRUSTED, "proxy_protocol", false);
        InetSocketAddress source = new InetSocketAddress("192.0.2.1", 567);
        assertThat(client(PEER, new ProxyHeader(source, PEER), config, "1.1.1.1"))
                .isEqualTo("192.0.2.1 567");
        assertThat(client(PEER, ProxyHeader.NOBODY, config, "1.1.1.1")).isEqualTo(SAME);
    }
}
