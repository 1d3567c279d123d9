package io.weir.proxy.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.config.Variable;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class VariablesTest {

    static java.util.Set<String> names() {
        return Variable.names();
    }

    static java.util.List<String> prefixes() {
        return Variable.prefixes();
    }

    @ParameterizedTest
    @MethodSource("names")
    void everyNameHasAnEvaluator(String name) {
        assertThat(Variables.of(name)).isNotNull();
    }

    @ParameterizedTest
    @MethodSource("prefixes")
    void everyFamilyHasAnEvaluator(String prefix) {
        assertThat(Variables.of(prefix + "x")).isNotNull();
    }

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
        assertThat(Variables.host(new InetSocketAddress(address, 80))).isEqualTo(shown);
    }

    /** proxying.md 10: seconds with three decimals. */
    @Test
    void timesAreSecondsWithThreeDecimals() {
        assertThat(Variables.seconds(-1)).isEqualTo("-");
        assertThat(Variables.seconds(0)).isEqualTo("0.000");
        assertThat(Variables.seconds(999_999)).isEqualTo("0.000");
        assertThat(Variables.seconds(1_000_000)).isEqualTo("0.001");
        assertThat(Variables.seconds(12_345_678_901L)).isEqualTo("12.345");
    }
}
