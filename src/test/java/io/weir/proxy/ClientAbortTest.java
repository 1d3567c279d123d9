package io.weir.proxy;

import static io.weir.proxy.Proxy.group;
import static io.weir.proxy.RouteSpec.to;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.config.NextUpstream;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Clients that leave: proxying.md section 9. */
@ExtendWith(Leaks.class)
class ClientAbortTest {

    private static final String GET = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

    /** How a client leaves. */
    enum Leaving {
        CLOSE,
        RESET,
        HALF_CLOSE;

        void leave(Client client) throws Exception {
            switch (this) {
                case CLOSE -> client.close();
                case RESET -> {
                    client.socket().setSoLinger(true, 0);
                    client.close();
                }
                case HALF_CLOSE -> client.socket().shutdownOutput();
            }
        }
    }

    /** Never answers, and notices when the proxy closes. */
    private static Backend silent() {
        return Backend.with(connection -> {
            connection.readRequest();
            connection.readRequest();
        });
    }

    private static void assertNobodyIsBlamed(Proxy proxy) {
        proxy.assertAtRest();
        assertThat(proxy.peers("app"))
                .allSatisfy(peer -> assertThat(peer.fails()).isZero());
    }

    /** [V31]: upstream connection closed at once, 499, peer released as OK. */
    @ParameterizedTest
    @EnumSource
    void whileTheHeadIsAwaited(Leaving leaving) throws Exception {
        try (Backend backend = silent();
                Backend other = Backend.saying("other");
                Proxy proxy = Proxy.start(
                        List.of(group("app", backend.address(), other.address())),
                        to("app").route());
                Client client = Client.to(proxy.port())) {
            client.send(GET);
            await().until(() -> backend.requests().size() == 1);
            leaving.leave(client);
            await().until(() -> backend.open() == 0);
            assertNobodyIsBlamed(proxy);
            assertThat(other.connections()).isZero();
            // 499 is a 4xx
            assertThat(proxy.group("app").snapshot().totals().requests().get(3)).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void whileTheBodyOfTheRequestIsSent(Leaving leaving) throws Exception {
        try (Backend backend = silent();
                Proxy proxy = Proxy.start(
                        List.of(group("app", backend.address())),
                        to("app").streamingRequests().route());
                Client client = Client.to(proxy.port())) {
            client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc");
            await().until(() -> backend.connections() == 1);
            leaving.leave(client);
            await().until(() -> backend.open() == 0);
            assertNobodyIsBlamed(proxy);
        }
    }

    /** The proxy does not read from the client meanwhile, and has to notice all the same. */
    @ParameterizedTest
    @EnumSource(names = {"CLOSE", "RESET"})
    void whileTheUpstreamTakesNoMoreOfTheBody(Leaving leaving) throws Exception {
        int length = 64 << 20;
        try (Backend backend = Backend.with(connection -> {
                    connection.readHead();
                    // reads on once the proxy has closed
                    await().until(() -> connection.in().available() > 0);
                    Thread.sleep(500);
                    connection.in().skip(length);
                });
                Proxy proxy = Proxy.start(
                        List.of(group("app", backend.address())),
                        to("app").streamingRequests().maxBodySize("0").route());
                Client client = Client.to(proxy.port())) {
            client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: " + length + "\r\n\r\n");
            client.socket().setSoTimeout(100);
            Thread sender = new Thread(() -> {
                try {
                    for (int i = 0; i < length; i += 65536) {
                        client.send(new byte[65536]);
                    }
                } catch (java.io.IOException e) {
                    // as it should be
                }
            });
            sender.start();
            await().until(() -> backend.connections() == 1);
            Thread.sleep(300);
            leaving.leave(client);
            await().until(() -> backend.open() == 0);
            sender.join();
            assertNobodyIsBlamed(proxy);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"CLOSE", "RESET"})
    void whileTheResponseComes(Leaving leaving) throws Exception {
        try (Backend backend = Backend.with(connection -> {
                    connection.readRequest();
                    connection.write("HTTP/1.1 200 OK\r\nContent-Length: " + (64 << 20) + "\r\n\r\n");
                    connection.write(new byte[64 << 20]);
                });
                Proxy proxy = Proxy.start(
                        List.of(group("app", backend.address())), to("app").route());
                Client client = Client.to(proxy.port())) {
            client.send(GET);
            HttpText.readExactly(client.in(), 100_000);
            leaving.leave(client);
            await().until(() -> backend.open() == 0);
            assertNobodyIsBlamed(proxy);
        }
    }

    @ParameterizedTest
    @EnumSource
    void whileConnecting(Leaving leaving) throws Exception {
        try (java.net.ServerSocket full = new java.net.ServerSocket(0, 1, java.net.InetAddress.getLoopbackAddress())) {
            List<java.net.Socket> queue = new java.util.ArrayList<>();
            for (int i = 0; i < 3; i++) {
                java.net.Socket socket = new java.net.Socket();
                queue.add(socket);
                try {
                    socket.connect(full.getLocalSocketAddress(), 50);
                } catch (java.net.SocketTimeoutException e) {
                    break;
                }
            }
            try (Proxy proxy = Proxy.start(
                            List.of(group("app", "127.0.0.1:" + full.getLocalPort())),
                            to("app").route());
                    Client client = Client.to(proxy.port())) {
                client.send(GET);
                await().until(() -> proxy.peers("app").get(0).conns() == 1);
                leaving.leave(client);
                assertNobodyIsBlamed(proxy);
            }
            for (java.net.Socket socket : queue) {
                socket.close();
            }
        }
    }

    /** proxying.md 9: pipelined data is not an abort, and a client that leaves behind it is still noticed. */
    @ParameterizedTest
    @EnumSource
    void behindPipelinedRequests(Leaving leaving) throws Exception {
        try (Backend backend = silent();
                Proxy proxy = Proxy.start(
                        List.of(group("app", backend.address())), to("app").route());
                Client client = Client.to(proxy.port())) {
            client.send(GET.repeat(5));
            await().until(() -> backend.requests().size() == 1);
            Thread.sleep(50);
            assertThat(backend.open()).isEqualTo(1);
            leaving.leave(client);
            await().until(() -> backend.open() == 0);
            assertThat(backend.requests()).hasSize(1);
            assertNobodyIsBlamed(proxy);
        }
    }

    /** Rule 1 of proxying.md 5.1: there is no next peer for a client that has gone. */
    @Test
    void nobodyElseIsTriedForAClientThatHasGone() throws Exception {
        try (Backend backend = silent();
                Backend other = Backend.saying("other");
                Proxy proxy = Proxy.start(
                        List.of(group("app", backend.address(), other.address())),
                        to("app")
                                .proxy(Proxy.settings("1s", "1s", "300ms", NextUpstream.TIMEOUT, NextUpstream.ERROR))
                                .route())) {
            try (Client client = Client.to(proxy.port())) {
                client.send(GET);
                await().until(() -> backend.requests().size() == 1);
            }
            await().until(() -> backend.open() == 0);
            Thread.sleep(400);
            assertThat(other.connections()).isZero();
            assertNobodyIsBlamed(proxy);
        }
    }

    // ---- ignoreClientAbort: the upstream exchange runs to its end ----

    /** Answers when told to, and says what came of it. */
    private static Backend answering(CountDownLatch when, String response, CompletableFuture<String> next) {
        return Backend.with(connection -> {
            connection.readRequest();
            when.await();
            try {
                connection.write(response);
                next.complete(connection.readRequest());
                connection.write("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n");
                connection.readRequest();
            } catch (java.io.IOException e) {
                next.completeExceptionally(e);
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void requestGoesOnAloneWhereItIsToldTo(Leaving leaving) throws Exception {
        CountDownLatch when = new CountDownLatch(1);
        CompletableFuture<String> next = new CompletableFuture<>();
        String body = "x".repeat(1 << 20);
        try (Backend backend = answering(
                        when, "HTTP/1.1 200 OK\r\nContent-Length: " + body.length() + "\r\n\r\n" + body, next);
                Proxy proxy = Proxy.start(
                        1,
                        List.of(group("app", backend.address())),
                        to("app").ignoringClientAbort().route())) {
            try (Client client = Client.to(proxy.port())) {
                client.send("POST /1 HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc");
                await().until(() -> backend.requests().size() == 1);
                leaving.leave(client);
                await().until(() -> proxy.dataPlane().connections().open() == 0);
            }
            assertThat(backend.open()).isEqualTo(1);
            assertThat(proxy.peers("app").get(0).conns()).isEqualTo(1);
            when.countDown();
            assertNobodyIsBlamed(proxy);
            // read to its end, so the connection is as good as any
            try (Client client = Client.to(proxy.port())) {
                client.send("GET /2 HTTP/1.1\r\nHost: x\r\n\r\n");
                assertThat(next.get(60, TimeUnit.SECONDS)).startsWith("GET /2 ");
                assertThat(client.read().status()).isEqualTo(201);
            }
            assertThat(backend.connections()).isEqualTo(1);
            // 2xx: what the server has said, and nothing of a client that has gone
            await().untilAsserted(() -> assertThat(
                            proxy.group("app").snapshot().totals().requests().get(1))
                    .isEqualTo(2));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"CLOSE", "RESET"})
    void responseIsHeardToItsEndWithoutAClient(Leaving leaving) throws Exception {
        int length = 64 << 20;
        CompletableFuture<Void> sent = new CompletableFuture<>();
        try (Backend backend = Backend.with(connection -> {
                    connection.readRequest();
                    try {
                        connection.write("HTTP/1.1 200 OK\r\nContent-Length: " + length + "\r\n\r\n");
                        connection.write(new byte[length]);
                        sent.complete(null);
                    } catch (java.io.IOException e) {
                        sent.completeExceptionally(e);
                    }
                    connection.readRequest();
                });
                Proxy proxy = Proxy.start(
                        List.of(group("app", backend.address())),
                        to("app").ignoringClientAbort().route());
                Client client = Client.to(proxy.port())) {
            client.send(GET);
            HttpText.readExactly(client.in(), 100_000);
            leaving.leave(client);
            sent.get(60, TimeUnit.SECONDS);
            assertNobodyIsBlamed(proxy);
        }
    }

    /** The next server is tried as ever. */
    @Test
    void nextPeerIsTriedWithoutAClient() throws Exception {
        CountDownLatch when = new CountDownLatch(1);
        try (Backend breaking = Backend.with(connection -> {
                    connection.readRequest();
                    when.await();
                });
                Backend other = Backend.saying("other");
                Proxy proxy = Proxy.start(
                        List.of(group("app", breaking.address(), other.address())),
                        to("app").ignoringClientAbort().route())) {
            try (Client client = Client.to(proxy.port())) {
                client.send(GET);
                await().until(() -> breaking.requests().size() == 1);
            }
            await().until(() -> proxy.dataPlane().connections().open() == 0);
            when.countDown();
            await().until(() -> other.requests().size() == 1);
            proxy.assertAtRest();
            assertThat(proxy.peers("app").get(0).fails()).isEqualTo(1);
        }
    }

    /** Half a request is of no use to anybody. */
    @Test
    void requestThatIsNotWholeEndsWithItsClient() throws Exception {
        try (Backend backend = silent();
                Proxy proxy = Proxy.start(
                        List.of(group("app", backend.address())),
                        to("app").ignoringClientAbort().streamingRequests().route());
                Client client = Client.to(proxy.port())) {
            client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc");
            await().until(() -> backend.connections() == 1);
            client.close();
            await().until(() -> backend.open() == 0);
            assertNobodyIsBlamed(proxy);
        }
    }
}
