package io.weir.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.control.Api;
import io.weir.proxy.Client;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Sessions through the packaged program, and what they outlive. balancing.md section 12, zone-and-dynamic.md section 5.1. */
class StickyIT {

    private enum Kind {
        COOKIE("{\"type\": \"cookie\", \"name\": \"srv\"}"),
        ROUTE("{\"type\": \"route\", \"values\": [\"$arg_route\"]}"),
        LEARN(
                "{\"type\": \"learn\", \"create\": \"$upstream_cookie_sid\", \"lookup\": \"$cookie_sid\", \"header\": true}");

        private final String sticky;

        Kind(String sticky) {
            this.sticky = sticky;
        }

        /** Of the group, and the first segment of what is asked of it. */
        private String group() {
            return name().toLowerCase(Locale.ROOT);
        }

        private String servers() {
            return "/api/v1/upstreams/" + group() + "/servers";
        }
    }

    /** Somebody who has been here before, and where. */
    private final class Session implements AutoCloseable {

        private final Browser browser;
        private final String target;
        private String place;

        private Session(String target) throws IOException {
            this.browser = Browser.open("127.0.0.1", port);
            this.target = target;
        }

        /** Over a new connection. */
        private Session again() throws IOException {
            Session again = new Session(target);
            again.browser.takeCookiesOf(browser);
            again.place = place;
            return again;
        }

        /** The server that answers now. */
        private String visit() throws IOException {
            Client.Response response = browser.get(target);
            assertThat(response.status()).isEqualTo(200);
            return response.body().substring(0, response.body().indexOf(' '));
        }

        private void assertStays() throws IOException {
            for (int i = 0; i < 4; i++) {
                assertThat(visit()).as(target).isEqualTo(place);
            }
        }

        @Override
        public void close() throws IOException {
            browser.close();
        }
    }

    private final List<MortalBackend> backends = new ArrayList<>();
    private final List<Session> sessions = new ArrayList<>();
    private final int port = Api.freePort();

    @BeforeEach
    void startBackends() {
        for (int i = 1; i <= 3; i++) {
            backends.add(MortalBackend.start("127.0.3." + i, 0));
        }
    }

    @AfterEach
    void close() throws IOException {
        for (Session session : sessions) {
            session.close();
        }
        backends.forEach(MortalBackend::close);
    }

    private void configure(Api api, Kind... kinds) {
        for (Kind kind : kinds) {
            String servers = IntStream.range(0, backends.size())
                    .mapToObj(i -> "{\"address\": \"" + backends.get(i).address() + "\", \"failTimeout\": \"1s\""
                            + (kind == Kind.ROUTE ? ", \"route\": \"r" + i + "\"}" : "}"))
                    .collect(Collectors.joining(","));
            expect(
                    201,
                    api.put(
                            "/api/v1/upstreams/" + kind.group(),
                            "{\"sticky\": " + kind.sticky + ", \"servers\": [" + servers + "]}"));
        }
        String routes = Stream.of(kinds)
                .map(kind -> "{\"name\": \"%1$s\", \"path\": {\"value\": \"/%1$s/\"}, \"upstream\": \"%1$s\"}"
                        .formatted(kind.group()))
                .collect(Collectors.joining(","));
        expect(
                201,
                api.put(
                        "/api/v1/listeners/test",
                        "{\"bind\": \"127.0.0.1\", \"port\": " + port + ", \"routes\": [" + routes + "]}"));
    }

