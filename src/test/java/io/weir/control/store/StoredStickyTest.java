package io.weir.control.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.config.StickyConfig;
import io.weir.config.Template;
import io.weir.config.TimeSpan;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class StoredStickyTest {

    static Stream<StickyConfig> types() {
        return Stream.of(
                new StickyConfig.Cookie("srv", "1h30m", "example.com", "/", true, true, "lax"),
                new StickyConfig.Route(List.of(Template.parse("$cookie_route"), Template.parse("x$arg_route$$"))),
                new StickyConfig.Learn(
                        Template.parse("$upstream_cookie_sid"),
                        Template.parse("$cookie_sid"),
                        TimeSpan.parse("90m"),
                        true,
                        500));
    }

    @ParameterizedTest
    @MethodSource("types")
    void comesBackAsItWas(StickyConfig config) {
        assertThat(StoredSticky.read(StoredSticky.type(config), StoredSticky.write(config)))
                .isEqualTo(config);
    }

    @Test
    void groupOfAnEarlierVersionHasNone() {
        assertThat(StoredSticky.read("", "{}")).isNull();
        assertThat(StoredSticky.type(null)).isEmpty();
        assertThat(StoredSticky.write(null)).isEqualTo("{}");
    }
}
