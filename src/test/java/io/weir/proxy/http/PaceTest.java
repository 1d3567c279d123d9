package io.weir.proxy.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The arithmetic of proxying.md 8.3. */
class PaceTest {

    private static final long SECOND = 1_000_000_000L;

    @Test
    void firstSecondsWorthMayComeAtOnce() {
        Pace pace = new Pace(1000, 7 * SECOND);
        assertThat(pace.limit(7 * SECOND)).isEqualTo(1000);
        assertThat(pace.furtherMillis(7 * SECOND)).isZero();
        assertThat(pace.limit(9 * SECOND)).isEqualTo(3000);
    }

    /** After reading n bytes: n * 1000 / rate ms. */
    @Test
    void turnIsFollowedByAPause() {
        Pace pace = new Pace(1000, 0);
        pace.took(300);
        pace.took(200);
        assertThat(pace.pauseMillis()).isEqualTo(500);
        assertThat(pace.pauseMillis()).isZero();
        assertThat(pace.limit(0)).isEqualTo(500);
    }

    /** allowed <= 0: -allowed * 1000 / rate + 1 ms. */
    @Test
    void whatIsBeyondTheRateIsWaitedFor() {
        Pace pace = new Pace(1000, 0);
        pace.took(1000);
        assertThat(pace.furtherMillis(SECOND - 1)).isEqualTo(1);
        assertThat(pace.furtherMillis(SECOND)).isZero();
        pace.took(2500);
        assertThat(pace.furtherMillis(SECOND)).isEqualTo(1501);
        assertThat(pace.limit(SECOND)).isEqualTo(1);
    }
}
