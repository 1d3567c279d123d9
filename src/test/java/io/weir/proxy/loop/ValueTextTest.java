package io.weir.proxy.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ValueTextTest {

    @ParameterizedTest
    @CsvSource({
        "192.0.2.1, 192.0.2.1",
        "2001:db8:0:0:0:0:0:1, 2001:db8::1",
        "2001:0DB8:0:1:0:0:0:0, 2001:db8:0:1::",
        "1:0:2:3:4:5:6:7, 1:0:2:3:4:5:6:7",
        "0:0:0:0:0:0:0:1, ::1",
        "fe80:0:0:0:0:0:0:1%1, fe80::1",
    })
    void addressesAreInTheirShortForm(String address, String shown) {
        assertThat(ValueText.host(new InetSocketAddress(address, 80))).isEqualTo(shown);
    }

    /** proxying.md 10: seconds with three decimals. */
    @Test
    void timesAreSecondsWithThreeDecimals() {
        assertThat(ValueText.seconds(-1)).isEqualTo("-");
        assertThat(ValueText.seconds(0)).isEqualTo("0.000");
        assertThat(ValueText.seconds(999_999)).isEqualTo("0.000");
        assertThat(ValueText.seconds(1_000_000)).isEqualTo("0.001");
        assertThat(ValueText.seconds(12_345_678_901L)).isEqualTo("12.345");
    }
}
