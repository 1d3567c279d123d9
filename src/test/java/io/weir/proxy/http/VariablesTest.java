package io.weir.proxy.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.config.Variable;
import org.junit.jupiter.params.ParameterizedTest;
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
}