    /** Six that have begun, two at each server. */
    private void begin(Kind kind) throws IOException {
        List<String> places = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            Session session = begun("/" + kind.group() + "/" + (kind == Kind.ROUTE ? "?route=r" + i % 3 : ""));
            sessions.add(session);
            places.add(session.place);
        }
        for (MortalBackend backend : backends) {
            assertThat(Collections.frequency(places, backend.address())).isEqualTo(2);
        }
    }

    private Session begun(String target) throws IOException {
        Session session = new Session(target);
        session.place = session.visit();
        return session;
    }

    private List<Session> at(MortalBackend backend) {
        return sessions.stream()
                .filter(session -> session.place.equals(backend.address()))
                .toList();
    }

    private void assertAllStay() throws IOException {
        for (Session session : sessions) {
            session.assertStays();
        }
    }

    /** Where so many who have not been here before are sent. */
    private Set<String> placesOfNew(Kind kind, int count) throws IOException {
        Set<String> places = new HashSet<>();
        for (int i = 0; i < count; i++) {
            try (Session session = begun("/" + kind.group() + "/")) {
                places.add(session.place);
            }
        }
        return places;
    }

    private static void expect(int status, Api.Reply reply) {
        assertThat(reply.status()).as(reply.text()).isEqualTo(status);
    }

    @ParameterizedTest
    @EnumSource
    void staysWhenWeightsChange(Kind kind) throws Exception {
        Api api = shared(kind);
        expect(200, api.patch(kind.servers() + "/1", "{\"weight\": 9}"));
        expect(200, api.patch(kind.servers() + "/2", "{\"weight\": 4}"));
        assertAllStay();
    }

    /** Those who are bound still get to the draining server, those who are not do not. */
    @ParameterizedTest
    @EnumSource
    void staysAtAServerThatIsDrained(Kind kind) throws Exception {
        Api api = shared(kind);
        expect(200, api.patch(kind.servers() + "/1", "{\"state\": \"drain\"}"));
        assertAllStay();
        assertThat(placesOfNew(kind, 8))
                .containsExactlyInAnyOrder(
                        backends.get(1).address(), backends.get(2).address());
        assertAllStay();
        expect(200, api.patch(kind.servers() + "/1", "{\"state\": \"up\"}"));
        assertThat(placesOfNew(kind, 8)).contains(backends.get(0).address());
    }

    /** Down is for everybody. */
    @ParameterizedTest
    @EnumSource
    void leavesAServerThatIsDown(Kind kind) throws Exception {
        Api api = shared(kind);
        expect(200, api.patch(kind.servers() + "/1", "{\"state\": \"down\"}"));
        for (Session session : at(backends.get(0))) {
            assertThat(session.visit()).isNotEqualTo(backends.get(0).address());
        }
        sessions.removeAll(closed(at(backends.get(0))));
        assertAllStay();
    }

    @ParameterizedTest
    @EnumSource
    void staysWhenAnotherServerIsRemoved(Kind kind) throws Exception {
        Api api = shared(kind);
        expect(204, api.delete(kind.servers() + "/3"));
        List<Session> homeless = at(backends.get(2));
        for (Session session : sessions) {
            if (!homeless.contains(session)) {
                session.assertStays();
            }
        }
        for (Session session : homeless) {
            session.place = session.visit();
            assertThat(session.place).isNotEqualTo(backends.get(2).address());
        }
        if (kind == Kind.ROUTE) {
            // a route that nobody has binds to nobody
            sessions.removeAll(closed(homeless));
        }
        assertAllStay();
    }

    /** Cookie and table name the server that answered in its place, also once it is back; a route is the client's own. */
    @ParameterizedTest
    @EnumSource
    void movesWhenItsServerFails(Kind kind) throws Exception {
        shared(kind);
        MortalBackend dead = backends.get(1);
        List<Session> moving = at(dead);
        dead.kill();
        for (Session session : moving) {
            String before = session.browser.cookie("srv");
            session.place = session.visit();
            assertThat(session.place).isNotEqualTo(dead.address());
            if (kind == Kind.COOKIE) {
                assertThat(session.browser.cookie("srv")).isNotEqualTo(before);
            }
        }
        if (kind != Kind.ROUTE) {
            assertAllStay();
        }
        dead.revive();
        await().until(() -> placesOfNew(kind, 1).contains(dead.address()));
        if (kind == Kind.ROUTE) {
            for (Session session : moving) {
                session.place = dead.address();
            }
        }
        assertAllStay();
    }

    private Api shared(Kind kind) throws IOException {
        Api api = WeirProcess.shared().api();
        api.clear();
        configure(api, kind);
        begin(kind);
        assertAllStay();
        return api;
    }

    private static List<Session> closed(List<Session> ended) throws IOException {
        for (Session session : ended) {
            session.close();
        }
        return ended;
    }

    /**
     * The id in a cookie and the route of a server are the same in every process. The table of what was learned is in memory,
     * as nginx's zone is; it holds again what servers begin from then on.
     */
    @Test
    void cookieAndRouteOutliveARestartAndTheTableDoesNot(@TempDir Path directory) throws Exception {
        try (WeirProcess weir = WeirProcess.start(directory)) {
            configure(weir.api(), Kind.values());
            for (Kind kind : Kind.values()) {
                begin(kind);
            }
            restart(weir);
            List<Session> learned = sessions.stream()
                    .filter(session -> session.target.startsWith("/learn/"))
                    .toList();
            sessions.removeAll(learned);
            assertThat(sessions).hasSize(12);
            assertAllStay();

            // who was known is balanced like anybody else: round robin goes once around
            Set<String> places = new HashSet<>();
            for (int i = 0; i < 3; i++) {
                places.add(learned.get(0).visit());
            }
            assertThat(places).hasSize(3);
            closed(learned);
            begin(Kind.LEARN);
            assertAllStay();
        }
    }

    /** The same people come back, over new connections. */
    private void restart(WeirProcess weir) throws IOException {
        closed(sessions);
        weir.terminate();
        weir.awaitExit();
        weir.start();
        List<Session> again = new ArrayList<>();
        for (Session session : sessions) {
            again.add(session.again());
        }
        sessions.clear();
        sessions.addAll(again);
    }
}
