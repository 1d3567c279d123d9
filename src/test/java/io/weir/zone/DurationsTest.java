package io.weir.zone;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DurationsTest {

    @Test
    void boundsBelongToTheirBucket() {
        for (int i = 0; i < Durations.BOUNDS_SECONDS.size(); i++) {
            long bound = Math.round(Durations.BOUNDS_SECONDS.get(i) * 1e9);
            assertThat(Durations.bucket(bound)).isEqualTo(i);
            assertThat(Durations.bucket(bound + 1)).isEqualTo(i + 1);
        }
        assertThat(Durations.bucket(0)).isZero();
        assertThat(Durations.bucket(Long.MAX_VALUE)).isEqualTo(Durations.BUCKETS - 1);
    }
}
