package io.weir.proxy.loop;

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
        assertThat(pace.pauseMillis(0)).isEqualTo(500);
        assertThat(pace.pauseMillis(0)).isZero();
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

    /** A pause that took longer than it should makes the next ones shorter, so that the rate is kept. */
    @Test
    void latePausesCostNothing() {
        long millis = SECOND / 1000;
        Pace pace = new Pace(1_000_000, 0);
        long now = 0;
        int turns = 0;
        while (turns * 65_536L < 20_000_000) {
            turns++;
            pace.took(65_536);
            long pause = pace.pauseMillis(now);
            now += pause == 0 ? 0 : (pause + 50) * millis;
        }
        // 20 MB at 1 MB a second
        assertThat(now / millis).isBetween(19_800L, 20_200L);
    }

    /** At a high rate a turn costs less than a tick: many go by before there is a pause. */
    @Test
    void shortPausesAreAddedUp() {
        Pace pace = new Pace(50_000_000, 0);
        pace.took(500_000);
        assertThat(pace.pauseMillis(0)).isZero();
        pace.took(500_000);
        assertThat(pace.pauseMillis(0)).isEqualTo(20);
    }

    /** What a silent server did not send is not made up for all at once. */
    @Test
    void silenceEarnsNoBurst() {
        Pace pace = new Pace(1000, 0);
        pace.took(10);
        pace.pauseMillis(0);
        pace.took(1000);
        assertThat(pace.pauseMillis(60 * SECOND)).isEqualTo(900);
    }
}
