package io.weir.proxy;

import static io.weir.proxy.Proxy.group;
import static io.weir.proxy.RouteSpec.to;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.weir.config.AccessLogConfig;
import io.weir.config.AccessLogConfig.Escape;
import io.weir.config.HttpListenerConfig;
import io.weir.config.ProxyConfig;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of requests and tunnels that would go on when Weir stops: ADR 14. */
@ExtendWith(Leaks.class)
class StopTest {

    private static final Duration LONG = Duration.ofMinutes(10);
    private static final Duration SHORT = Duration.ofMillis(100);
    private static final String SWITCH =
            "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: %s\r\n\r\n";
    private static final String GOING_AWAY = "\u0088\u0002\u0003\u00e9";

    /** The same as a client sends it, with a mask of zeroes. */
    private static final String ANSWER = "\u0088\u0082\0\0\0\0\u0003\u00e9";

    @TempDir
    private Path folder;

    private Proxy start(Backend backend) {
        Proxy proxy = Proxy.start(1, List.of());
        AccessLogConfig log = new AccessLogConfig(
                folder.resolve("access.log").toString(), "$status $request_uri $bytes_sent", Escape.DEFAULT, null);
        proxy.apply(new ProxyConfig(
                proxy.active().current().revision() + 1,
                List.of(group("app", backend.address())),
                List.of(new HttpListenerConfig(
                        "web",
                        "127.0.0.1",
                        proxy.port(),
                        false,
                        null,
                        log,
                        List.of(to("app").streamingRequests().route())))));
        return proxy;
    }

