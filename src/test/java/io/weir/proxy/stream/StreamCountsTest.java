package io.weir.proxy.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.proxy.stream.StreamCounts.Snapshot;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Which listeners are told, and that none is lost. */
class StreamCountsTest {

    private final StreamCounts counts = new StreamCounts();

    @Test
    void aListenerThatIsReadBeforeItsChangeIsCompleteKeepsItsCounts() {
        ListenerCounts its = counts.of("new");
        assertThat(counts.snapshot()).isEmpty();
        its.begun();
        counts.configured(Set.of("new"));
        its.ended(200, 3, 4);
        assertThat(counts.snapshot()).singleElement().satisfies(snapshot -> {
            assertThat(snapshot.accepted()).isEqualTo(1);
            assertThat(snapshot.sessionsByStatus()).containsEntry(200, 1L);
            assertThat(snapshot.bytesSent()).isEqualTo(4);
        });
    }

    @Test
    void aListenerThatWasRemovedIsToldWhileSessionsOfItRun() {
        ListenerCounts its = counts.of("old");
        counts.configured(Set.of("old"));
        its.begun();
        counts.configured(Set.of());
        assertThat(counts.snapshot()).extracting(Snapshot::open).containsExactly(1);
        its.ended(200, 0, 0);
        assertThat(counts.snapshot()).isEmpty();
    }

    @Test
    void aListenerThatComesAgainBeginsAnew() {
        counts.of("tcp").begun();
        counts.of("tcp").ended(200, 0, 0);
        counts.configured(Set.of("tcp"));
        counts.configured(Set.of());
        counts.of("tcp");
        counts.configured(Set.of("tcp"));
        assertThat(counts.snapshot()).extracting(Snapshot::accepted).containsExactly(0L);
    }
}
