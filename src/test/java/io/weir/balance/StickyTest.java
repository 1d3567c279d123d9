package io.weir.balance;

import static io.weir.zone.Servers.down;
import static io.weir.zone.Servers.server;
import static io.weir.zone.Servers.weights;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.config.AdminState;
import io.weir.config.RequestValues;
import io.weir.config.ServerConfig;
import io.weir.config.Template;
import io.weir.zone.PeerIndex;
import io.weir.zone.PeerSpec;
import io.weir.zone.Zone;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Affinity around a method: spec section 12.1 and the tables of 13.10 and 13.11, recorded from nginx. */
class StickyTest {

    private Picks picks = picks(new RoundRobin(), weights(1, 1, 1));

    private static Picks picks(BalancingMethod method, List<ServerConfig> servers) {
        return new Picks(sticky(method), servers);
    }

    /** Requests are bound by their key. */
    private static Sticky sticky(BalancingMethod method) {
        return new Sticky(method, request -> request.value(Template.parse("$cookie_srv")));
    }

    private String bound(char letter) {
        return picks.request(Values.key(picks.peer(letter).sid())).attempt();
    }

    private String bound(char letter, int count) {
        StringBuilder letters = new StringBuilder();
        for (int i = 0; i < count; i++) {
            letters.append(bound(letter));
        }
        return letters.toString();
    }

    @Test
    void boundRequestsTakeTurnsFromTheirPeer() {
        assertThat(picks.sequence(1)).isEqualTo("a");
        assertThat(bound('b', 6)).isEqualTo("bbbbbb");
        assertThat(picks.sequence(8)).isEqualTo("cacabcab");
        assertThat(bound('c', 4)).isEqualTo("cccc");
        StringBuilder unknown = new StringBuilder();
        for (int i = 0; i < 4; i++) {
            unknown.append(picks.request(Values.key("nobody")).attempt());
        }
        assertThat(unknown).hasToString("abab");
    }

    @Test
    void drainingPeerTakesBoundRequestsAlone() {
        picks = picks(new RoundRobin(), List.of(server('a'), server('b').withState(AdminState.DRAIN), server('c')));
        assertThat(bound('b')).isEqualTo("b");
        assertThat(picks.sequence(6)).doesNotContain("b");
    }

    @Test
    void requestBoundToAPeerThatCannotTakeItGoesElsewhere() {
        picks = picks(
                new RoundRobin(), List.of(down(server('a')), server('b').withMaxConns(1), server('c'), server('d')));
        picks.fail('c');
        assertThat(bound('a')).as("down").isEqualTo("b");
        picks.zone.acquire(picks.peer('b'), picks.ticker.nanos());
        assertThat(bound('b')).as("full").isEqualTo("d");
        assertThat(bound('c')).as("failed").isEqualTo("d");
    }

    @Test
    void retryOfABoundRequestGoesElsewhere() {
        picks.request(Values.key(picks.peer('b').sid()));
        assertThat(picks.attempt()).isEqualTo("b");
        assertThat(picks.attempt()).isIn("a", "c");
    }

    @Test
    void otherMethodsLeaveWeightsAlone() {
        picks = picks(new LeastConn(), weights(1, 1, 1));
        picks.sequence(1);
        String before = picks.currentWeights();
        assertThat(bound('c')).isEqualTo("c");
        assertThat(picks.currentWeights()).isEqualTo(before);
    }

    @Test
    void worksAroundAHash() {
        picks = picks(new Hash(Template.parse("$arg_k")), weights(1, 1, 1));
        // the key of the hash and of the affinity are one here: user1 is a by hash
        assertThat(picks.request(Values.key("user1")).attempt()).isEqualTo("a");
        assertThat(bound('c')).isEqualTo("c");
    }

    @Test
    void firstOfSeveralWithOneRoute() {
        picks = picks(
                new RoundRobin(), List.of(route(server('a'), "x"), route(server('b'), "y"), route(server('c'), "y")));
        assertThat(picks.peer('a').sid()).isEqualTo("x");
        assertThat(bound('c', 3)).isEqualTo("bbb");
        picks.configure(List.of(route(server('a'), "y"), route(server('b'), "x"), route(server('c'), "z")));
        assertThat(picks.request(Values.key("x")).attempt()).isEqualTo("b");
    }

    private static ServerConfig route(ServerConfig s, String route) {
        return new ServerConfig(
                s.id(),
                s.address(),
                s.weight(),
                s.maxConns(),
                s.maxFails(),
                s.failTimeout(),
                s.slowStart(),
                s.backup(),
                s.state(),
                route);
    }

    private static String sid(SocketAddress address) {
        Zone zone = new Zone("g");
        zone.reconcile(List.of(new PeerSpec(ServerConfig.of(0, PeerSpec.print(address)), address)), 0);
        return zone.primary().peer(0).sid();
    }

    @Test
    void idsAreDigestsOfAddresses() throws Exception {
        assertThat(sid(new InetSocketAddress("127.0.0.1", 19101))).isEqualTo("fcd6d2d84f578c7cf43723b120257fda");
        assertThat(sid(new InetSocketAddress("127.0.0.1", 19102))).isEqualTo("7e64277c5fe1b05ce041851cad108bcc");
        assertThat(sid(new InetSocketAddress("10.0.0.1", 8080))).isEqualTo("05ef642f508b1e5b76612ddbd5f89a4c");
        assertThat(sid(new InetSocketAddress(InetAddress.getByName("2001:db8::1"), 80)))
                .isEqualTo("10d03ab3c5f4e9497a62d9762eeb4f98");
        assertThat(sid(UnixDomainSocketAddress.of("/run/app.sock"))).isEqualTo("939db79304b0f599c2c20969650359ab");
    }

    @Test
    void indexedRoundRobinLetsBoundRequestsCountAlike() {
        int[] weights = new Random(3).ints(40, 1, 9).toArray();
        List<ServerConfig> servers = new ArrayList<>();
        for (ServerConfig server : weights(weights)) {
            servers.add(server.withState(server.id() % 7 == 3 ? AdminState.DRAIN : AdminState.UP));
        }
        Picks plain = picks(new RoundRobin(), servers);
        Picks fast = new Picks(sticky(new RoundRobin()), servers);
        PeerIndex.Maker maker = (peers, configs, before) -> {
            List<PeerIndex> indexes = new ArrayList<>(sticky(new RoundRobin()).indexes(peers, configs, before));
            indexes.add(new RoundRobinIndex(peers, configs));
            return indexes;
        };
        fast.zone
                .prepare(io.weir.zone.Servers.specs(servers), maker, fast.ticker.nanos())
                .apply(fast.ticker.nanos());
        Random random = new Random(4);
        for (int i = 0; i < 20_000; i++) {
            RequestValues request = random.nextBoolean()
                    ? Values.key(plain.zone
                            .primary()
                            .peer(random.nextInt(weights.length))
                            .sid())
                    : Values.key("");
            assertThat(fast.request(request).attempt())
                    .isEqualTo(plain.request(request).attempt());
        }
        assertThat(fast.currentWeights()).isEqualTo(plain.currentWeights());
    }
}