    private String logged() {
        Path file = folder.resolve("access.log");
        await().until(() -> Files.readString(file).endsWith("\n"));
        try {
            return Files.readString(file).strip();
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static CompletableFuture<Void> stop(Proxy proxy, Duration limit) {
        return CompletableFuture.runAsync(() -> proxy.dataPlane().stop(limit));
    }

    private static void upgrade(Client client, String protocol) throws Exception {
        client.send("GET /t HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: " + protocol + "\r\n\r\n");
        assertThat(HttpText.readHead(client.in())).startsWith("HTTP/1.1 101 ");
    }

    private static String read(Client client, int length) throws Exception {
        return new String(HttpText.readExactly(client.in(), length), StandardCharsets.ISO_8859_1);
    }

    private static String readAll(Backend.Connection connection) throws java.io.IOException {
        return new String(connection.in().readAllBytes(), StandardCharsets.ISO_8859_1);
    }

    @Test
    void webSocketClientIsToldAndItsAnswerTellsTheServer() throws Exception {
        CompletableFuture<String> answer = new CompletableFuture<>();
        try (Backend backend = Backend.with(connection -> {
                    connection.readHead();
                    connection.write(SWITCH.formatted("WebSocket"));
                    byte[] bytes = HttpText.readExactly(connection.in(), 7 + ANSWER.length());
                    answer.complete(new String(bytes, StandardCharsets.ISO_8859_1));
                    connection.write(GOING_AWAY);
                });
                Proxy proxy = start(backend);
                Client client = Client.to(proxy.port())) {
            upgrade(client, "websocket");
            CompletableFuture<Void> stop = stop(proxy, LONG);
            assertThat(read(client, 4)).isEqualTo(GOING_AWAY);
            // what was on its way to the server still gets there
            client.send("\u0081\u0081\0\0\0\0a" + ANSWER);
            assertThat(answer.get(60, TimeUnit.SECONDS)).isEqualTo("\u0081\u0081\0\0\0\0a" + ANSWER);
            // the server's own close frame would be the second
            assertThat(client.readAll()).isEmpty();
            client.close();
            stop.get(60, TimeUnit.SECONDS);
            assertThat(logged()).startsWith("101 /t ");
        }
    }

    @Test
    void frameThatHasBegunIsNotBroken() throws Exception {
        String frame = "\u0082\u007e\u0001\u0000" + "x".repeat(256);
        try (Backend backend = Backend.with(connection -> {
                    connection.readHead();
                    connection.write(SWITCH.formatted("websocket"));
                    while (true) {
                        connection.write(frame.substring(0, 100));
                        connection.write(frame.substring(100));
                    }
                });
                Proxy proxy = start(backend);
                Client client = Client.to(proxy.port())) {
            upgrade(client, "websocket");
            assertThat(read(client, frame.length())).isEqualTo(frame);
            CompletableFuture<Void> stop = stop(proxy, LONG);
            String begin = read(client, 4);
            while (frame.startsWith(begin)) {
                assertThat(read(client, frame.length() - 4)).isEqualTo(frame.substring(4));
                begin = read(client, 4);
            }
            assertThat(begin).isEqualTo(GOING_AWAY);
            // a server that does not close must not keep the client waiting
            client.send(ANSWER);
            assertThat(client.readAll()).isEmpty();
            client.close();
            stop.get(60, TimeUnit.SECONDS);
        }
    }

    /** Nothing is said behind a close frame, also not by Weir. */
    @Test
    void closeFrameOfTheServerIsTheOnlyOne() throws Exception {
        try (Backend backend = Backend.with(connection -> {
                    String head = connection.readHead();
                    connection.write(SWITCH.formatted("websocket") + (head.contains("witness") ? "" : "\u0088\u0000"));
                    readAll(connection);
                });
                Proxy proxy = start(backend);
                Client client = Client.to(proxy.port());
                Client witness = Client.to(proxy.port())) {
            upgrade(client, "websocket");
            upgrade(witness, "websocket\r\nX: witness");
            assertThat(read(client, 2)).isEqualTo("\u0088\u0000");
            assertOnlyTheWitnessIsTold(proxy, client, witness);
        }
    }

    private static void assertOnlyTheWitnessIsTold(Proxy proxy, Client client, Client witness) throws Exception {
        CompletableFuture<Void> stop = stop(proxy, Duration.ofSeconds(1));
        assertThat(read(witness, 4)).isEqualTo(GOING_AWAY);
        assertThat(client.readAll()).isEmpty();
        client.close();
        witness.close();
        stop.get(60, TimeUnit.SECONDS);
    }

    /** It is for the server to answer it. */
    @Test
    void clientThatIsClosingIsToldNothing() throws Exception {
        CountDownLatch closing = new CountDownLatch(1);
        try (Backend backend = Backend.with(connection -> {
                    String head = connection.readHead();
                    connection.write(SWITCH.formatted("websocket"));
                    if (!head.contains("witness")) {
                        HttpText.readExactly(connection.in(), ANSWER.length());
                        closing.countDown();
                    }
                    readAll(connection);
                });
                Proxy proxy = start(backend);
                Client client = Client.to(proxy.port());
                Client witness = Client.to(proxy.port())) {
            upgrade(client, "websocket");
            upgrade(witness, "websocket\r\nX: witness");
            client.send(ANSWER);
            closing.await();
            assertOnlyTheWitnessIsTold(proxy, client, witness);
        }
    }

    @Test
    void upgradeThatIsAnsweredWhileWeirStopsIsToldAtOnce() throws Exception {
        CountDownLatch stopping = new CountDownLatch(1);
        try (Backend backend = Backend.with(connection -> {
                    connection.readHead();
                    stopping.await();
                    connection.write(SWITCH.formatted("websocket"));
                    readAll(connection);
                });
                Proxy proxy = start(backend);
                Client client = Client.to(proxy.port())) {
            client.send("GET /t HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
            await().until(() -> !backend.requests().isEmpty());
            CompletableFuture<Void> stop = stop(proxy, LONG);
            awaitClosed(proxy);
            stopping.countDown();
            assertThat(HttpText.readHead(client.in())).startsWith("HTTP/1.1 101 ");
            assertThat(read(client, 4)).isEqualTo(GOING_AWAY);
            client.send(ANSWER);
            client.close();
            stop.get(60, TimeUnit.SECONDS);
        }
    }

    /** As in nginx: an end and no reset, to both sides, though both are still sending. */
    @Test
    void otherTunnelEndsAtTheLimit() throws Exception {
        CompletableFuture<String> got = new CompletableFuture<>();
        try (Backend backend = Backend.with(connection -> {
                    connection.readHead();
                    connection.write(SWITCH.formatted("x") + "hello");
                    try {
                        got.complete(readAll(connection));
                    } catch (java.io.IOException e) {
                        got.completeExceptionally(e);
                    }
                });
                Proxy proxy = start(backend);
                Client client = Client.to(proxy.port())) {
            upgrade(client, "x");
            client.send("bye");
            CompletableFuture<Void> stop = stop(proxy, SHORT);
            assertThat(client.readAll()).isEqualTo("hello");
            assertThat(got.get(60, TimeUnit.SECONDS)).isEqualTo("bye");
            client.close();
            stop.get(60, TimeUnit.SECONDS);
            assertThat(logged()).startsWith("101 /t ");
        }
    }

    @Test
    void requestWithoutAnAnswerGets503AtTheLimit() throws Exception {
        try (Backend never = Backend.with(connection -> {
                    connection.readHead();
                    readAll(connection);
                });
                Proxy proxy = start(never);
                Client client = Client.to(proxy.port())) {
            client.send("POST /t HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc");
            await().until(() -> !never.requests().isEmpty());
            CompletableFuture<Void> stop = stop(proxy, SHORT);
            Client.Response response = client.read();
            assertThat(response.status()).isEqualTo(503);
            assertThat(response.field("Connection")).isEqualTo("close");
            assertThat(client.isClosed()).isTrue();
            client.close();
            stop.get(60, TimeUnit.SECONDS);
            assertThat(logged()).startsWith("503 /t ");
            assertThat(proxy.peers("app").get(0).fails()).isZero();
        }
    }

    @Test
    void headThatDoesNotComeToItsEndGets503AtTheLimit() throws Exception {
        try (Backend backend = Backend.saying("never asked");
                Proxy proxy = start(backend);
                Client client = Client.to(proxy.port())) {
            client.send("GET /t HTTP/1.1\r\nHos");
            awaitRead(proxy);
            CompletableFuture<Void> stop = stop(proxy, SHORT);
            assertThat(client.read().status()).isEqualTo(503);
            client.close();
            stop.get(60, TimeUnit.SECONDS);
            await().until(() -> logged().lines().count() == 2);
            assertThat(logged()).contains("\n503 ");
        }
    }

    /** An event stream, say: the client has to see that there was more. */
    @Test
    void responseThatIsCutDoesNotLookWhole() throws Exception {
        try (Backend backend = Backend.with(connection -> {
                    connection.readHead();
                    connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
                    readAll(connection);
                });
                Proxy proxy = start(backend);
                Client client = Client.to(proxy.port());
                Client old = Client.to(proxy.port())) {
            client.send("GET /t HTTP/1.1\r\nHost: x\r\n\r\n");
            old.send("GET /old HTTP/1.0\r\n\r\n");
            HttpText.readHead(client.in());
            HttpText.readHead(old.in());
            assertThat(read(client, 8)).isEqualTo("3\r\nabc\r\n");
            assertThat(read(old, 3)).isEqualTo("abc");
            CompletableFuture<Void> stop = stop(proxy, SHORT);
            assertThat(client.readAll()).isEmpty();
            // a response that has no other end must not have this one
            assertThatThrownBy(old::isClosed).isInstanceOf(java.net.SocketException.class);
            stop.get(60, TimeUnit.SECONDS);
            await().until(() -> Files.readAllLines(folder.resolve("access.log")).size() == 2);
            assertThat(logged()).contains("200 /t ", "200 /old ");
        }
    }

    private static void awaitClosed(Proxy proxy) {
        await().until(() -> proxy.dataPlane().addresses().isEmpty());
    }

    /** Returns once what came before was read: of a head that is not complete nothing else tells. */
    private static void awaitRead(Proxy proxy) throws Exception {
        try (Client other = Client.to(proxy.port())) {
            assertThat(other.request("GET / HTTP/1.1\r\nHost: x\r\n\r\n").status())
                    .isEqualTo(200);
        }
    }
}
