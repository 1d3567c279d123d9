package io.weir.balance;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.config.ServerConfig;
import io.weir.zone.FakeTicker;
import io.weir.zone.Peer;
import io.weir.zone.Rounds;
import io.weir.zone.Servers;
import io.weir.zone.Zone;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TournamentTest {

    private static final int[] WEIGHTS = {5, 3, 1_000_000, 3, 999_999, 1, 1_000_000};

    private final List<ServerConfig> servers = Servers.weights(WEIGHTS);
    private final Zone zone = new Zone("g");

    private Peer[] peers() {
        zone.reconcile(Servers.specs(servers), new FakeTicker().nanos());
        return zone.primary().peers();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1L << 40, 1L << 61})
    void numberOfRoundsDoesNotMatter(long before) {
        Peer[] peers = peers();
        Tournament tournament = new Tournament(List.of(peers), servers, () -> new Rounds(before));
        for (Peer peer : peers) {
            tournament.put(peer, 0);
        }
        Picks expected = new Picks(new RoundRobin(), servers);
        for (int i = 0; i < 10_000; i++) {
            tournament.advance();
            Peer best = tournament.best();
            tournament.pay(best, tournament.leastRounds().totalWeight());
            assertThat(String.valueOf(Servers.letter(best.id()))).isEqualTo(expected.sequence(1));
        }
    }

    @Test
    void leastLoadComesFirstWhateverTheWeights() {
        Peer[] peers = peers();
        Tournament tournament = new Tournament(List.of(peers), servers);
        assertThat(tournament.leastLoad()).isEqualTo(Tournament.NOBODY);
        tournament.put(peers[2], 7);
        tournament.put(peers[5], 3);
        tournament.put(peers[0], 7);
        assertThat(tournament.best()).isSameAs(peers[5]);
        assertThat(tournament.leastLoad()).isEqualTo(3);
        tournament.put(peers[5], 8);
        assertThat(tournament.leastLoad()).isEqualTo(7);
        assertThat(tournament.leastRounds().totalWeight()).isEqualTo(1_000_005);
        tournament.remove(peers[2]);
        assertThat(tournament.best()).isSameAs(peers[0]);
        tournament.remove(peers[0]);
        assertThat(tournament.best()).isSameAs(peers[5]);
        tournament.remove(peers[5]);
        assertThat(tournament.leastLoad()).isEqualTo(Tournament.NOBODY);
    }

    /** Rounds of another load must not count for a peer that waits there. */
    @Test
    void peersOfAnotherLoadGainNothing() {
        Peer[] peers = peers();
        Tournament tournament = new Tournament(List.of(peers), servers);
        tournament.put(peers[0], 0);
        tournament.put(peers[1], 0);
        tournament.put(peers[2], 1);
        for (int i = 0; i < 4; i++) {
            tournament.advance();
            tournament.pay(tournament.best(), tournament.leastRounds().totalWeight());
        }
        assertThat(peers[2].currentWeight()).isZero();
        // 5 and 3: a b a a
        assertThat(peers[0].currentWeight()).isEqualTo(-4);
        assertThat(peers[1].currentWeight()).isEqualTo(4);
    }
}
