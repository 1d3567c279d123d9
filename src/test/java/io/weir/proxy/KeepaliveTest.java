package io.weir.proxy;

import static io.weir.proxy.Proxy.group;
import static io.weir.proxy.RouteSpec.to;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.config.KeepaliveConfig;
import io.weir.config.NextUpstream;
import io.weir.config.TimeSpan;
import io.weir.config.UpstreamConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Idle connections to upstreams: keepalive.md, above all its section 11. One event loop, so one cache. */
@ExtendWith(Leaks.class)
class KeepaliveTest {

    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

    private static KeepaliveConfig keepalive(
            int connections, boolean local, int requests, String time, String timeout) {
        return new KeepaliveConfig(connections, local, requests, TimeSpan.parse(time), TimeSpan.parse(timeout));
    }

    private static UpstreamConfig app(KeepaliveConfig keepalive, String... addresses) {
        return group("app", keepalive, s -> s, addresses);
    }

    /** Answers like this; a response is followed by the close of the connection if it says so or has no length. */
    private static Backend answering(String response, boolean closes) {
        return Backend.with(connection -> {
            while (connection.readRequest() != null) {
                connection.write(response);
                if (closes) {
                    return;
                }
            }
        });
    }

    private static void awaitIdle(Proxy proxy, int idle) {
        await().until(() -> proxy.group("app").snapshot().idle() == idle);
    }

    private static int fails(Proxy proxy) {
        return proxy.peers("app").get(0).fails();
    }

    @Test
    void threeRequestsTakeOneConnection() throws Exception {
        try (Backend backend = Backend.saying("a");
                Proxy proxy = Proxy.start(
                        1, List.of(group("app", backend.address())), to("app").route())) {
            for (int i = 0; i < 3; i++) {
                Client.get(proxy.port(), "/");
            }
            assertThat(backend.connections()).isEqualTo(1);
            // keepalive.md 6: idle connections do not count in conns
            assertThat(proxy.peers("app").get(0).conns()).isZero();
            awaitIdle(proxy, 1);
        }
    }

    @ParameterizedTest
    @CsvSource({"true, 2", "false, 1"})
    void localConnectionsBelongToTheirRoute(boolean local, int connections) throws Exception {
        try (Backend backend = Backend.saying("a");
                Proxy proxy = Proxy.start(
                        1,
                        List.of(app(keepalive(8, local, 1000, "1h", "60s"), backend.address())),
                        RouteSpec.named("a", new io.weir.config.RouteTarget.Upstream("app"))
                                .prefix("/a")
                                .route(),
                        RouteSpec.named("b", new io.weir.config.RouteTarget.Upstream("app"))
                                .prefix("/b")
                                .route())) {
            for (String target : List.of("/a", "/b", "/a", "/b", "/a")) {
                assertThat(Client.get(proxy.port(), target).body()).isEqualTo("a");
            }
            assertThat(backend.connections()).isEqualTo(connections);
        }
    }

    @Test
    void connectionServesAtMostItsRequests() throws Exception {
        List<Integer> served = new CopyOnWriteArrayList<>();
        try (Backend backend = Backend.with(connection -> {
                    int requests = 0;
                    while (connection.readRequest() != null) {
                        requests++;
                        connection.write(OK);
                    }
                    served.add(requests);
                });
                Proxy proxy = Proxy.start(
                        1,
                        List.of(app(keepalive(32, true, 2, "1h", "60s"), backend.address())),
                        to("app").route())) {
            for (int i = 0; i < 5; i++) {
                assertThat(Client.get(proxy.port(), "/").body()).isEqualTo("ok");
            }
            await().until(() -> served.size() == 2);
            assertThat(served).containsExactly(2, 2);
            assertThat(backend.connections()).isEqualTo(3);
        }
    }

    @Test
    void idleConnectionIsClosedAfterItsTimeout() throws Exception {
        MovableTicker ticker = new MovableTicker();
        try (Backend backend = Backend.saying("a");
                Proxy proxy = Proxy.start(
                        1,
                        ticker,
                        List.of(app(keepalive(32, true, 1000, "1d", "10m"), backend.address())),
                        to("app").route())) {
            Client.get(proxy.port(), "/");
            Client.get(proxy.port(), "/");
            assertThat(backend.connections()).isEqualTo(1);
            ticker.skip(java.time.Duration.ofMinutes(11));
            await().until(() -> backend.open() == 0);
            awaitIdle(proxy, 0);
            Client.get(proxy.port(), "/");
            assertThat(backend.connections()).isEqualTo(2);
        }
    }

