package io.weir.balance;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.config.ServerConfig;
import io.weir.zone.Servers;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

class RoundRobinPropertyTest {

    @Property(tries = 300)
    void overAnyRoundEachPeerGetsItsWeight(
            @ForAll @Size(min = 2, max = 12) List<@IntRange(min = 1, max = 20) Integer> weights,
            @ForAll @IntRange(max = 200) int skipped) {
        assertShares(new Picks(new RoundRobin(), servers(weights)), weights, skipped);
    }

    @Property(tries = 300)
    void leastConnDoesTheSameWhileNothingIsHeld(
            @ForAll @Size(min = 2, max = 12) List<@IntRange(min = 1, max = 20) Integer> weights,
            @ForAll @IntRange(max = 200) int skipped) {
        assertShares(new Picks(new LeastConn(), servers(weights)), weights, skipped);
    }

    private static List<ServerConfig> servers(List<Integer> weights) {
        return Servers.weights(weights.stream().mapToInt(Integer::intValue).toArray());
    }

    private static void assertShares(Picks picks, List<Integer> weights, int skipped) {
        picks.sequence(skipped);
        String round =
                picks.sequence(weights.stream().mapToInt(Integer::intValue).sum());
        for (int i = 0; i < weights.size(); i++) {
            char letter = Servers.letter(i);
            assertThat(round.chars().filter(c -> c == letter).count())
                    .as("%s in %s", letter, round)
                    .isEqualTo((long) weights.get(i));
        }
        String next = picks.sequence(round.length());
        assertThat(next).as("the next round is the same").isEqualTo(round);
    }
}
