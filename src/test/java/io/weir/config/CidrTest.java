package io.weir.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Ranges of addresses, and who is trusted. */
class CidrTest {

    @ParameterizedTest
    @CsvSource({
        "10.0.0.0/8, 10.255.255.255, true",
        "10.0.0.0/8, 11.0.0.0, false",
        "10.0.0.0/8, 9.255.255.255, false",
        "192.0.2.128/25, 192.0.2.128, true",
        "192.0.2.128/25, 192.0.2.127, false",
        "192.0.2.1, 192.0.2.1, true",
        "192.0.2.1, 192.0.2.0, false",
        "192.0.2.1/32, 192.0.2.1, true",
        "0.0.0.0/0, 255.1.2.3, true",
        "0.0.0.0/0, ::1, false",
        "::/0, 127.0.0.1, false",
        "::/0, ffff::1, true",
        "2001:db8::/33, 2001:db8:7fff::1, true",
        "2001:db8::/33, 2001:db8:8000::1, false",
        "::1, ::1, true",
        "::1, ::2, false",
        "2001:DB8::1/128, 2001:db8:0::1, true",
        // bits of the host do not count: nginx says that they are meaningless, and goes on
        "10.1.2.3/8, 10.200.0.1, true",
        "2001:db8::ffff/32, 2001:db8:1::, true",
        // a mapped address is the IPv4 address, on either side
        "10.0.0.0/8, ::ffff:10.1.1.1, true",
        "::ffff:10.0.0.0/104, 10.1.1.1, true",
        "::ffff:10.0.0.1, 10.0.0.1, true",
        "::ffff:10.0.0.1, 10.0.0.2, false",
    })
    void contains(String range, String address, boolean expected) throws Exception {
        Cidr cidr = Cidr.parse(range);
        assertThat(cidr.contains(InetAddress.getByName(address))).isEqualTo(expected);
        assertThat(cidr).hasToString(range);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "/8",
                "10.0.0.0/",
                "10.0.0.0/33",
                "10.0.0.0/-1",
                "10.0.0.0/08",
                "10.0.0.0/8/8",
                "10.0.0/8",
                "10.0.0.256",
                "010.0.0.1",
                "::1/129",
                ":::/8",
                "::g",
                "[::1]",
                "fe80::1%eth0",
                "::ffff:10.0.0.0/95",
                "localhost",
                "unix:",
                "10.0.0.1:80",
                " 10.0.0.1"
            })
    void otherTextsAreRefused(String text) {
        assertThatThrownBy(() -> Cidr.parse(text)).isInstanceOf(InvalidConfigException.class);
    }

    @Test
    void oneOfTheRangesIsEnough() throws Exception {
        RealIpConfig config =
                new RealIpConfig(List.of(Cidr.parse("127.0.0.0/8"), Cidr.parse("::1")), "X-Real-IP", false);
        assertThat(config.trusts(InetAddress.getByName("127.9.9.9"))).isTrue();
        assertThat(config.trusts(InetAddress.getByName("::1"))).isTrue();
        assertThat(config.trusts(InetAddress.getByName("128.0.0.1"))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a b", "X:", "X_Real_IP", "PROXY_PROTOCOL", "é"})
    void headerIsTheNameOfAField(String header) {
        List<Cidr> trusted = List.of(Cidr.parse("::1"));
        assertThatThrownBy(() -> new RealIpConfig(trusted, header, false))
                .isInstanceOfSatisfying(
                        InvalidConfigException.class,
                        e -> assertThat(e.violations())
                                .extracting(Violation::field)
                                .containsExactly("header"));
    }
}