    @Test
    void oldConnectionIsNotStoredAgain() throws Exception {
        MovableTicker ticker = new MovableTicker();
        try (Backend backend = Backend.saying("a");
                Proxy proxy = Proxy.start(
                        1,
                        ticker,
                        List.of(app(keepalive(32, true, 1000, "10s", "60s"), backend.address())),
                        to("app").route())) {
            Client.get(proxy.port(), "/");
            ticker.skip(java.time.Duration.ofSeconds(11));
            // keepalive.md 1: checked only when it would be stored
            Client.get(proxy.port(), "/");
            assertThat(backend.connections()).isEqualTo(1);
            Client.get(proxy.port(), "/");
            assertThat(backend.connections()).isEqualTo(2);
        }
    }

    @Test
    void noMoreThanTheLimitStayIdle() throws Exception {
        try (Backend backend = Backend.with(connection -> {
                    while (connection.readRequest() != null) {
                        connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n");
                        connection.readRequest();
                    }
                });
                Backend plain = Backend.saying("a");
                Proxy proxy = Proxy.start(
                        1,
                        List.of(app(keepalive(2, true, 1000, "1h", "60s"), plain.address())),
                        to("app").streamingRequests().route())) {
            assertThat(backend.connections()).isZero();
            List<Client> clients = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                // the body that is still to come keeps the connection in use
                clients.add(Client.to(proxy.port()).send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\na"));
            }
            await().until(() -> plain.connections() == 5);
            for (Client client : clients) {
                assertThat(client.request("b").body()).isEqualTo("a");
                client.close();
            }
            await().until(() -> plain.open() == 2);
            awaitIdle(proxy, 2);
        }
    }

