package io.weir.balance;

import static io.weir.zone.Servers.server;
import static io.weir.zone.Servers.slowStart;
import static io.weir.zone.Servers.weights;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.config.GroupProtocol;
import io.weir.config.MethodSpec;
import io.weir.zone.Peer;
import io.weir.zone.PeerTimes;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Least time: spec section 9. */
class LeastTimeTest {

    private final Map<Character, Double> seconds = new HashMap<>();
    private Picks picks = header(1, 1);

    private static BalancingMethod method(String by, boolean inFlight) {
        return method(GroupProtocol.HTTP, by, inFlight);
    }

    private static BalancingMethod method(GroupProtocol protocol, String by, boolean inFlight) {
        return BalancingMethods.create(
                new MethodSpec("least_time", Map.of("by", by, "inflight", inFlight)),
                protocol,
                new SplittableRandom(1));
    }

    private static Picks header(int... weights) {
        return new Picks(method("header", false), weights(weights));
    }

    private PeerTimes times(char letter) {
        return picks.peer(letter).times();
    }

    /** Requests one after the other; each takes what its peer takes to the head, and as long again to the end. */
    private String sequence(int count) {
        StringBuilder letters = new StringBuilder();
        for (int i = 0; i < count; i++) {
            letters.append(picks.timed(seconds));
        }
        return letters.toString();
    }

    @Test
    void slowPeerIsLeftAloneAfterItsFirstAnswer() {
        // seen on nginx
        seconds.put('b', 0.06);
        assertThat(sequence(8)).isEqualTo("abaaaaaa");
    }

    @Test
    void slowPeerGetsCheaperWithEachFailTimeout() {
        seconds.put('b', 0.06);
        sequence(3);
        picks.ticker.advanceSeconds(11);
        // 60 becomes 30, which is still more than 20
        assertThat(sequence(2)).isEqualTo("aa");
        picks.ticker.advanceSeconds(11);
        // a is idle for 11 s as well; b's 60 >> 2 counts as 20 and a's 0 too
        assertThat(sequence(2)).contains("b");
    }

    @Test
    void averagesCountANewTimeOneTwentieth() {
        PeerTimes times = times('a');
        times.addHeader(100);
        assertThat(times.headerMillis()).isEqualTo(100);
        times.addHeader(200);
        assertThat(times.headerMillis()).isEqualTo(105);
        times.addHeader(0);
        assertThat(times.headerMillis()).as("99.75 and a half").isEqualTo(100);
        assertThat(times.responseMillis()).isZero();
    }

    @Test
    void connectionsMultiplyTheTime() {
        seconds.put('a', 0.065);
        sequence(2);
        // a counts 80 for each, b 20
        assertThat(picks.hold(5)).as("20, 40, 60, then a tie at 80").startsWith("bbb");
        assertThat(picks.peer('b').conns()).isGreaterThanOrEqualTo(3);
    }

    @Test
    void moreThanFiveSecondsAreFive() {
        picks = new Picks(
                method("header", false),
                List.of(server('a').withFails(1, "1h"), server('b').withFails(1, "1h")));
        seconds.put('a', 6.0);
        seconds.put('b', 60.0);
        assertThat(sequence(6)).as("ties from the third on").isEqualTo("abbaba");
    }

    @Test
    void weightDividesTheTime() {
        picks = header(1, 4);
        seconds.put('a', 0.01);
        seconds.put('b', 0.05);
        // 20 / 1 against 60 / 4
        assertThat(sequence(8)).endsWith("bbbbb");
    }

    @Test
    void ceilingOfSlowStartIsTheWeight() {
        picks = new Picks(method("header", false), List.of(server('a', 10)));
        picks.configure(List.of(server('a', 10), slowStart(server('b', 10), "10s")));
        picks.ticker.advanceSeconds(2);
        // shares of 10 to 2
        assertThat(picks.hold(12).chars().filter(c -> c == 'b')).hasSizeBetween(1, 3);
    }

