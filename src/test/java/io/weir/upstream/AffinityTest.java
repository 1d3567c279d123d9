package io.weir.upstream;

import static io.weir.zone.Servers.server;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.config.AdminState;
import io.weir.config.NextUpstream;
import io.weir.config.RequestValues;
import io.weir.config.ServerConfig;
import io.weir.config.StickyConfig;
import io.weir.config.Template;
import io.weir.config.TimeSpan;
import io.weir.zone.FailureReason;
import io.weir.zone.Peer;
import io.weir.zone.Servers;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Sticky sessions as requests see them: spec section 12. */
class AffinityTest {

    private static final StickyConfig COOKIE = new StickyConfig.Cookie("srv", "", "", "", false, false, "");
    private static final StickyConfig ROUTE =
            new StickyConfig.Route(List.of(Template.parse("$cookie_route"), Template.parse("$arg_route")));

    /** What a client and its server say. */
    private static final class Client implements RequestValues {

        private final Map<String, String> values = new HashMap<>();

        Client with(String variable, String value) {
            values.put(variable, value);
            return this;
        }

        @Override
        public String value(Template template) {
            return values.getOrDefault(template.text(), "");
        }

        @Override
        public @Nullable InetAddress clientAddress() {
            return null;
        }
    }

    private final Requests requests = new Requests();

    @AfterEach
    void nothingIsInProgress() {
        requests.assertAtRest();
    }

    private void configure(StickyConfig sticky, ServerConfig... servers) {
        requests.sticky(sticky).configure(servers);
    }

    private static StickyConfig learn(boolean header, int sessions) {
        return new StickyConfig.Learn(
                Template.parse("$upstream_cookie_sid"),
                Template.parse("$cookie_sid"),
                TimeSpan.parse("10m"),
                header,
                sessions);
    }

    /** A request that its first peer answers; that peer's letter. */
    private char serve(Client client) {
        PeerConnection connection = requests.open(client);
        Peer peer = Objects.requireNonNull(connection.get());
        connection.headerReceived(200);
        connection.responseChosen();
        connection.free(Outcome.OK, null);
        return Servers.letter(peer.id());
    }

    private static Client session(String id) {
        return new Client().with("$cookie_sid", id);
    }

    private static Client begun(String id) {
        return new Client().with("$upstream_cookie_sid", id);
    }

    @Test
    void cookieBringsTheClientBackAndTellsThePeerFinallyUsed() {
        configure(COOKIE, server('a'), server('b'), server('c'));
        PeerConnection first = requests.open(new Client());
        assertThat(first.sid()).isEmpty();
        first.get();
        String failed = first.sid();
        first.free(Outcome.FAILED, FailureReason.CONNECT);
        assertThat(first.mayRetry(NextUpstream.ERROR, false, true, true)).isTrue();
        Peer used = Objects.requireNonNull(first.get());
        first.free(Outcome.OK, null);
        assertThat(first.sid()).isEqualTo(used.sid()).isNotEqualTo(failed);
        for (int i = 0; i < 3; i++) {
            assertThat(serve(new Client().with("$cookie_srv", used.sid()))).isEqualTo(Servers.letter(used.id()));
        }
        assertThat(requests.group().stickyCookie()).isEqualTo(COOKIE);
    }

    @Test
    void boundClientStaysAcrossAWeightChangeAndADrain() {
        configure(COOKIE, server('a'), server('b'));
        serve(new Client());
        String sid = requests.group().zone().primary().peer(1).sid();
        Client client = new Client().with("$cookie_srv", sid);
        assertThat(serve(client)).isEqualTo('b');
        configure(COOKIE, server('a', 9), server('b', 2));
        assertThat(serve(client)).isEqualTo('b');
        configure(COOKIE, server('a', 9), server('b').withState(AdminState.DRAIN));
        assertThat(serve(client)).isEqualTo('b');
        assertThat(serve(new Client())).isEqualTo('a');
        configure(COOKIE, server('a', 9), server('b').withState(AdminState.DOWN));
        assertThat(serve(client)).isEqualTo('a');
    }

    @Test
    void boundClientStaysAcrossARestart() {
        configure(COOKIE, server('a'), server('b'), server('c'));
        Client client = new Client()
                .with("$cookie_srv", requests.group().zone().primary().peer(1).sid());
        Requests restarted = new Requests();
        restarted.sticky(COOKIE).configure(server('c'), server('a'), server('b'));
        PeerConnection connection = restarted.open(client);
        assertThat(Servers.letter(Objects.requireNonNull(connection.get()).id()))
                .isEqualTo('b');
        connection.free(Outcome.OK, null);
    }

    @Test
    void loneDrainingPeerTakesBoundRequestsAlone() {
        configure(COOKIE, server('a').withState(AdminState.DRAIN));
        String sid = requests.group().zone().primary().peer(0).sid();
        assertThat(serve(new Client().with("$cookie_srv", sid))).isEqualTo('a');
        assertThat(requests.open(new Client()).get()).isNull();
        assertThat(requests.open(new Client().with("$cookie_srv", "other")).get())
                .isNull();
    }

