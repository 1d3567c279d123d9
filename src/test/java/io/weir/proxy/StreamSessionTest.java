package io.weir.proxy;

import static io.weir.proxy.StreamSpec.to;
import static io.weir.proxy.Streams.echo;
import static io.weir.proxy.Streams.greeting;
import static io.weir.proxy.Streams.servers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.zone.Ticker;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** When a session ends, and who it gets for a peer: stream.md sections 2, 4 and 5. */
@ExtendWith(Leaks.class)
class StreamSessionTest {

    private static String refused() {
        return "127.0.0.1:" + Proxy.freePort();
    }

    private static String read(Client client, int length) throws Exception {
        return new String(client.in().readNBytes(length));
    }

    // ---- proxy_timeout ----

    @Test
    void silenceEndsTheSession() throws Exception {
        MovableTicker ticker = new MovableTicker();
        try (Backend backend = greeting("hi");
                Streams streams = Streams.start(1, ticker, to("app").timeout("1h"), servers("app", backend.address()));
                Client client = streams.connect()) {
            assertThat(read(client, 2)).isEqualTo("hi");
            skipUntilOver(ticker, streams);
            assertThat(client.isClosed()).isTrue();
            assertThat(streams.session()).startsWith("200 0 2 ");
        }
    }

    /** [V31]: bytes of one side keep the session, both directions of it. */
    @Test
    void bytesOfOneSideKeepTheSession() throws Exception {
        MovableTicker ticker = new MovableTicker();
        CountDownLatch[] turns = {new CountDownLatch(1), new CountDownLatch(1), new CountDownLatch(1)};
        try (Backend backend = Backend.with(connection -> {
                    for (CountDownLatch turn : turns) {
                        turn.await();
                        connection.write("x");
                    }
                    connection.in().readAllBytes();
                });
                Streams streams = Streams.start(1, ticker, to("app").timeout("1h"), servers("app", backend.address()));
                Client client = streams.connect()) {
            await().until(() -> backend.open() == 1);
            for (CountDownLatch turn : turns) {
                ticker.skip(Duration.ofMinutes(40));
                turn.countDown();
                assertThat(read(client, 1)).isEqualTo("x");
            }
            assertThat(streams.counts().open()).isEqualTo(1);
            skipUntilOver(ticker, streams);
            assertThat(client.isClosed()).isTrue();
        }
    }

    /** The timeout may be armed a moment after the bytes that it is armed for were seen. */
    private static void skipUntilOver(MovableTicker ticker, Streams streams) {
        await().until(() -> {
            ticker.skip(Duration.ofHours(1));
            return streams.counts().open() == 0;
        });
    }

    // ---- half_close ----

    /** [V31]: without half_close the answer to a client that says no more is not awaited. */
    @Test
    void theEndOfTheClientsBytesIsTheEnd() throws Exception {
        try (Backend backend = Backend.with(connection -> {
                    byte[] got = connection.in().readAllBytes();
                    connection.write("got " + got.length);
                });
                Streams streams = Streams.start(to("app"), servers("app", backend.address()));
                Client client = streams.connect()) {
            client.send("hello");
            client.socket().shutdownOutput();
            assertThat(client.readAll()).isEmpty();
            assertThat(streams.session()).startsWith("200 5 0 ");
        }
    }

    @Test
    void halfCloseLetsTheServerAnswer() throws Exception {
        try (Backend backend = Backend.with(connection -> {
                    byte[] got = connection.in().readAllBytes();
                    connection.write("got " + got.length);
                });
                Streams streams = Streams.start(to("app").halfClose(), servers("app", backend.address()));
                Client client = streams.connect()) {
            client.send("hello");
            client.socket().shutdownOutput();
            assertThat(client.readAll()).isEqualTo("got 5");
            assertThat(streams.session()).startsWith("200 5 5 ");
        }
    }

    @Test
    void halfCloseLetsTheClientGoOn() throws Exception {
        CompletableFuture<String> rest = new CompletableFuture<>();
        try (Backend backend = Backend.with(connection -> {
                    connection.write("bye");
                    connection.shutdownOutput();
                    rest.complete(new String(connection.in().readAllBytes()));
                });
                Streams streams = Streams.start(to("app").halfClose(), servers("app", backend.address()))) {
            try (Client client = streams.connect()) {
                assertThat(client.readAll()).isEqualTo("bye");
                client.send("but ");
                client.send("wait");
            }
            assertThat(rest.join()).isEqualTo("but wait");
            assertThat(streams.session()).startsWith("200 8 3 ");
        }
    }

