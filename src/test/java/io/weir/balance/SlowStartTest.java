package io.weir.balance;

import static io.weir.zone.Servers.down;
import static io.weir.zone.Servers.server;
import static io.weir.zone.Servers.slowStart;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.config.AdminState;
import io.weir.config.ServerConfig;
import io.weir.zone.PeerReason;
import io.weir.zone.PeerSnapshot;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The weight climbs as spec zone-and-dynamic section 7 proposes. */
class SlowStartTest {

    private static final ServerConfig A = server('a', 10);
    private static final ServerConfig B = slowStart(server('b', 10), "10s");

    private static Picks picks(BalancingMethod method, ServerConfig... servers) {
        return new Picks(method, List.of(servers));
    }

    private static long share(Picks picks, int requests) {
        return picks.sequence(requests).chars().filter(c -> c == 'b').count();
    }

    private static PeerSnapshot b(Picks picks) {
        return picks.zone.snapshot(picks.ticker.nanos()).peers().get(1);
    }

    @Test
    void newGroupStartsAtFullWeight() {
        Picks picks = picks(new RoundRobin(), A, B);
        assertThat(share(picks, 20)).isEqualTo(10);
        assertThat(b(picks).reasons()).isEmpty();
    }

    @Test
    void addedServerClimbsToItsWeight() {
        Picks picks = picks(new RoundRobin(), A);
        picks.configure(List.of(A, B));
        long before = 0;
        for (int second = 0; second < 10; second++) {
            // a gets 10 and b the ceiling, which is never below 1
            int ceiling = Math.max(1, second);
            assertThat(b(picks).effectiveWeight()).isEqualTo(ceiling);
            assertThat(b(picks).reasons()).isEqualTo(Set.of(PeerReason.WARMING));
            assertThat(b(picks).warmedPercent()).isEqualTo(10 * second);
            assertThat(b(picks).eligible()).isTrue();
            long share = share(picks, 10 + ceiling);
            assertThat(share).isEqualTo(ceiling).isGreaterThanOrEqualTo(before);
            before = share;
            picks.ticker.advanceSeconds(1);
        }
        assertThat(b(picks).reasons()).isEmpty();
        assertThat(b(picks).warmedPercent()).isEqualTo(-1);
        assertThat(share(picks, 20)).isEqualTo(10);
    }

    @ParameterizedTest
    @CsvSource({"DOWN", "DRAIN"})
    void serverThatComesBackClimbs(AdminState state) {
        Picks picks = picks(new RoundRobin(), A, B);
        picks.configure(List.of(A, B.withState(state)));
        picks.ticker.advanceSeconds(60);
        picks.configure(List.of(A, B));
        assertThat(b(picks).effectiveWeight()).isEqualTo(1);
        picks.ticker.advanceSeconds(5);
        assertThat(b(picks).effectiveWeight()).isEqualTo(5);
        assertThat(share(picks, 15)).isEqualTo(5);
    }

    @Test
    void peerThatPassedItsProbeClimbsByTimeAlone() {
        Picks picks = picks(new RoundRobin(), A, B);
        picks.fail('b');
        picks.ticker.advanceSeconds(11);
        picks.zone.acquire(picks.peer('b'), picks.ticker.nanos());
        picks.zone.release(picks.peer('b'), picks.ticker.nanos(), null);
        assertThat(b(picks).reasons()).isEqualTo(Set.of(PeerReason.WARMING));
        picks.ticker.advanceSeconds(7);
        assertThat(b(picks).effectiveWeight()).isEqualTo(7);
        picks.ticker.advanceSeconds(3);
        assertThat(b(picks).effectiveWeight()).isEqualTo(10);
    }

    @Test
    void successOfAPeerThatWasNotOutBeginsNothing() {
        Picks picks = picks(new RoundRobin(), A, B.withFails(2, "10s"));
        picks.fail('b');
        picks.ticker.advanceSeconds(11);
        assertThat(share(picks, 20)).isPositive();
        assertThat(b(picks).reasons()).isEmpty();
    }

    @Test
    void failureWhileWarmingLowersTheWeightBelowTheCeiling() {
        Picks picks = picks(new RoundRobin(), A);
        picks.configure(List.of(A, B.withFails(2, "10s")));
        picks.ticker.advanceSeconds(8);
        assertThat(b(picks).effectiveWeight()).isEqualTo(8);
        picks.fail('b');
        assertThat(b(picks).effectiveWeight()).isEqualTo(5);
    }

    @Test
    void leastConnUsesTheCeilingAsWeight() {
        Picks picks = picks(new LeastConn(), A);
        picks.configure(List.of(A, B));
        picks.ticker.advanceSeconds(2);
        // shares of 10 to 2
        String held = picks.hold(12);
        assertThat(held.chars().filter(c -> c == 'b')).hasSize(2);
        picks.ticker.advanceSeconds(8);
        assertThat(picks.hold(8)).as("b has room up to its full weight").isEqualTo("bbbbbbbb");
    }

    @Test
    void loneServerIsNotWarmed() {
        Picks picks = picks(new RoundRobin());
        picks.configure(List.of(slowStart(server('a', 10), "10s")));
        PeerSnapshot a = picks.zone.snapshot(picks.ticker.nanos()).peers().get(0);
        assertThat(a.effectiveWeight()).isEqualTo(10);
        assertThat(a.reasons()).isEmpty();
    }

    @Test
    void serverThatIsAddedDownDoesNotClimbUntilItIsUp() {
        Picks picks = picks(new RoundRobin(), A);
        picks.configure(List.of(A, down(B)));
        picks.ticker.advanceSeconds(60);
        picks.configure(List.of(A, B));
        assertThat(b(picks).effectiveWeight()).isEqualTo(1);
    }

    @Test
    void slowStartThatIsTakenAwayEnds() {
        Picks picks = picks(new RoundRobin(), A);
        picks.configure(List.of(A, B));
        picks.configure(List.of(A, slowStart(B, "0s")));
        assertThat(b(picks).effectiveWeight()).isEqualTo(10);
        assertThat(b(picks).reasons()).isEmpty();
    }

    @Test
    void longTimesAndLargeWeightsDoNotOverflow() {
        Picks picks = picks(new RoundRobin(), A);
        picks.configure(List.of(A, slowStart(server('b', 1_000_000), "3650d")));
        picks.ticker.advanceSeconds(3650.0 * 86_400 / 2);
        assertThat(b(picks).effectiveWeight()).isEqualTo(500_000);
    }
}
