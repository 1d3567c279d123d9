package io.weir.control.change;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.config.InvalidConfigException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PreconditionTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\'',
            value = {
                "\"7\" | 7 | true",
                "\"6\" | 7 | false",
                "* | 7 | true",
                "* | | false",
                "\"7\" | | false",
                "\"5\" , \"7\" | 7 | true",
                ",\"7\",, | 7 | true",
                "W/\"7\" | 7 | false",
                "W/\"7\",\"7\" | 7 | true",
                "\"77\" | 7 | false",
            })
    void ifMatchIsAStrongComparison(String value, Long revision, boolean matches) {
        Precondition precondition = Precondition.parse(value, null);
        if (matches) {
            assertThatCode(() -> precondition.check(revision)).doesNotThrowAnyException();
        } else {
            assertThatThrownBy(() -> precondition.check(revision)).isInstanceOf(Refusal.class);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\'',
            value = {
                "* | 7 | false",
                "* | | true",
                "\"7\" | 7 | false",
                "W/\"7\" | 7 | false",
                "\"6\" | 7 | true",
                "\"7\" | | true",
            })
    void ifNoneMatchIsAWeakComparison(String value, Long revision, boolean passes) {
        Precondition precondition = Precondition.parse(null, value);
        if (passes) {
            assertThatCode(() -> precondition.check(revision)).doesNotThrowAnyException();
        } else {
            assertThatThrownBy(() -> precondition.check(revision)).isInstanceOf(Refusal.class);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", ",", "7", "\"7", "7\"", "\"7\" \"8\"", "*,\"7\"", "**", "w/\"7\"", "\"a\tb\""})
    void whatIsNoListOfEntityTagsIsRefused(String value) {
        assertThatThrownBy(() -> Precondition.parse(value, null)).isInstanceOf(InvalidConfigException.class);
    }
}
