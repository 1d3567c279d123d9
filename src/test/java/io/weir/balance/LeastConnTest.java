package io.weir.balance;

import static io.weir.zone.Servers.server;
import static io.weir.zone.Servers.weights;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Least connections: spec section 8 and the table of 13.5, recorded from nginx. */
class LeastConnTest {

    private static Picks picks(int... weights) {
        return new Picks(new LeastConn(), weights(weights));
    }

    @Test
    void threeEqualPeersAllHeld() {
        assertThat(picks(1, 1, 1).hold(6)).isEqualTo("abccba");
    }

    @Test
    void twoToOneAllHeld() {
        assertThat(picks(2, 1).hold(6)).isEqualTo("ababaa");
    }

    @Test
    void threeEqualPeersOneAfterTheOther() {
        assertThat(picks(1, 1, 1).sequence(6)).isEqualTo("abcabc");
    }

    @Test
    void twoToOneOneAfterTheOther() {
        Picks picks = picks(2, 1);
        assertThat(picks.sequence(3)).isEqualTo("aba");
        assertThat(picks.sequence(3_000).chars().filter(c -> c == 'a')).hasSize(2_000);
    }

    @Test
    void fewestConnectionsPerWeight() {
        Picks picks = picks(1, 2, 9);
        for (int a = 0; a < 2; a++) {
            picks.zone.acquire(picks.peer('a'), picks.ticker.nanos());
        }
        for (int b = 0; b < 3; b++) {
            picks.zone.acquire(picks.peer('b'), picks.ticker.nanos());
        }
        // 2/1 against 3/2
        assertThat(picks.pickAfter("c")).isEqualTo("b");
    }

    @Test
    void weightsStayUntouchedWithoutATie() {
        Picks picks = picks(1, 1);
        assertThat(picks.hold(1)).isEqualTo("a");
        String before = picks.currentWeights();
        assertThat(picks.hold(1)).isEqualTo("b");
        assertThat(picks.currentWeights()).isEqualTo(before);
    }

    @Test
    void fullAndFailedPeersAreSkipped() {
        Picks picks = new Picks(new LeastConn(), List.of(server('a').withMaxConns(1), server('b'), server('c')));
        picks.fail('b');
        assertThat(picks.hold(4)).isEqualTo("accc");
        assertThat(picks.pickAfter("c")).isEqualTo("-");
    }
}
