package io.weir.balance;

import static io.weir.zone.Servers.down;
import static io.weir.zone.Servers.server;
import static io.weir.zone.Servers.weights;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.config.AdminState;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Smooth weighted round robin: spec section 4 and the tables of 13.1, recorded from nginx. */
class RoundRobinTest {

    private static Picks picks(int... weights) {
        return new Picks(new RoundRobin(), weights(weights));
    }

    @Test
    void fiveOneOneWithItsCurrentWeights() {
        Picks picks = picks(5, 1, 1);
        String[][] table = {
            {"a", "-2,1,1"},
            {"a", "-4,2,2"},
            {"b", "1,-4,3"},
            {"a", "-1,-3,4"},
            {"c", "4,-2,-2"},
            {"a", "2,-1,-1"},
            {"a", "0,0,0"}
        };
        for (String[] row : table) {
            assertThat(picks.sequence(1)).isEqualTo(row[0]);
            assertThat(picks.currentWeights()).isEqualTo(row[1]);
        }
        assertThat(picks.sequence(14)).isEqualTo("aabacaaaabacaa");
    }

    @ParameterizedTest
    @CsvSource({"3, 2, 1, abacbaabacba", "1, 1, 1, abcabc"})
    void threePeers(int a, int b, int c, String sequence) {
        assertThat(picks(a, b, c).sequence(sequence.length())).isEqualTo(sequence);
    }

    @Test
    void twoToOne() {
        assertThat(picks(2, 1).sequence(6)).isEqualTo("abaaba");
    }

    @Test
    void downAndDrainingPeersAreSkippedAndKeepTheirWeights() {
        Picks picks = new Picks(
                new RoundRobin(),
                List.of(server('a'), down(server('b', 9)), server('c').withState(AdminState.DRAIN), server('d')));
        assertThat(picks.sequence(4)).isEqualTo("adad");
        assertThat(picks.currentWeights()).isEqualTo("0,0,0,0");
    }

    @Test
    void nobodyIsEligible() {
        Picks picks = new Picks(new RoundRobin(), List.of(down(server('a')), down(server('b'))));
        assertThat(picks.sequence(1)).isEqualTo("-");
        assertThat(new Picks(new RoundRobin(), List.of()).sequence(1)).isEqualTo("-");
    }

    @Test
    void peerAtMaxConnsIsSkipped() {
        Picks picks = new Picks(new RoundRobin(), List.of(server('a', 3).withMaxConns(2), server('b')));
        assertThat(picks.hold(6)).isEqualTo("aabbbb");
        assertThat(picks.currentWeights()).as("a gained nothing meanwhile").isEqualTo("-2,2");
        picks.release('a');
        assertThat(picks.hold(3)).isEqualTo("bab");
    }

    @Test
    void peersThatARequestHasTriedAreSkippedForItAlone() {
        Picks picks = picks(1, 1, 1);
        assertThat(picks.pickAfter("a")).isEqualTo("b");
        assertThat(picks.pickAfter("ab")).isEqualTo("c");
        assertThat(picks.pickAfter("abc")).isEqualTo("-");
        // a is at 0, b at -1, c at 1
        assertThat(picks.sequence(3)).isEqualTo("cab");
    }

    @Test
    void weightsGoOnAfterAChange() {
        Picks picks = picks(1, 1);
        assertThat(picks.sequence(4)).isEqualTo("abab");
        picks.configure(weights(3, 1));
        assertThat(picks.sequence(8)).isEqualTo("aabaaaba");
    }
}
