package io.weir.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Sizes, times and addresses as operators write them. */
class ValuesTest {

    @ParameterizedTest
    @CsvSource({"0,0", "512,512", "8k,8192", "8K,8192", "1m,1048576", "2g,2147483648", "1048576g,1125899906842624"})
    void sizesHaveNginxsUnits(String text, long bytes) {
        assertThat(ByteSize.parse(text).bytes()).isEqualTo(bytes);
        assertThat(ByteSize.parse(text)).hasToString(text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "-1", "1 k", "1kb", "k", "1.5m", "1048577g", "8589934592g", "17179869184g", "9999999999999"})
    void otherSizesAreRefused(String text) {
        assertThatThrownBy(() -> ByteSize.parse(text)).isInstanceOf(InvalidConfigException.class);
    }

    @ParameterizedTest
    @CsvSource({"0s,0", "500ms,500", "10s,10000", "1m30s,90000", "1h,3600000", "1d,86400000", "1w,604800000"})
    void timesHaveNginxsUnits(String text, long millis) {
        assertThat(TimeSpan.parse(text).value().toMillis()).isEqualTo(millis);
        assertThat(TimeSpan.parse(text)).hasToString(text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "10", "s", "-1s", "1.5s", "1s1m", "10 s", "1S", "3651d", "999999999w"})
    void otherTimesAreRefused(String text) {
        assertThatThrownBy(() -> TimeSpan.parse(text)).isInstanceOf(InvalidConfigException.class);
    }

    @ParameterizedTest
    @CsvSource({
        "127.0.0.1:9001, 127.0.0.1:9001",
        "127.0.0.1, 127.0.0.1:80",
        "Backend.Example:8080, backend.example:8080",
        "[::1]:81, [0:0:0:0:0:0:0:1]:81",
        "[0:0::1]:81, [0:0:0:0:0:0:0:1]:81",
        // one and the same socket address
        "[::ffff:127.0.0.9]:81, 127.0.0.9:81",
        "unix:/run/app.sock, unix:/run/app.sock",
        "UNIX:/run/app.sock, unix:/run/app.sock",
    })
    void addressesThatMeanTheSameHaveOneSpelling(String text, String canonical) {
        assertThat(ServerAddress.parse(text, 80).canonical()).isEqualTo(canonical);
        assertThat(ServerAddress.parse(text, 80)).hasToString(text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ":80",
                "a:0",
                "a:65536",
                "a:b",
                "256.0.0.1:80",
                "1.2.3:80",
                "[::1",
                "[::g]:80",
                "::1",
                "a b:80",
                "-a:80",
                "a..b:80",
                "unix:run/app.sock",
                "unix:",
                "http://a:80",
                "a:80/"
            })
    void otherAddressesAreRefused(String text) {
        assertThatThrownBy(() -> ServerAddress.parse(text, 80)).isInstanceOf(InvalidConfigException.class);
    }
}