    @Test
    void firstRouteThatIsNotEmptyCounts() {
        configure(ROUTE, server('a'), server('b'), server('c'));
        String b = requests.group().zone().primary().peer(1).sid();
        assertThat(serve(new Client().with("$arg_route", b))).isEqualTo('b');
        assertThat(serve(new Client().with("$cookie_route", "none").with("$arg_route", b)))
                .isNotEqualTo('b');
        assertThat(requests.group().stickyCookie()).isNull();
    }

    @Test
    void backupIsFoundOnceTheRequestIsThere() {
        configure(
                ROUTE,
                server('a').withState(AdminState.DOWN),
                server('b').withBackup(true),
                server('c').withBackup(true));
        String c = requests.group().zone().backup().peer(1).sid();
        assertThat(serve(new Client().with("$arg_route", c))).isEqualTo('c');
    }

    @Test
    void sessionsStayWhereTheyBegan() {
        configure(learn(false, 100), server('a'), server('b'), server('c'));
        assertThat(serve(begun("one"))).isEqualTo('a');
        assertThat(serve(begun("two"))).isEqualTo('b');
        for (int i = 0; i < 4; i++) {
            assertThat(serve(session("one"))).isEqualTo('a');
            assertThat(serve(session("two"))).isEqualTo('b');
        }
        // another weight makes another configuration, and the table stays
        configure(learn(false, 50), server('a', 3), server('b'), server('c'));
        assertThat(serve(session("two"))).isEqualTo('b');
    }

    @Test
    void unknownSessionIsNotAddedByItsUse() {
        configure(learn(false, 100), server('a'), server('b'));
        assertThat(serve(session("one"))).isEqualTo('a');
        assertThat(serve(session("one"))).isEqualTo('b');
    }

    @Test
    void sessionMovesWithThePeerThatAnswered() {
        configure(learn(false, 100), server('a'), server('b'));
        assertThat(serve(begun("one"))).isEqualTo('a');
        PeerConnection connection = requests.open(session("one"));
        assertThat(Objects.requireNonNull(connection.get()).id()).isZero();
        connection.free(Outcome.FAILED, FailureReason.RESET);
        assertThat(connection.mayRetry(NextUpstream.ERROR, true, true, true)).isTrue();
        assertThat(Objects.requireNonNull(connection.get()).id()).isEqualTo(1);
        connection.headerReceived(200);
        connection.responseChosen();
        connection.free(Outcome.OK, null);
        requests.ticker.advanceSeconds(60);
        assertThat(serve(session("one"))).isEqualTo('b');
    }

    @Test
    void unusedSessionIsForgotten() {
        configure(learn(false, 100), server('a'), server('b'));
        serve(begun("one"));
        requests.ticker.advanceSeconds(599);
        assertThat(serve(session("one"))).isEqualTo('a');
        requests.ticker.advanceSeconds(599);
        assertThat(serve(session("one"))).as("its use has renewed it").isEqualTo('a');
        requests.ticker.advanceSeconds(600);
        assertThat(serve(session("one"))).isEqualTo('b');
    }

    @Test
    void headerModeKnowsTheSessionBeforeTheEnd() {
        configure(learn(true, 100), server('a'), server('b'));
        PeerConnection first = requests.open(begun("one"));
        first.get();
        first.headerReceived(200);
        assertThat(serve(session("one"))).as("not chosen yet").isEqualTo('b');
        first.responseChosen();
        assertThat(serve(session("one"))).isEqualTo('a');
        first.free(Outcome.OK, null);
    }

    @Test
    void leastRecentlyUsedSessionMakesRoom() {
        Sessions sessions = new Sessions(2, 1_000);
        sessions.use("one", "a", true, 0);
        sessions.use("two", "b", true, 1);
        sessions.use("one", "a", false, 2);
        sessions.use("three", "c", true, 3);
        assertThat(sessions.find("two", 3)).isNull();
        assertThat(sessions.find("one", 3)).isEqualTo("a");
        assertThat(sessions.size()).isEqualTo(2);
        sessions.limit(1, 1_000, 4);
        assertThat(sessions.find("three", 4)).isEqualTo("c");
        assertThat(sessions.size()).isEqualTo(1);
        sessions.use("four", "d", false, 2_000);
        assertThat(sessions.size()).as("run out").isZero();
    }

    @Test
    void affinityCanBeTakenAway() {
        configure(COOKIE, server('a'), server('b'));
        String sid = requests.group().zone().primary().peer(1).sid();
        configure(null, server('a'), server('b'));
        assertThat(serve(new Client().with("$cookie_srv", sid))).isEqualTo('a');
        assertThat(requests.group().stickyCookie()).isNull();
    }
}