    @Test
    void halfCloseStillTimesOut() throws Exception {
        MovableTicker ticker = new MovableTicker();
        try (Backend backend = Backend.with(connection -> {
                    connection.in().readAllBytes();
                    new CountDownLatch(1).await();
                });
                Streams streams = Streams.start(
                        1, ticker, to("app").halfClose().timeout("1h"), servers("app", backend.address()));
                Client client = streams.connect()) {
            client.send("x");
            client.socket().shutdownOutput();
            await().until(() -> streams.counts().open() == 1 && backend.open() == 1);
            client.socket().setSoTimeout(200);
            assertThat(timesOut(client)).isTrue();
            skipUntilOver(ticker, streams);
            client.socket().setSoTimeout(60_000);
            assertThat(client.isClosed()).isTrue();
        }
    }

    private static boolean timesOut(Client client) throws Exception {
        try {
            client.in().read();
            return false;
        } catch (SocketTimeoutException e) {
            return true;
        }
    }

    // ---- next upstream ----

    @Test
    void whoCannotBeConnectedToMakesWayForTheNext() throws Exception {
        String dead = refused();
        try (Backend backend = echo();
                Streams streams = Streams.start(to("app"), servers("app", dead, backend.address()))) {
            try (Client client = streams.connect()) {
                client.send("hi");
                assertThat(read(client, 2)).isEqualTo("hi");
            }
            assertThat(streams.session())
                    .isEqualTo("200 2 2 \"" + dead + ", " + backend.address() + "\" \"0, 2\" \"0, 2\" \"-, 0.000\"");
            assertThat(streams.proxy().peers("app").get(0).fails()).isEqualTo(1);
        }
    }

    @Test
    void whenAllRefuseTheSessionEnds() throws Exception {
        String first = refused();
        String second = refused();
        try (Streams streams = Streams.start(to("app"), servers("app", first, second));
                Client client = streams.connect()) {
            assertThat(client.isClosed()).isTrue();
            assertThat(streams.session())
                    .isEqualTo("502 0 0 \"" + first + ", " + second + "\" \"0, 0\" \"0, 0\" \"-, -\"");
            assertThat(streams.counts().sessionsByStatus()).containsEntry(502, 1L);
        }
    }

    @Test
    void withNobodyEligibleTheGroupStandsInTheLog() throws Exception {
        try (Streams streams = Streams.start(
                        to("app"), servers("app", s -> s.withState(io.weir.config.AdminState.DOWN), refused()));
                Client client = streams.connect()) {
            assertThat(client.isClosed()).isTrue();
            assertThat(streams.session()).isEqualTo("502 0 0 \"app\" \"0\" \"0\" \"-\"");
        }
    }

    @Test
    void nextUpstreamOffEndsWithTheFirstFailure() throws Exception {
        String dead = refused();
        try (Backend backend = echo();
                Streams streams = Streams.start(to("app").onlyOneUpstream(), servers("app", dead, backend.address()));
                Client client = streams.connect()) {
            assertThat(client.isClosed()).isTrue();
            assertThat(streams.session()).startsWith("502 0 0 \"" + dead + "\"");
        }
    }

    @Test
    void nextUpstreamTriesAreAllThereAre() throws Exception {
        String first = refused();
        String second = refused();
        try (Backend backend = echo();
                Streams streams = Streams.start(to("app").tries(2), servers("app", first, second, backend.address()));
                Client client = streams.connect()) {
            assertThat(client.isClosed()).isTrue();
            assertThat(streams.session()).startsWith("502 0 0 \"" + first + ", " + second + "\"");
        }
    }

