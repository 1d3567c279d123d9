package io.weir.proxy;

import static io.weir.proxy.Proxy.group;
import static io.weir.proxy.Proxy.settings;
import static io.weir.proxy.RouteSpec.to;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Other protocols behind a 101: proxying.md section 6.1. */
@ExtendWith(Leaks.class)
class UpgradeTest {

    private static final String REQUEST =
            "GET /chat HTTP/1.1\r\nHost: x\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n"
                    + "Sec-WebSocket-Key: k\r\n\r\n";
    private static final String SWITCH =
            "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nX-A: a\r\n\r\n";

    /** Switches, says hello in the same packet, then echoes. */
    private static Backend echo() {
        return Backend.with(connection -> {
            connection.readHead();
            connection.write(SWITCH + "hello");
            byte[] buffer = new byte[64 * 1024];
            for (int n = connection.in().read(buffer);
                    n >= 0;
                    n = connection.in().read(buffer)) {
                connection.write(java.util.Arrays.copyOf(buffer, n));
            }
        });
    }

    private static String read(Client client, int length) throws Exception {
        return new String(HttpText.readExactly(client.in(), length), java.nio.charset.StandardCharsets.ISO_8859_1);
    }

    @Test
    void bytesPassInBothDirectionsAlsoThoseRightBehindTheHeads() throws Exception {
        try (Backend backend = echo();
                Proxy proxy = Proxy.start(
                        List.of(group("app", backend.address())),
                        to("app").telling().route());
                Client client = Client.to(proxy.port())) {
            client.send(REQUEST + "early");
            String head = HttpText.readHead(client.in());
            assertThat(head).startsWith("HTTP/1.1 101 Switching Protocols\r\n");
            assertThat(HttpText.field(head, "Upgrade")).isEqualTo("websocket");
            assertThat(HttpText.field(head, "Connection")).isEqualToIgnoringCase("upgrade");
            assertThat(HttpText.field(head, "X-A")).isEqualTo("a");
            assertThat(HttpText.field(head, "X-Attempts")).isEqualTo("101");
            assertThat(read(client, 10)).isEqualTo("helloearly");
            assertThat(proxy.peers("app").get(0).conns()).isEqualTo(1);
            for (String message : List.of("a", "GET / HTTP/1.1\r\nHost: x\r\n\r\n", "\0\u00ff")) {
                client.send(message);
                assertThat(read(client, message.length())).isEqualTo(message);
            }
            String sent = backend.requests().get(0);
            assertThat(HttpText.field(sent, "Connection")).isEqualToIgnoringCase("upgrade");
            assertThat(HttpText.field(sent, "Upgrade")).isEqualTo("websocket");
            assertThat(HttpText.field(sent, "Sec-WebSocket-Key")).isEqualTo("k");
        }
    }

    /** As a configuration that comes from nginx has it. */
    @Test
    void fieldsThatTheRouteSetsAreNotSentTwice() throws Exception {
        try (Backend backend = echo();
                Proxy proxy = Proxy.start(
                        List.of(group("app", backend.address())),
                        to("app")
                                .setRequest("Upgrade", "$http_upgrade")
                                .setRequest("Connection", "upgrade")
                                .route());
                Client client = Client.to(proxy.port())) {
            client.send(REQUEST);
            HttpText.readHead(client.in());
            assertThat(backend.requests().get(0).split("(?i)\r\n(upgrade|connection):"))
                    .hasSize(3);
        }
    }

