package io.weir.balance;

import static io.weir.zone.Servers.down;
import static io.weir.zone.Servers.server;
import static io.weir.zone.Servers.weights;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.config.GroupProtocol;
import io.weir.config.MethodSpec;
import io.weir.config.ServerConfig;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** random and random two: spec sections 10.4 and 10.5. */
class RandomTest {

    private static Picks picks(RandomGenerator chance, Map<String, Object> arguments, ServerConfig... servers) {
        return picks(chance, arguments, List.of(servers));
    }

    private static Picks picks(RandomGenerator chance, Map<String, Object> arguments, List<ServerConfig> servers) {
        return new Picks(
                BalancingMethods.create(new MethodSpec("random", arguments), GroupProtocol.HTTP, chance), servers);
    }

    /** Draws these points of the line on which each peer is as long as its weight; it fails after the last. */
    private static RandomGenerator draws(long... points) {
        Deque<Long> left = new ArrayDeque<>(Arrays.stream(points).boxed().toList());
        return new RandomGenerator() {
            @Override
            public long nextLong() {
                throw new AssertionError("not bounded");
            }

            @Override
            public long nextLong(long bound) {
                long point = left.remove();
                assertThat(point).isLessThan(bound);
                return point;
            }
        };
    }

    private static final Map<String, Object> ONE = Map.of();
    private static final Map<String, Object> TWO = Map.of("two", true, "by", "least_conn");

    @Test
    void eachPeerIsAsLongAsItsWeight() {
        assertThat(picks(draws(0, 2, 3, 4, 5), ONE, weights(3, 2, 1)).hold(5)).isEqualTo("aabbc");
    }

    @Test
    void sharesAreThoseOfTheWeights() {
        String picks = picks(new SplittableRandom(7), ONE, weights(5, 3, 2)).sequence(10_000);
        assertThat(picks.chars().filter(c -> c == 'a').count()).isBetween(4_850L, 5_150L);
        assertThat(picks.chars().filter(c -> c == 'b').count()).isBetween(2_850L, 3_150L);
    }

    @Test
    void rejectedDrawIsRepeated() {
        assertThat(picks(draws(1, 1, 2), ONE, server('a'), down(server('b')), server('c'))
                        .hold(1))
                .isEqualTo("c");
    }

    @Test
    void after21RejectionsRoundRobinTakesOver() {
        long[] points = new long[21];
        assertThat(picks(draws(points), ONE, down(server('a')), server('b')).hold(1))
                .isEqualTo("b");
    }

    @Test
    void betterOfTwoDrawn() {
        Picks picks = picks(draws(0, 1, 0, 1, 1, 0), TWO, weights(1, 1));
        assertThat(picks.hold(1)).as("the second of equals").isEqualTo("b");
        assertThat(picks.hold(1)).as("a has fewer").isEqualTo("a");
        assertThat(picks.hold(1)).as("the second of equals").isEqualTo("a");
    }

    @Test
    void fewerConnectionsPerWeight() {
        Picks picks = picks(draws(0, 1, 1, 0, 2, 0), TWO, weights(1, 2));
        assertThat(picks.hold(1)).isEqualTo("b");
        assertThat(picks.hold(1)).as("0/1 against 1/2").isEqualTo("a");
        assertThat(picks.hold(1)).as("1/2 against 1/1").isEqualTo("b");
    }

    @Test
    void samePeerTwiceIsNoChoice() {
        assertThat(picks(draws(0, 0, 0, 1), TWO, weights(1, 1)).hold(1)).isEqualTo("b");
    }

    @Test
    void onlyOneEligiblePeerIsFoundByRoundRobin() {
        // the first of two counts among the 21 too
        assertThat(picks(draws(new long[21]), TWO, server('a'), down(server('b')))
                        .hold(1))
                .isEqualTo("a");
    }
}
