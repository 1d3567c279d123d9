package io.weir.balance;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.config.AdminState;
import io.weir.config.RequestValues;
import io.weir.config.ServerConfig;
import io.weir.config.TimeSpan;
import io.weir.zone.FailureReason;
import io.weir.zone.FakeTicker;
import io.weir.zone.Peer;
import io.weir.zone.PeerGroup;
import io.weir.zone.PeerIndex;
import io.weir.zone.PeerSnapshot;
import io.weir.zone.Servers;
import io.weir.zone.Zone;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The indexes of large groups pick as the plain scan does: two zones see the same requests, failures, retries and changes,
 * one is scanned and the other indexed, and every pick and every weight is compared; more than a million by each method.
 */
class IndexedPicksTest {

    /** One of the two zones. */
    private static final class Side {

        private final Zone zone = new Zone("g");
        private final BalancingMethod method;
        private final PeerIndex.Maker maker;
        private final List<Peer> held = new ArrayList<>();

        Side(BalancingMethod method, @Nullable BiFunction<List<Peer>, List<ServerConfig>, PeerIndex> index) {
            this.method = method;
            this.maker = index == null
                    ? PeerIndex.Maker.NONE
                    : (peers, servers, before) -> List.of(index.apply(peers, servers));
        }

        void configure(List<ServerConfig> servers, long now) {
            zone.prepare(Servers.specs(servers), maker, now).apply(now);
        }
    }

    private final Random random = new Random(5);
    private final FakeTicker ticker = new FakeTicker();
    private final List<ServerConfig> servers = new ArrayList<>();
    private Side plain = new Side(new RoundRobin(), null);
    private Side fast = plain;
    private int picks;

    private void compare(String method, int peers, String weights, int steps) {
        plain = method.equals("round_robin") ? new Side(new RoundRobin(), null) : new Side(new LeastConn(), null);
        fast = method.equals("round_robin")
                ? new Side(new RoundRobin(), RoundRobinIndex::new)
                : new Side(new LeastConn(), LeastConnIndex::new);
        for (int i = 0; i < peers; i++) {
            servers.add(server(i, weights, peers));
        }
        configure();
        for (int step = 0; step < steps; step++) {
            int dice = random.nextInt(1000);
            if (dice < 550) {
                request();
            } else if (dice < 990) {
                release();
            } else if (dice < 998) {
                ticker.advanceSeconds(random.nextInt(8) / 4.0);
            } else if (random.nextInt(peers) < 20) {
                change(weights);
            }
        }
        compareStates();
        while (!plain.held.isEmpty()) {
            release();
        }
    }

    private ServerConfig server(int id, String weights, int peers) {
        int weight = switch (weights) {
            case "equal" -> 1;
            case "few" -> 1 + random.nextInt(5);
            default -> 1 + random.nextInt(10 * peers);
        };
        ServerConfig server = ServerConfig.of(id, "127.0.0.1:" + (9000 + id))
                .withWeight(weight)
                .withFails(random.nextInt(4), random.nextInt(4) + "s")
                .withMaxConns(random.nextInt(4) == 0 ? 1 + random.nextInt(3) : 0)
                .withState(
                        random.nextInt(8) > 0
                                ? AdminState.UP
                                : random.nextBoolean() ? AdminState.DOWN : AdminState.DRAIN);
        return random.nextInt(3) > 0
                ? server
                : Servers.slowStart(server, TimeSpan.parse("3s").text());
    }

    private void change(String weights) {
        for (int changes = 1 + random.nextInt(3); changes > 0; changes--) {
            int at = random.nextInt(servers.size());
            servers.set(at, server(servers.get(at).id(), weights, servers.size()));
        }
        if (random.nextInt(4) == 0) {
            servers.add(random.nextInt(servers.size()), servers.remove(random.nextInt(servers.size())));
        }
        compareStates();
        configure();
    }

    private void configure() {
        plain.configure(servers, ticker.nanos());
        fast.configure(servers, ticker.nanos());
    }

    /** A request and, for some, its retries; the last attempt is held. */
    private void request() {
        Selection one = new Selection(RequestValues.NONE);
        Selection other = new Selection(RequestValues.NONE);
        int retries = random.nextInt(10) == 0 ? random.nextInt(6) : 0;
        for (int attempt = 0; attempt <= retries; attempt++) {
            Peer expected = pick(plain, one, attempt == 0);
            Peer actual = pick(fast, other, attempt == 0);
            picks++;
            assertThat(actual == null ? -1 : actual.place())
                    .as("pick %d", picks)
                    .isEqualTo(expected == null ? -1 : expected.place());
            if (expected == null || actual == null) {
                return;
            }
            if (attempt == retries) {
                plain.held.add(expected);
                fast.held.add(actual);
                return;
            }
            plain.zone.release(expected, ticker.nanos(), FailureReason.RESET);
            fast.zone.release(actual, ticker.nanos(), FailureReason.RESET);
            one.addTried(expected);
            other.addTried(actual);
        }
    }

    private @Nullable Peer pick(Side side, Selection selection, boolean first) {
        selection.begin(ticker.nanos(), first ? Selection.NOBODY : side.zone.nextMark());
        PeerGroup group = side.zone.primary();
        Peer peer = side.method.select(group, selection);
        if (peer != null) {
            side.zone.acquire(peer, ticker.nanos());
        }
        return peer;
    }

    private void release() {
        if (plain.held.isEmpty()) {
            return;
        }
        int at = random.nextInt(plain.held.size());
        FailureReason failure = random.nextInt(20) == 0 ? FailureReason.RESET : null;
        plain.zone.release(plain.held.remove(at), ticker.nanos(), failure);
        fast.zone.release(fast.held.remove(at), ticker.nanos(), failure);
    }

    private void compareStates() {
        List<PeerSnapshot> expected = plain.zone.snapshot(ticker.nanos()).peers();
        List<PeerSnapshot> actual = fast.zone.snapshot(ticker.nanos()).peers();
        assertThat(actual.stream().map(IndexedPicksTest::state).toList())
                .isEqualTo(expected.stream().map(IndexedPicksTest::state).toList());
    }

    private static String state(PeerSnapshot p) {
        return p.id() + " " + p.currentWeight() + " " + p.effectiveWeight() + " " + p.conns() + " " + p.fails();
    }

    @ParameterizedTest
    @CsvSource({
        "round_robin, 2, distinct, 50000",
        "round_robin, 3, few, 100000",
        "round_robin, 30, equal, 500000",
        "round_robin, 30, few, 500000",
        "round_robin, 50, distinct, 600000",
        "round_robin, 1500, equal, 20000",
        "round_robin, 1500, few, 20000",
        "round_robin, 1500, distinct, 20000",
        "least_conn, 2, distinct, 50000",
        "least_conn, 3, few, 100000",
        "least_conn, 30, equal, 500000",
        "least_conn, 30, few, 500000",
        "least_conn, 50, distinct, 600000",
        "least_conn, 1500, equal, 20000",
        "least_conn, 1500, few, 20000",
        "least_conn, 1500, distinct, 20000"
    })
    void sameAsThePlainScan(String method, int peers, String weights, int steps) {
        compare(method, peers, weights, steps);
        assertThat(picks).isGreaterThan(steps / 2);
    }
}