    @Test
    void muchPassesAtOnceInBothDirections() throws Exception {
        int length = 20 << 20;
        byte[] bytes = new byte[length];
        new Random(3).nextBytes(bytes);
        try (Backend backend = echo();
                Proxy proxy = Proxy.start(
                        List.of(group("app", backend.address())), to("app").route());
                Client client = Client.to(proxy.port())) {
            client.send(REQUEST);
            HttpText.readHead(client.in());
            read(client, 5);
            CompletableFuture<byte[]> got = CompletableFuture.supplyAsync(() -> {
                try {
                    return HttpText.readExactly(client.in(), length);
                } catch (java.io.IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            });
            client.send(bytes);
            assertThat(got.get(60, TimeUnit.SECONDS)).isEqualTo(bytes);
            client.close();
            proxy.assertAtRest();
            // proxying.md 10: all bytes in and out are the peer's
            assertThat(proxy.peers("app").get(0).totals().sentBytes()).isGreaterThan(length);
            assertThat(proxy.peers("app").get(0).totals().receivedBytes()).isGreaterThan(length);
        }
    }

    /** Idle limit: read_timeout, armed again by either direction. */
    @Test
    void tunnelEndsWhenNothingPasses() throws Exception {
        MovableTicker ticker = new MovableTicker();
        try (Backend backend = echo();
                Proxy proxy = Proxy.start(
                        1,
                        ticker,
                        List.of(group("app", backend.address())),
                        to("app").proxy(settings("60s", "60s", "60s")).route());
                Client client = Client.to(proxy.port())) {
            client.send(REQUEST);
            HttpText.readHead(client.in());
            read(client, 5);
            for (int i = 0; i < 4; i++) {
                ticker.skip(java.time.Duration.ofSeconds(40));
                Thread.sleep(100);
                client.send("x");
                read(client, 1);
            }
            await().pollInterval(50, TimeUnit.MILLISECONDS).until(() -> {
                ticker.skip(java.time.Duration.ofSeconds(61));
                return proxy.dataPlane().connections().open() == 0;
            });
            assertThat(client.isClosed()).isTrue();
            await().until(() -> backend.open() == 0);
        }
    }

    @Test
    void closeOfTheClientClosesTheUpstreamWithWhatItHadSent() throws Exception {
        CompletableFuture<String> got = new CompletableFuture<>();
        try (Backend backend = Backend.with(connection -> {
                    connection.readHead();
                    connection.write(SWITCH);
                    got.complete(new String(connection.in().readAllBytes()));
                });
                Proxy proxy = Proxy.start(
                        List.of(group("app", backend.address())), to("app").route())) {
            try (Client client = Client.to(proxy.port())) {
                client.send(REQUEST);
                HttpText.readHead(client.in());
                client.send("bye");
            }
            assertThat(got.get(60, TimeUnit.SECONDS)).isEqualTo("bye");
            proxy.assertAtRest();
        }
    }

    @Test
    void closeOfTheUpstreamClosesTheClientWithWhatItHadSent() throws Exception {
        int length = 4 << 20;
        try (Backend backend = Backend.with(connection -> {
                    connection.readHead();
                    connection.write(SWITCH);
                    connection.write(new byte[length]);
                });
                Proxy proxy = Proxy.start(
                        List.of(group("app", backend.address())), to("app").route());
                Client client = Client.to(proxy.port())) {
            client.send(REQUEST);
            HttpText.readHead(client.in());
            assertThat(client.in().readAllBytes()).hasSize(length);
        }
    }

    /** Nobody waits forever for a client that takes nothing after the upstream has closed. */
    @Test
    void clientThatTakesNothingOfTheRestIsGivenUp() throws Exception {
        MovableTicker ticker = new MovableTicker();
        try (Backend backend = Backend.with(connection -> {
                    connection.readHead();
                    connection.write(SWITCH);
                    connection.write(new byte[3 << 20]);
                });
                Proxy proxy = Proxy.start(
                        1,
                        ticker,
                        List.of(group("app", backend.address())),
                        to("app").route());
                Client client = Client.to(proxy.port())) {
            client.send(REQUEST);
            HttpText.readHead(client.in());
            await().pollInterval(50, TimeUnit.MILLISECONDS).until(() -> {
                ticker.skip(java.time.Duration.ofSeconds(70));
                return proxy.dataPlane().connections().open() == 0;
            });
        }
    }

    /** proxying.md 6.1.1: an Upgrade that is refused is an ordinary response. */
    @Test
    void upgradeThatIsRefusedIsAnOrdinaryResponse() throws Exception {
        try (Backend backend = Backend.saying("no");
                Proxy proxy = Proxy.start(
                        1, List.of(group("app", backend.address())), to("app").route());
                Client client = Client.to(proxy.port())) {
            assertThat(client.request(REQUEST).body()).isEqualTo("no");
            assertThat(client.request("GET / HTTP/1.1\r\nHost: x\r\n\r\n").body())
                    .isEqualTo("no");
            assertThat(backend.connections()).isEqualTo(1);
        }
    }

    /** On an HTTP/2 connection requests would pass that no route has seen; also not without Connection: Upgrade. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: a\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket, H2C\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\n\r\n",
                "GET / HTTP/1.0\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nContent-Length: 1\r\n\r\na"
            })
    void upgradeThatMayNotPassIsLeftOut(String request) throws Exception {
        try (Backend backend = Backend.echoing();
                Proxy proxy = Proxy.start(
                        List.of(group("app", backend.address())), to("app").route());
                Client client = Client.to(proxy.port())) {
            String got = client.request(request).body();
            assertThat(HttpText.field(got, "Upgrade")).isNull();
            assertThat(HttpText.field(got, "Connection")).isNull();
            assertThat(HttpText.field(got, "HTTP2-Settings")).isNull();
        }
    }

    @Test
    void tunnelIsNeverKept() throws Exception {
        try (Backend backend = echo();
                Proxy proxy = Proxy.start(
                        1, List.of(group("app", backend.address())), to("app").route())) {
            for (int i = 1; i <= 2; i++) {
                try (Client client = Client.to(proxy.port())) {
                    client.send(REQUEST);
                    HttpText.readHead(client.in());
                    read(client, 5);
                }
                await().until(() -> backend.open() == 0);
                assertThat(backend.connections()).isEqualTo(i);
            }
        }
    }
}
