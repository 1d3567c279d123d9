package io.weir.proxy;

import static io.weir.config.NextUpstream.ERROR;
import static io.weir.config.NextUpstream.HTTP_403;
import static io.weir.config.NextUpstream.HTTP_404;
import static io.weir.config.NextUpstream.HTTP_429;
import static io.weir.config.NextUpstream.HTTP_500;
import static io.weir.config.NextUpstream.HTTP_502;
import static io.weir.config.NextUpstream.HTTP_503;
import static io.weir.config.NextUpstream.HTTP_504;
import static io.weir.config.NextUpstream.INVALID_HEADER;
import static io.weir.config.NextUpstream.NON_IDEMPOTENT;
import static io.weir.config.NextUpstream.OFF;
import static io.weir.config.NextUpstream.TIMEOUT;
import static io.weir.proxy.Proxy.group;
import static io.weir.proxy.Proxy.settings;
import static io.weir.proxy.RouteSpec.answering;
import static io.weir.proxy.RouteSpec.to;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.config.KeepaliveConfig;
import io.weir.config.NextUpstream;
import io.weir.config.ProxySettings;
import io.weir.config.RouteConfig;
import io.weir.config.TimeSpan;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** When a request moves on to the next peer: proxying.md sections 3, 4 and 5. */
@ExtendWith(Leaks.class)
class NextUpstreamTest {

    private static final String GET = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
    private static final String POST = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab";

    private static ProxySettings next(NextUpstream... conditions) {
        return settings("5s", "5s", "5s", conditions);
    }

    private static ProxySettings tries(int tries, String timeout, ProxySettings s) {
        return new ProxySettings(
                s.connectTimeout(), s.sendTimeout(), s.readTimeout(), s.nextUpstream(), tries, TimeSpan.parse(timeout));
    }

    private static RouteConfig app(ProxySettings settings) {
        return to("app").proxy(settings).telling().route();
    }

    /** Closes once it has read a request. */
    private static Backend dropping() {
        return Backend.with(Backend.Connection::readRequest);
    }

    private static Backend failing(int status) {
        return Backend.replying("HTTP/1.1 " + status + " No\r\nContent-Length: 2\r\n\r\nno");
    }

    private static int[] fails(Proxy proxy) {
        return proxy.peers("app").stream().mapToInt(peer -> peer.fails()).toArray();
    }

    /** How a peer may fail before its response head is complete. */
    enum Failure {
        CLOSED(ERROR, 502),
        RESET(ERROR, 502),
        CLOSED_IN_STATUS_LINE(ERROR, 502),
        CLOSED_IN_HEAD(ERROR, 502),
        RESET_IN_HEAD(ERROR, 502),
        SILENT(TIMEOUT, 504),
        SILENT_IN_HEAD(TIMEOUT, 504),
        NO_STATUS_LINE(INVALID_HEADER, 502),
        BAD_FIELD(INVALID_HEADER, 502),
        LARGE_HEAD(INVALID_HEADER, 502);

        final NextUpstream condition;
        final int status;

        Failure(NextUpstream condition, int status) {
            this.condition = condition;
            this.status = status;
        }