    /** A server whose queue of connections is full answers no further one; the next takes over, with what came meanwhile. */
    @Test
    void whatTheClientSaysMeanwhileIsKept() throws Exception {
        MovableTicker ticker = new MovableTicker();
        List<Socket> waiting = new ArrayList<>();
        try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            fill(full, waiting);
            String silent = "127.0.0.1:" + full.getLocalPort();
            try (Backend backend = Backend.with(connection -> {
                        byte[] got = connection.in().readAllBytes();
                        connection.write("got " + new String(got));
                    });
                    Streams streams = Streams.start(
                            1,
                            ticker,
                            to("app").halfClose().connectTimeout("1h"),
                            servers("app", silent, backend.address()));
                    Client client = streams.connect()) {
                client.send("early");
                // the end of its bytes does not end the connecting
                client.socket().shutdownOutput();
                await().until(() -> streams.proxy().peers("app").get(0).conns() == 1);
                ticker.skip(Duration.ofHours(1));
                assertThat(client.readAll()).isEqualTo("got early");
                assertThat(streams.session()).startsWith("200 5 9 \"" + silent + ", " + backend.address() + "\"");
                assertThat(streams.proxy().peers("app").get(0).fails()).isEqualTo(1);
            }
        } finally {
            for (Socket socket : waiting) {
                socket.close();
            }
        }
    }

    private static void fill(ServerSocket full, List<Socket> waiting) throws Exception {
        for (int i = 0; i < 10; i++) {
            Socket socket = new Socket();
            waiting.add(socket);
            try {
                socket.connect(full.getLocalSocketAddress(), 100);
            } catch (SocketTimeoutException e) {
                return;
            }
        }
        throw new AssertionError("the queue takes all of them");
    }

    /** A session may last for days: its connection alone clears what its peer has failed. */
    @Test
    void aConnectionClearsFailuresBeforeTheSessionEnds() throws Exception {
        int port = Proxy.freePort();
        MovableTicker ticker = new MovableTicker();
        try (Backend other = greeting("b");
                Streams streams = Streams.start(
                        1, ticker, to("app").timeout("1h"), servers("app", "127.0.0.1:" + port, other.address()))) {
            try (Client client = streams.connect()) {
                assertThat(client.in().read()).isEqualTo('b');
            }
            assertThat(streams.proxy().peers("app").get(0).fails()).isEqualTo(1);
            ticker.skip(Duration.ofSeconds(12));
            List<Client> clients = new ArrayList<>();
            // the system takes the connection, and nobody says or ends anything
            try (ServerSocket revived = new ServerSocket(port, 50, InetAddress.getLoopbackAddress())) {
                assertThat(revived.isBound()).isTrue();
                await().untilAsserted(() -> {
                    clients.add(streams.connect());
                    assertThat(streams.proxy().peers("app").get(0).conns()).isPositive();
                });
                await().untilAsserted(() ->
                        assertThat(streams.proxy().peers("app").get(0).fails()).isZero());
            } finally {
                for (Client client : clients) {
                    client.close();
                }
            }
        }
    }

    // ---- rates ----

    /** [V31]: 3000 bytes at 1000 a second take 3 seconds, by the first of which 1000 have come. */
    @Test
    void theDownloadRateIsKeptAlsoBehindTheEnd() throws Exception {
        byte[] body = new byte[3_000];
        try (Backend backend = Backend.with(connection -> connection.write(body));
                Streams streams = Streams.start(
                        1, Ticker.system(), to("app").downloadRate(1_000), servers("app", backend.address()))) {
            long begin = System.nanoTime();
            try (Client client = streams.connect()) {
                assertThat(client.in().readAllBytes()).hasSize(3_000);
            }
            // the first second's worth comes at once, and the clock of whole seconds may tick right behind it
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThan(Duration.ofMillis(1_900));
            assertThat(streams.session()).startsWith("200 0 3000 ");
        }
    }

    @Test
    void theUploadRateIsKept() throws Exception {
        CompletableFuture<Integer> got = new CompletableFuture<>();
        try (Backend backend =
                        Backend.with(connection -> got.complete(connection.in().readAllBytes().length));
                Streams streams = Streams.start(
                        1, Ticker.system(), to("app").uploadRate(1_000), servers("app", backend.address()))) {
            long begin = System.nanoTime();
            try (Client client = streams.connect()) {
                client.send(new byte[3_000]);
                client.socket().shutdownOutput();
                assertThat(client.isClosed()).isTrue();
            }
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThan(Duration.ofMillis(1_900));
            assertThat(got.join()).isEqualTo(3_000);
            assertThat(streams.session()).startsWith("200 3000 0 ");
        }
    }

    /** What came unasked is not sent on for hours: who resets has taken it back. */
    @Test
    void aResetEndsASessionWhoseRateIsUsedUp() throws Exception {
        try (Backend backend = Backend.with(connection -> connection.in().readAllBytes());
                Streams streams =
                        Streams.start(1, Ticker.system(), to("app").uploadRate(1), servers("app", backend.address()))) {
            try (Client client = streams.connect()) {
                client.send(new byte[50_000]);
                client.socket().setSoLinger(true, 0);
            }
            assertThat(streams.session()).startsWith("200 ");
        }
    }

    /** The pauses of a rate are no silence. */
    @Test
    void theTimeoutRestsWhileARateIsKept() throws Exception {
        try (Backend backend = Backend.with(connection -> connection.write(new byte[4_000]));
                Streams streams = Streams.start(
                        to("app").downloadRate(1_000).timeout("300ms"), servers("app", backend.address()));
                Client client = streams.connect()) {
            assertThat(client.in().readAllBytes()).hasSize(4_000);
        }
    }
}
