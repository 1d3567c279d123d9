package io.weir.control.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class NodesTest {

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final Duration NO_TIME = Duration.ofNanos(1);

    private final Nodes nodes = named(" me ");

    @Test
    void aNodeHasItsNameOrThatOfItsHost() {
        assertThat(nodes.self().name()).isEqualTo("me");
        assertThat(named("").self().name()).isNotBlank();
        assertThat(named("x".repeat(300)).self().name()).hasSize(255);
        assertThat(nodes.self().id()).isNotEqualTo(named("me").self().id());
    }

    @Test
    void whatIsToldIsNewsOnlyOnce() {
        assertThat(nodes.tell(1, null)).isTrue();
        assertThat(nodes.tell(1, null)).isFalse();
        assertThat(nodes.tell(1, new NotApplied(2, "port"))).isTrue();
        assertThat(nodes.self().has(1)).isTrue();
        assertThat(nodes.self().has(2)).isFalse();
    }

    @Test
    void oneThatIsSilentIsNotAliveAndNotWaitedFor() throws Exception {
        nodes.tell(5, null);
        CompletableFuture<Lag> lag = waitFor(5);
        see(sighting("other", 4, null, 0), sighting("dead", 1, null, 5_000));
        assertThat(nodes.live()).isEqualTo(2);
        assertThat(nodes.silent()).isEqualTo(1);
        assertThat(lag).isNotDone();
        see(sighting("other", 5, null, 0), sighting("dead", 1, null, 6_000));
        assertThat(lag.get(60, TimeUnit.SECONDS)).isNull();
    }

    @Test
    void whoLacksItIsTold() {
        nodes.tell(5, null);
        see(sighting("slow", 4, null, 0), sighting("fast", 6, null, 0), sighting("unable", 4, "port", 0));
        Lag lag = nodes.await(5, NO_TIME);
        assertThat(lag.lacking()).extracting(Node::name).containsExactly("slow", "unable");
        assertThat(lag.revision()).isEqualTo(5);
        assertThat(lag.known()).as("seen before the wait began").isFalse();
    }

    @Test
    void whatWasSeenBeforeIsNoAnswer() throws Exception {
        nodes.tell(5, null);
        see();
        CompletableFuture<Lag> lag = waitFor(5);
        assertThat(lag).isNotDone();
        see(sighting("new", 5, null, 0));
        assertThat(lag.get(60, TimeUnit.SECONDS)).isNull();
    }

    @Test
    void thisNodeIsNotAmongTheOthers() {
        nodes.saw(List.of(new Sighting(nodes.self(), Instant.now(), Duration.ZERO)), System.nanoTime());
        assertThat(nodes.others()).isEmpty();
        assertThat(nodes.live()).isEqualTo(1);
    }

    private CompletableFuture<Lag> waitFor(long revision) {
        CompletableFuture<Lag> lag = CompletableFuture.supplyAsync(() -> nodes.await(revision, LONG));
        while (!nodes.isAwaited()) {
            Thread.onSpinWait();
        }
        // it has noted when it began before it is counted
        return lag;
    }

    private void see(Sighting... all) {
        nodes.saw(List.of(all), System.nanoTime());
    }

    private static Sighting sighting(String name, long revision, String failure, long ageMillis) {
        NotApplied notApplied = failure == null ? null : new NotApplied(revision + 1, failure);
        Node node = new Node(name, name, "1", Instant.EPOCH, revision, notApplied);
        return new Sighting(node, Instant.EPOCH, Duration.ofMillis(ageMillis));
    }

    private static Nodes named(String name) {
        return new Nodes(new NodeProperties(name, Path.of("unused")));
    }
}