    @Test
    void lastByteGoesByTheWholeResponse() {
        picks = new Picks(method("last_byte", false), weights(1, 1));
        seconds.put('b', 0.015);
        // the head comes after 15 ms, which is nothing, and the end after 30
        assertThat(sequence(6)).isEqualTo("abaaaa");
        assertThat(times('b').responseMillis()).isEqualTo(30);
        assertThat(times('b').headerMillis()).isEqualTo(15);
    }

    @Test
    void failedAttemptsTellNothingOfTheTime() {
        Peer a = picks.peer('a');
        method("header", false).ended(a, false, new Picks.Times(10_000_000, 70_000_000, 70_000_000), 0);
        method("header", false).ended(a, true, new Picks.Times(-1, -1, 70_000_000), 0);
        assertThat(a.times().headerMillis()).isZero();
        assertThat(a.times().responseMillis()).isZero();
    }

    @Test
    void streamsGoByTheTimeToConnect() {
        picks = new Picks(method(GroupProtocol.STREAM, "connect", false), weights(1, 1));
        seconds.put('b', 0.06);
        assertThat(sequence(8)).isEqualTo("abaaaaaa");
        assertThat(times('b').connectMillis()).isEqualTo(60);
    }

    @Test
    void streamsGoByTheFirstByteOrTheLast() {
        for (String by : List.of("first_byte", "last_byte")) {
            picks = new Picks(method(GroupProtocol.STREAM, by, false), weights(1, 1));
            seconds.put('b', 0.06);
            assertThat(sequence(8)).as(by).isEqualTo("abaaaaaa");
            assertThat(times('b').headerMillis()).isEqualTo(60);
            assertThat(times('b').responseMillis()).isEqualTo(120);
        }
    }

    @Test
    void sessionWithoutAnswerHasATimeNonetheless() {
        Peer a = picks.peer('a');
        method(GroupProtocol.STREAM, "last_byte", false).ended(a, true, new Picks.Times(5_000_000, -1, 70_000_000), 0);
        assertThat(a.times().connectMillis()).isEqualTo(5);
        assertThat(a.times().headerMillis()).isZero();
        assertThat(a.times().responseMillis()).isEqualTo(70);
    }

    @Test
    void sessionsThatStillConnectCount() {
        picks = new Picks(method(GroupProtocol.STREAM, "connect", true), weights(1, 1));
        assertThat(picks.holdTold(1)).isEqualTo("a");
        picks.ticker.advanceSeconds(1);
        assertThat(picks.holdTold(3)).isEqualTo("bbb");
        method(GroupProtocol.STREAM, "connect", true)
                .reached(picks.peer('a'), Milestone.CONNECTED, 1_000_000_000, picks.ticker.nanos());
        assertThat(times('a').connectMillis()).isEqualTo(1000);
        assertThat(times('a').lookAtWaiting(10_000)).as("nobody waits any more").isZero();
    }

    @Test
    void requestsThatStillWaitCount() {
        picks = new Picks(method("header", true), weights(1, 1));
        assertThat(picks.holdTold(1)).isEqualTo("a");
        picks.ticker.advanceSeconds(1);
        // b has nothing in flight; a is seen to wait for a second
        assertThat(picks.holdTold(3)).isEqualTo("bbb");
    }

    @Test
    void waitingIsReckonedForAllInFlight() {
        PeerTimes times = times('a');
        assertThat(times.lookAtWaiting(0)).isZero();
        times.waitBegins(0);
        times.waitBegins(100);
        // 100 and 0 so far, each 50 more: 75 + 25
        assertThat(times.lookAtWaiting(150)).isEqualTo(100);
        // 0.05 * (50 + 150) + 0.95 * 100
        assertThat(times.lookAtWaiting(250)).isEqualTo(105);
        times.waitEnds(250, 250);
        // 100 + 2 * 150 - 250 = 150 is left of the other
        assertThat(times.lookAtWaiting(350)).isEqualTo(Math.round(0.05 * 250 + 0.95 * 105));
        times.waitEnds(250, 350);
        assertThat(times.lookAtWaiting(400)).isZero();
        times.waitBegins(500);
        assertThat(times.lookAtWaiting(510)).isLessThan(115);
    }
}