    /** keepalive.md 5 */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "HTTP/1.0 200 OK;Content-Length: 2;;ok | true",
                "HTTP/1.0 200 OK;Content-Length: 2;Connection: keep-alive;;ok | false",
                "HTTP/1.1 200 OK;Content-Length: 2;Connection: close;;ok | true",
                "HTTP/1.1 200 OK;Content-Length: 2;Connection: keep-alive, Close;;ok | false",
                "HTTP/1.1 200 OK;Content-Length: 2;Connection: x-Closed;;ok | false",
                "HTTP/1.1 200 OK;Content-Length: 2;;okEXTRA | false",
                "HTTP/1.1 200 OK;Content-Length: 2;;ok; | false",
                "HTTP/1.1 200 OK;Content-Length: 2;;okHTTP/1.1 200 OK;Content-Length: 3;;bad | false",
                "HTTP/1.1 200 OK;Content-Length: 2;;okHTTP/1.1 junk;;;; | false",
                "HTTP/1.1 200 OK;Transfer-Encoding: chunked;;2;ok;0;;EXTRA | false",
                "HTTP/1.1 200 OK;Transfer-Encoding: chunked;;2;ok;0;;HTTP/1.1 junk;; | false",
                "HTTP/1.1 200 OK;;ok | true",
            })
    void responseThatForbidsItIsNotFollowedByAnother(String response, boolean closes) throws Exception {
        try (Backend backend = answering(response.replace(";", "\r\n"), closes);
                Proxy proxy = Proxy.start(
                        1, List.of(group("app", backend.address())), to("app").route());
                Client client = Client.to(proxy.port())) {
            for (int i = 1; i <= 3; i++) {
                // the client's own connection does not suffer
                Client.Response got = client.request("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
                assertThat(got.status()).isEqualTo(200);
                assertThat(got.body()).isEqualTo("ok");
                assertThat(backend.connections()).isEqualTo(i);
            }
            assertThat(fails(proxy)).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 204 No Content;;",
                "HTTP/1.1 304 Not Modified;Content-Length: 7;;",
                "HTTP/1.1 200 OK;Content-Length: 0;;",
                "HTTP/1.1 200 OK;Transfer-Encoding: chunked;;1;o;1;k;0;;",
                "HTTP/1.1 200 OK;Transfer-Encoding: chunked;;1;o;1;k;0;X-Trailer: t;;",
                "HTTP/1.1 100 Continue;;HTTP/1.1 200 OK;Content-Length: 2;;ok",
                "HTTP/1.1 404 Not Found;Content-Length: 2;;ok",
                "HTTP/1.1 500 No;Content-Length: 2;;ok",
                "HTTP/1.1 200 OK;Content-Length: 2;Keep-Alive: timeout=0;;ok"
            })
    void completeResponseIsFollowedByAnother(String response) throws Exception {
        try (Backend backend = answering(response.replace(";", "\r\n"), false);
                Proxy proxy = Proxy.start(
                        1, List.of(group("app", backend.address())), to("app").route());
                Client client = Client.to(proxy.port())) {
            for (int i = 0; i < 3; i++) {
                client.request("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
            }
            assertThat(backend.connections()).isEqualTo(1);
        }
    }

    @Test
    void headIsFollowedByAnother() throws Exception {
        try (Backend backend = answering("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n", false);
                Proxy proxy = Proxy.start(
                        1, List.of(group("app", backend.address())), to("app").route());
                Client client = Client.to(proxy.port())) {
            for (int i = 0; i < 3; i++) {
                assertThat(client.request("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n").field("Content-Length"))
                        .isEqualTo("1000");
            }
            assertThat(backend.connections()).isEqualTo(1);
        }
    }

    @Test
    void serverThatClosesWhileIdleIsNotNoticed() throws Exception {
        try (Backend backend = answering(OK, true);
                Proxy proxy = Proxy.start(
                        1,
                        List.of(group("app", backend.address())),
                        to("app").telling().route())) {
            for (int i = 0; i < 3; i++) {
                Client.Response response = Client.get(proxy.port(), "/");
                assertThat(response.field("X-Attempts")).isEqualTo("200");
                awaitIdle(proxy, 0);
            }
            assertThat(backend.connections()).isEqualTo(3);
            assertThat(fails(proxy)).isZero();
        }
    }

    /** keepalive.md 6: any unexpected byte. */
    @ParameterizedTest
    @ValueSource(strings = {"H", "\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nbad", "HTTP/1.1 200 OK\r\nCon"})
    void byteThatNobodyAskedForClosesAnIdleConnection(String surplus) throws Exception {
        List<Backend.Connection> connections = new CopyOnWriteArrayList<>();
        try (Backend backend = Backend.with(connection -> {
                    connections.add(connection);
                    while (connection.readRequest() != null) {
                        connection.write(OK);
                    }
                });
                Proxy proxy = Proxy.start(
                        1,
                        List.of(group("app", backend.address())),
                        to("app").telling().route())) {
            Client.get(proxy.port(), "/");
            awaitIdle(proxy, 1);
            connections.get(0).write(surplus);
            awaitIdle(proxy, 0);
            Client.Response response = Client.get(proxy.port(), "/");
            assertThat(response.body()).isEqualTo("ok");
            assertThat(response.field("X-Attempts")).isEqualTo("200");
            assertThat(backend.connections()).isEqualTo(2);
        }
    }

    /** Serves one request on each connection, and drops the connection on the next; but the last ones for good. */
    private static Backend dyingOnTheSecond(AtomicInteger lives) {
        return Backend.with(connection -> {
            connection.readRequest();
            connection.write(OK);
            while (connection.readRequest() != null && lives.decrementAndGet() < 0) {
                connection.write(OK);
            }
        });
    }

    /** keepalive.md 7.3 [V31]: retried on the same peer, with a new connection. */
    @Test
    void staleConnectionOfTheOnlyPeerIsReplaced() throws Exception {
        try (Backend backend = dyingOnTheSecond(new AtomicInteger(1));
                Proxy proxy = Proxy.start(
                        1,
                        List.of(group("app", backend.address())),
                        to("app").telling().route())) {
            assertThat(Client.get(proxy.port(), "/").field("X-Attempts")).isEqualTo("200");
            Client.Response second = Client.get(proxy.port(), "/");
            assertThat(second.status()).isEqualTo(200);
            assertThat(second.field("X-Attempts")).isEqualTo("502, 200");
        }
    }

    /** keepalive.md 7.3 [V31] */
    @Test
    void postOnAStaleConnectionIsNotSentAgain() throws Exception {
        String post = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\na";
        try (Backend backend = dyingOnTheSecond(new AtomicInteger(1));
                Proxy proxy = Proxy.start(
                        1,
                        List.of(group("app", backend.address())),
                        to("app").telling().route());
                Client client = Client.to(proxy.port())) {
            assertThat(client.request(post).status()).isEqualTo(200);
            Client.Response second = client.request(post);
            assertThat(second.status()).isEqualTo(502);
            assertThat(second.field("X-Attempts")).isEqualTo("502");
            assertThat(client.request(post).status()).isEqualTo(200);
        }
    }

    /** keepalive.md 7.1 and 7.3 [V31]: released as failed, the other peer answers. */
    @Test
    void staleConnectionOfOneOfTwoPeersTakesItOut() throws Exception {
        try (Backend a = dyingOnTheSecond(new AtomicInteger(1));
                Backend b = Backend.saying("b");
                Proxy proxy = Proxy.start(
                        1,
                        List.of(group("app", a.address(), b.address())),
                        to("app").telling().route())) {
            Client.get(proxy.port(), "/");
            Client.get(proxy.port(), "/");
            Client.Response third = Client.get(proxy.port(), "/");
            assertThat(third.body()).isEqualTo("b");
            assertThat(third.field("X-Attempts")).isEqualTo("502, 200");
            assertThat(fails(proxy)).isEqualTo(1);
            for (int i = 0; i < 3; i++) {
                assertThat(Client.get(proxy.port(), "/").body()).isEqualTo("b");
            }
        }
    }

    /** keepalive.md 7.5 [V31] */
    @Test
    void twoPeersWithNothingButStaleConnections() throws Exception {
        try (Backend a = dyingOnTheSecond(new AtomicInteger(1));
                Backend b = dyingOnTheSecond(new AtomicInteger(1));
                Proxy proxy = Proxy.start(
                        1,
                        List.of(group("app", a.address(), b.address())),
                        to("app").telling().route())) {
            Client.get(proxy.port(), "/");
            Client.get(proxy.port(), "/");
            Client.Response third = Client.get(proxy.port(), "/");
            assertThat(third.status()).isEqualTo(502);
            assertThat(third.field("X-Attempts")).isEqualTo("502, 502, 502");
            assertThat(third.field("X-Upstream")).isEqualTo(a.address() + ", " + b.address() + ", app");
        }
    }

    /** keepalive.md 7.6: ends by read_timeout, and no try is given back. */
    @Test
    void staleConnectionThatSaysNothingTimesOut() throws Exception {
        try (Backend backend = Backend.with(connection -> {
                    connection.readRequest();
                    connection.write(OK);
                    connection.readRequest();
                    connection.readRequest();
                });
                Proxy proxy = Proxy.start(
                        1,
                        List.of(group("app", backend.address())),
                        to("app")
                                .proxy(Proxy.settings("1s", "1s", "200ms", NextUpstream.ERROR, NextUpstream.TIMEOUT))
                                .telling()
                                .route())) {
            Client.get(proxy.port(), "/");
            Client.Response second = Client.get(proxy.port(), "/");
            assertThat(second.status()).isEqualTo(504);
            assertThat(second.field("X-Attempts")).isEqualTo("504");
        }
    }

    /** keepalive.md 7.3: without `error` there is no retry. */
    @Test
    void staleConnectionWithoutRetryIsBadGateway() throws Exception {
        try (Backend backend = dyingOnTheSecond(new AtomicInteger(1));
                Proxy proxy = Proxy.start(
                        1,
                        List.of(group("app", backend.address())),
                        to("app")
                                .proxy(Proxy.settings("1s", "1s", "1s", NextUpstream.OFF))
                                .route())) {
            assertThat(Client.get(proxy.port(), "/").status()).isEqualTo(200);
            assertThat(Client.get(proxy.port(), "/").status()).isEqualTo(502);
            assertThat(Client.get(proxy.port(), "/").status()).isEqualTo(200);
        }
    }

    /** keepalive.md 4.6: an early answer to an unfinished upload. */
    @Test
    void connectionWithAnUnfinishedRequestIsNotReused() throws Exception {
        try (Backend backend = Backend.with(connection -> {
                    connection.readHead();
                    connection.write(OK);
                    connection.readHead();
                });
                Proxy proxy = Proxy.start(
                        1,
                        List.of(group("app", backend.address())),
                        to("app").streamingRequests().route());
                Client client = Client.to(proxy.port())) {
            client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\na");
            assertThat(client.read().body()).isEqualTo("ok");
            await().until(() -> backend.open() == 0);
            awaitIdle(proxy, 0);
        }
    }

    /** keepalive.md 5: moved on from a status with a body that was not read. */
    @Test
    void connectionOfAResponseThatWasLeftIsNotReused() throws Exception {
        try (Backend a = answering("HTTP/1.1 404 No\r\nContent-Length: 9\r\n\r\nnot", false);
                Backend b = Backend.saying("b");
                Proxy proxy = Proxy.start(
                        1,
                        List.of(group("app", a.address(), b.address())),
                        to("app")
                                .proxy(Proxy.settings("1s", "1s", "1s", NextUpstream.HTTP_404))
                                .route())) {
            assertThat(Client.get(proxy.port(), "/").body()).isEqualTo("b");
            await().until(() -> a.open() == 0);
            awaitIdle(proxy, 1);
        }
    }

    @Test
    void connectionsOfARemovedPeerAreClosed() throws Exception {
        try (Backend a = Backend.saying("a");
                Backend b = Backend.saying("b");
                Proxy proxy = Proxy.start(
                        1, List.of(group("app", a.address())), to("app").route())) {
            Client.get(proxy.port(), "/");
            awaitIdle(proxy, 1);
            proxy.apply(List.of(group("app", b.address())), to("app").route());
            await().until(() -> a.open() == 0);
            assertThat(Client.get(proxy.port(), "/").body()).isEqualTo("b");
            proxy.apply(
                    List.of(app(KeepaliveConfig.NONE, b.address())), to("app").route());
            await().until(() -> b.open() == 0);
            Client.get(proxy.port(), "/");
            Client.get(proxy.port(), "/");
            assertThat(b.connections()).isEqualTo(3);
            proxy.apply(List.of());
            await().until(() -> b.open() == 0);
        }
    }
}