        void fail(Backend.Connection connection) throws java.io.IOException, InterruptedException {
            connection.readRequest();
            switch (this) {
                case CLOSED -> {}
                case RESET -> connection.reset();
                case CLOSED_IN_STATUS_LINE -> connection.write("HTTP/1.");
                case CLOSED_IN_HEAD -> connection.write("HTTP/1.1 200 OK\r\nContent-Le");
                case RESET_IN_HEAD -> {
                    connection.write("HTTP/1.1 200 OK\r\nContent-Le");
                    connection.reset();
                }
                case SILENT -> connection.readRequest();
                case SILENT_IN_HEAD -> {
                    connection.write("HTTP/1.1 200 OK\r\nContent-Le");
                    connection.readRequest();
                }
                case NO_STATUS_LINE -> connection.write("220 mail.example ESMTP\r\n\r\n");
                case BAD_FIELD -> connection.write("HTTP/1.1 200 OK\r\nno colon\r\n\r\n");
                case LARGE_HEAD -> connection.write("HTTP/1.1 200 OK\r\nA: " + "a".repeat(40_000) + "\r\n\r\n");
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void failureMovesOnIfListed(Failure failure) throws Exception {
        try (Backend a = Backend.with(failure::fail);
                Backend b = Backend.saying("b");
                Proxy proxy = Proxy.start(
                        List.of(group("app", a.address(), b.address())),
                        app(settings("5s", "5s", "200ms", failure.condition)))) {
            Client.Response response = Client.get(proxy.port(), "/");
            assertThat(response.body()).isEqualTo("b");
            assertThat(response.field("X-Upstream")).isEqualTo(a.address() + ", " + b.address());
            assertThat(response.field("X-Attempts")).isEqualTo(failure.status + ", 200");
            assertThat(fails(proxy)).containsExactly(1, 0);
        }
    }

    /** proxying.md 4: error, timeout and invalid_header count as failures, listed or not. */
    @ParameterizedTest
    @EnumSource
    void failureThatIsNotListedIsAnswered(Failure failure) throws Exception {
        try (Backend a = Backend.with(failure::fail);
                Backend b = Backend.saying("b");
                Proxy proxy = Proxy.start(
                        List.of(group("app", a.address(), b.address())),
                        app(settings("5s", "5s", "200ms", HTTP_500)))) {
            Client.Response response = Client.get(proxy.port(), "/");
            assertThat(response.status()).isEqualTo(failure.status);
            assertThat(response.field("X-Attempts")).isEqualTo("" + failure.status);
            assertThat(fails(proxy)).containsExactly(1, 0);
        }
    }

    /** proxying.md 5.1: a refused connect does not begin the sending, so a POST moves on. */
    @Test
    void postMovesOnAfterARefusedConnect() throws Exception {
        int dead = Proxy.freePort();
        try (Backend b = Backend.echoing();
                Proxy proxy = Proxy.start(List.of(group("app", "127.0.0.1:" + dead, b.address())), app(next(ERROR)));
                Client client = Client.to(proxy.port())) {
            Client.Response response = client.request(POST);
            assertThat(response.field("X-Attempts")).isEqualTo("502, 200");
            assertThat(response.body()).endsWith("\r\n\r\nab");
        }
    }

    /** proxying.md 5.3 [V31] */
    @Test
    void postIsNotSentTwice() throws Exception {
        try (Backend a = dropping();
                Backend b = Backend.saying("b");
                Proxy proxy = Proxy.start(List.of(group("app", a.address(), b.address())), app(next(ERROR, TIMEOUT)));
                Client client = Client.to(proxy.port())) {
            Client.Response response = client.request(POST);
            assertThat(response.status()).isEqualTo(502);
            assertThat(response.field("X-Attempts")).isEqualTo("502");
            assertThat(fails(proxy)).containsExactly(1, 0);
            assertThat(b.connections()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"POST", "LOCK", "PATCH"})
    void nonIdempotentLetsAnyMethodMoveOn(String method) throws Exception {
        try (Backend a = dropping();
                Backend b = Backend.echoing();
                Proxy proxy =
                        Proxy.start(List.of(group("app", a.address(), b.address())), app(next(ERROR, NON_IDEMPOTENT)));
                Client client = Client.to(proxy.port())) {
            Client.Response response = client.request(method + " / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab");
            assertThat(response.field("X-Attempts")).isEqualTo("502, 200");
            assertThat(response.body()).endsWith("\r\n\r\nab");
        }
    }

    /** proxying.md 5.1: PUT, DELETE and custom methods count as idempotent. */
    @ParameterizedTest
    @ValueSource(strings = {"PUT", "DELETE", "PURGE"})
    void idempotentMethodsAreSentAgainWithTheirBody(String method) throws Exception {
        try (Backend a = dropping();
                Backend b = Backend.echoing();
                Proxy proxy = Proxy.start(List.of(group("app", a.address(), b.address())), app(next(ERROR)));
                Client client = Client.to(proxy.port())) {
            Client.Response response = client.request(method + " / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab");
            assertThat(response.field("X-Attempts")).isEqualTo("502, 200");
            assertThat(response.body()).endsWith("\r\n\r\nab");
        }
    }

    @Test
    void chunkedBodyIsSentAgain() throws Exception {
        try (Backend a = dropping();
                Backend b = Backend.echoing();
                Proxy proxy = Proxy.start(List.of(group("app", a.address(), b.address())), app(next(ERROR)));
                Client client = Client.to(proxy.port())) {
            Client.Response response = client.request("PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + "3\r\nabc\r\n" + "2;x=y\r\nde\r\n" + "0\r\nX-Trailer: t\r\n\r\n");
            assertThat(response.field("X-Attempts")).isEqualTo("502, 200");
            assertThat(response.body()).endsWith("\r\n\r\nabcde");
        }
    }

    /** Differs from nginx: what is kept for a retry has a limit, of 64 KiB. */
    @ParameterizedTest
    @ValueSource(ints = {60_000, 200_000})
    void longBodyIsSentAgainAsLongAsItIsKept(int length) throws Exception {
        try (Backend a = dropping();
                Backend b = Backend.with(connection -> {
                    connection.readRequest();
                    String got = "" + connection.body().length;
                    connection.write("HTTP/1.1 200 OK\r\nContent-Length: " + got.length() + "\r\n\r\n" + got);
                });
                Proxy proxy = Proxy.start(
                        List.of(group("app", a.address(), b.address())),
                        to("app")
                                .proxy(next(ERROR))
                                .streamingRequests()
                                .telling()
                                .route());
                Client client = Client.to(proxy.port())) {
            Client.Response response = client.request(
                    "PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: " + length + "\r\n\r\n" + "a".repeat(length));
            if (length <= 64 * 1024) {
                assertThat(response.body()).isEqualTo("" + length);
            } else {
                // proxying.md 5.1 rule 4
                assertThat(response.status()).isEqualTo(502);
                assertThat(b.connections()).isZero();
            }
            assertThat(fails(proxy)).containsExactly(1, 0);
        }
    }

    @Test
    void bodyThatIsStillComingGoesOnToTheNextPeer() throws Exception {
        try (Backend a = Backend.with(Backend.Connection::readHead);
                Backend b = Backend.echoing();
                Proxy proxy = Proxy.start(
                        List.of(group("app", a.address(), b.address())),
                        to("app")
                                .proxy(next(ERROR))
                                .streamingRequests()
                                .telling()
                                .route());
                Client client = Client.to(proxy.port())) {
            client.send("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nab");
            org.awaitility.Awaitility.await().until(() -> b.connections() == 1);
            Client.Response response = client.request("cd");
            assertThat(response.field("X-Attempts")).isEqualTo("502, 200");
            assertThat(response.body()).endsWith("\r\n\r\nabcd");
        }
    }

    /** proxying.md 5.3 [V31] */
    @Test
    void lastOfTwoFailingStatusesIsDeliveredAndNotCounted() throws Exception {
        try (Backend a = failing(503);
                Backend b = failing(503);
                Proxy proxy = Proxy.start(List.of(group("app", a.address(), b.address())), app(next(HTTP_503)))) {
            Client.Response first = Client.get(proxy.port(), "/");
            assertThat(first.status()).isEqualTo(503);
            assertThat(first.body()).isEqualTo("no");
            assertThat(first.field("X-Attempts")).isEqualTo("503, 503");
            assertThat(fails(proxy)).containsExactly(1, 0);
            // one is out already: tries left still counts it, and nobody is left
            Client.Response second = Client.get(proxy.port(), "/");
            assertThat(second.status()).isEqualTo(502);
            assertThat(second.field("X-Attempts")).isEqualTo("503, 502");
            assertThat(second.field("X-Upstream")).isEqualTo(b.address() + ", app");
            assertThat(fails(proxy)).containsExactly(1, 1);
        }
    }

    /** proxying.md 4 and 5.3 [V31]: 403 and 404 are never a peer's failure. */
    @ParameterizedTest
    @ValueSource(ints = {403, 404})
    void harmlessStatusMovesOnWithoutBlame(int status) throws Exception {
        int dead = Proxy.freePort();
        try (Backend a = failing(status);
                Backend b = Backend.saying("b");
                Proxy proxy = Proxy.start(
                        List.of(group("app", a.address(), b.address())), app(next(ERROR, HTTP_403, HTTP_404)))) {
            Client.Response response = Client.get(proxy.port(), "/");
            assertThat(response.field("X-Attempts")).isEqualTo(status + ", 200");
            assertThat(fails(proxy)).containsExactly(0, 0);
            proxy.apply(List.of(group("app", a.address(), "127.0.0.1:" + dead)), app(next(ERROR, HTTP_403, HTTP_404)));
            for (int i = 0; i < 3; i++) {
                response = Client.get(proxy.port(), "/");
            }
            assertThat(response.status()).isEqualTo(502);
            assertThat(response.field("X-Attempts")).isEqualTo(status + ", 502");
            assertThat(fails(proxy)).containsExactly(0, 1);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"HTTP_429", "HTTP_500", "HTTP_502", "HTTP_503", "HTTP_504"})
    void listedStatusMovesOnAndIsCounted(NextUpstream condition) throws Exception {
        int status = Integer.parseInt(condition.text().substring(5));
        try (Backend a = failing(status);
                Backend b = Backend.saying("b");
                Proxy proxy = Proxy.start(List.of(group("app", a.address(), b.address())), app(next(condition)))) {
            Client.Response response = Client.get(proxy.port(), "/");
            assertThat(response.body()).isEqualTo("b");
            assertThat(response.field("X-Attempts")).isEqualTo(status + ", 200");
            assertThat(fails(proxy)).containsExactly(1, 0);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {403, 404, 429, 500, 502, 503, 504})
    void statusThatIsNotListedIsPassedOnWithItsBody(int status) throws Exception {
        try (Backend a = failing(status);
                Backend b = Backend.saying("b");
                Proxy proxy = Proxy.start(List.of(group("app", a.address(), b.address())), app(next(ERROR, TIMEOUT)))) {
            Client.Response response = Client.get(proxy.port(), "/");
            assertThat(response.status()).isEqualTo(status);
            assertThat(response.body()).isEqualTo("no");
            assertThat(fails(proxy)).containsExactly(0, 0);
        }
    }

    /** proxying.md 5.3 [V31] */
    @Test
    void postWithAListedStatusIsDelivered() throws Exception {
        try (Backend a = failing(503);
                Backend b = Backend.saying("b");
                Proxy proxy = Proxy.start(List.of(group("app", a.address(), b.address())), app(next(HTTP_503)));
                Client client = Client.to(proxy.port())) {
            Client.Response response = client.request(POST);
            assertThat(response.status()).isEqualTo(503);
            assertThat(response.body()).isEqualTo("no");
            assertThat(fails(proxy)).containsExactly(0, 0);
        }
    }

    /** proxying.md 5.3 [V31] */
    @Test
    void offNeverMovesOnButCounts() throws Exception {
        try (Backend a = dropping();
                Backend b = Backend.saying("b");
                Proxy proxy = Proxy.start(List.of(group("app", a.address(), b.address())), app(next(OFF)))) {
            Client.Response response = Client.get(proxy.port(), "/");
            assertThat(response.status()).isEqualTo(502);
            assertThat(fails(proxy)).containsExactly(1, 0);
        }
    }

    /** proxying.md 5.3 [V31] */
    @Test
    void oneTryAlwaysDeliversAndNeverCountsAStatus() throws Exception {
        try (Backend a = failing(503);
                Backend b = failing(503);
                Proxy proxy = Proxy.start(
                        List.of(group("app", a.address(), b.address())), app(tries(1, "0s", next(HTTP_503))))) {
            for (int i = 0; i < 4; i++) {
                Client.Response response = Client.get(proxy.port(), "/");
                assertThat(response.status()).isEqualTo(503);
                assertThat(response.field("X-Attempts")).isEqualTo("503");
            }
            assertThat(fails(proxy)).containsExactly(0, 0);
        }
    }

    /** proxying.md 5.3 [V31]: two tries, three peers, two dead first. */
    @Test
    void triesCapTheAttempts() throws Exception {
        try (Backend c = Backend.saying("c");
                Proxy proxy = Proxy.start(
                        List.of(group(
                                "app", "127.0.0.1:" + Proxy.freePort(), "127.0.0.1:" + Proxy.freePort(), c.address())),
                        app(tries(2, "0s", next(ERROR))))) {
            Client.Response response = Client.get(proxy.port(), "/");
            assertThat(response.status()).isEqualTo(502);
            assertThat(response.field("X-Attempts")).isEqualTo("502, 502");
            assertThat(Client.get(proxy.port(), "/").body()).isEqualTo("c");
        }
    }

    /** proxying.md 2 [V31]: 90 s limit with 60 s timeouts: attempts end at 60 and 120 s, then 504. */
    @Test
    void timeLimitGatesTheNextAttemptButInterruptsNone() throws Exception {
        MovableTicker ticker = new MovableTicker();
        Backend.Script silent = connection -> {
            connection.readRequest();
            connection.readRequest();
        };
        try (Backend a = Backend.with(silent);
                Backend b = Backend.with(silent);
                Backend c = Backend.with(silent);
                Proxy proxy = Proxy.start(
                        1,
                        ticker,
                        List.of(group("app", a.address(), b.address(), c.address())),
                        app(tries(0, "90s", settings("60s", "60s", "60s", TIMEOUT))),
                        answering("turn").exact("/turn").route());
                Client client = Client.to(proxy.port())) {
            client.send(GET);
            for (Backend silentOne : List.of(a, b)) {
                await().until(() -> silentOne.requests().size() == 1);
                proxy.awaitTurn("/turn");
                ticker.skip(Duration.ofSeconds(61));
            }
            Client.Response response = client.read();
            assertThat(response.status()).isEqualTo(504);
            assertThat(response.field("X-Attempts")).isEqualTo("504, 504");
            assertThat(c.connections()).isZero();
        }
    }

    /** proxying.md 3 [V31]: no eligible peer. */
    @Test
    void nobodyEligibleIsBadGateway() throws Exception {
        try (Backend a = Backend.saying("a");
                Proxy proxy = Proxy.start(
                        List.of(group(
                                "app",
                                KeepaliveConfig.DEFAULT,
                                s -> s.withState(io.weir.config.AdminState.DOWN),
                                a.address())),
                        app(ProxySettings.DEFAULT))) {
            Client.Response response = Client.get(proxy.port(), "/");
            assertThat(response.status()).isEqualTo(502);
            assertThat(response.field("X-Upstream")).isEqualTo("app");
            assertThat(response.field("X-Attempts")).isEqualTo("502");
        }
    }

    /** Once a byte of the response went out there is no other peer: proxying.md 1.6. */
    @Test
    void nothingMovesOnAfterTheHead() throws Exception {
        try (Backend a = Backend.with(connection -> {
                    connection.readRequest();
                    connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc");
                });
                Backend b = Backend.saying("b");
                Proxy proxy = Proxy.start(List.of(group("app", a.address(), b.address())), app(next(ERROR, TIMEOUT)));
                Client client = Client.to(proxy.port())) {
            assertThat(client.send(GET).readAll())
                    .startsWith("HTTP/1.1 200 OK\r\n")
                    .endsWith("\r\n\r\nabc");
            assertThat(b.connections()).isZero();
            // proxying.md 8.4: released as OK
            assertThat(fails(proxy)).containsExactly(0, 0);
        }
    }

    @Test
    void manyDeadPeersAreTriedWithoutRecursion() throws Exception {
        String[] addresses = new String[600];
        for (int i = 0; i < 599; i++) {
            // 127/8 is all loopback, and nobody listens on port 1
            addresses[i] = "127.0." + (i / 250 + 1) + "." + (i % 250 + 1) + ":1";
        }
        try (Backend last = Backend.saying("last")) {
            addresses[599] = last.address();
            try (Proxy proxy =
                    Proxy.start(List.of(group("app", addresses)), to("app").route())) {
                assertThat(Client.get(proxy.port(), "/").body()).isEqualTo("last");
            }
        }
    }

    @Test
    void listedStatusesDoNotMixWithOthers() throws Exception {
        try (Backend a = failing(500);
                Backend b = Backend.saying("b");
                Proxy proxy = Proxy.start(
                        List.of(group("app", a.address(), b.address())),
                        app(next(HTTP_429, HTTP_502, HTTP_503, HTTP_504)))) {
            assertThat(Client.get(proxy.port(), "/").status()).isEqualTo(500);
        }
    }
}
