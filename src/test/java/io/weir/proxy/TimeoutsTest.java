package io.weir.proxy;

import static io.weir.proxy.Proxy.group;
import static io.weir.proxy.Proxy.settings;
import static io.weir.proxy.RouteSpec.to;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.config.RouteConfig;
import io.weir.zone.Ticker;
import java.io.EOFException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Timeouts towards upstreams and clients: proxying.md section 2. */
@ExtendWith(Leaks.class)
class TimeoutsTest {

    private static final String GET = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

    private static RouteConfig app(String connect, String send, String read) {
        return to("app").proxy(settings(connect, send, read)).telling().route();
    }

    /** For {@link Proxy#awaitTurn}. */
    private static final RouteConfig TURN =
            RouteSpec.answering("turn").exact("/turn").route();

    /** Whatever the clock says is due has had its time to expire; a slow machine only weakens the test. */
    private static void letTimeoutsExpire(Proxy proxy) throws Exception {
        Thread.sleep(150);
        proxy.awaitTurn("/turn");
    }

    private static long millisSince(long start) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
    }

    /** A listener whose queue is full drops what comes next without a word. */
    @Test
    void connectThatIsNeverAnsweredEnds() throws Exception {
        List<Socket> queue = new ArrayList<>();
        try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            for (int i = 0; i < 4; i++) {
                Socket socket = new Socket();
                queue.add(socket);
                try {
                    socket.connect(full.getLocalSocketAddress(), 100);
                } catch (java.net.SocketTimeoutException e) {
                    break;
                }
            }
            try (Proxy proxy = Proxy.start(
                    List.of(group("app", "127.0.0.1:" + full.getLocalPort())), app("300ms", "10m", "10m"))) {
                long start = System.nanoTime();
                Client.Response response = Client.get(proxy.port(), "/");
                assertThat(response.status()).isEqualTo(504);
                assertThat(response.field("X-Attempts")).isEqualTo("504");
                assertThat(millisSince(start)).isGreaterThanOrEqualTo(300);
                assertThat(proxy.peers("app").get(0).conns()).isZero();
            }
        } finally {
            for (Socket socket : queue) {
                socket.close();
            }
        }
    }

    /** proxying.md 2 [V31]: a trickling head does not extend it; 504 at 1.0 s. */
    @Test
    void headThatTricklesIsNotWaitedForAnyLonger() throws Exception {
        try (Backend backend = Backend.with(connection -> {
                    connection.readRequest();
                    connection.write("HTTP/1.1 200 OK\r\n");
                    for (int i = 0; true; i++) {
                        Thread.sleep(400);
                        connection.write("X-" + i + ": y\r\n");
                    }
                });
                Proxy proxy = Proxy.start(List.of(group("app", backend.address())), app("5s", "5s", "1s"));
                Client client = Client.to(proxy.port())) {
            long start = System.nanoTime();
            client.send(GET);
            assertThat(client.read().status()).isEqualTo(504);
            assertThat(millisSince(start)).isGreaterThanOrEqualTo(1_000);
        }
    }

    /** The head is awaited from the end of the request on, whatever else the client sends. */
    @Test
    void pipelinedBytesDoNotPutTheHeadOff() throws Exception {
        MovableTicker ticker = new MovableTicker();
        try (Backend backend = Backend.with(connection -> {
                    connection.readRequest();
                    connection.readRequest();
                });
                Proxy proxy = Proxy.start(
                        1, ticker, List.of(group("app", backend.address())), app("10m", "10m", "10m"), TURN);
                Client client = Client.to(proxy.port())) {
            client.send(GET);
            await().until(() -> backend.requests().size() == 1);
            proxy.awaitTurn("/turn");
            ticker.skip(Duration.ofMinutes(6));
            client.send("GET /");
            proxy.awaitTurn("/turn");
            ticker.skip(Duration.ofMinutes(6));
            assertThat(client.read().status()).isEqualTo(504);
        }
    }

    /** proxying.md 2 [V31]: steps of 0.6 of the limit pass. */
    @Test
    void bodyMayPauseForLessThanTheTimeout() throws Exception {
        MovableTicker ticker = new MovableTicker();
        Semaphore wanted = new Semaphore(0);
        try (Backend backend = Backend.with(connection -> {
                    connection.readRequest();
                    connection.write("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n");
                    for (int i = 0; i < 3; i++) {
                        wanted.acquire();
                        connection.write("a");
                    }
                });
                Proxy proxy = Proxy.start(
                        1, ticker, List.of(group("app", backend.address())), app("10m", "10m", "10m"), TURN);
                Client client = Client.to(proxy.port())) {
            client.send(GET);
            HttpText.readHead(client.in());
            for (int i = 0; i < 3; i++) {
                ticker.skip(Duration.ofMinutes(6));
                letTimeoutsExpire(proxy);
                wanted.release();
                assertThat(client.in().read()).isEqualTo('a');
            }
        }
    }

    /** proxying.md 2 [V31]: response truncated, connection closed. */
    @Test
    void bodyThatStopsIsCutOff() throws Exception {
        try (Backend backend = Backend.with(connection -> {
                    connection.readRequest();
                    connection.write("HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\nab");
                    connection.readRequest();
                });
                Proxy proxy = Proxy.start(List.of(group("app", backend.address())), app("5s", "5s", "300ms"));
                Client client = Client.to(proxy.port())) {
            client.send(GET);
            Assertions.assertThatThrownBy(client::read).isInstanceOf(EOFException.class);
            await().until(() -> backend.open() == 0);
            // proxying.md 8.4: released as OK
            assertThat(proxy.peers("app").get(0).fails()).isZero();
        }
    }

    @Test
    void upstreamThatReadsNothingTimesOutTheSending() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        try (Backend backend = Backend.with(connection -> {
                    connection.readHead();
                    end.await();
                });
                Proxy proxy = Proxy.start(
                        List.of(group("app", backend.address())),
                        to("app")
                                .maxBodySize("0")
                                .proxy(settings("10m", "400ms", "10m"))
                                .route());
                Client client = Client.to(proxy.port())) {
            long start = System.nanoTime();
            Thread sender = sendZeros(client, 64 << 20);
            assertThat(client.read().status()).isEqualTo(504);
            assertThat(millisSince(start)).isGreaterThanOrEqualTo(400);
            client.close();
            sender.join();
        } finally {
            end.countDown();
        }
    }

    private static Thread sendZeros(Client client, int length) throws Exception {
        client.send("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: " + length + "\r\n\r\n");
        Thread sender = new Thread(() -> {
            byte[] piece = new byte[64 * 1024];
            try {
                for (int sent = 0; sent < length; sent += piece.length) {
                    client.send(piece);
                }
            } catch (java.io.IOException e) {
                // the proxy has given up
            }
        });
        sender.start();
        return sender;
    }

    /** send_timeout is between two writes, so an upstream that is slow but reads is no failure. */
    @Test
    void upstreamThatReadsSlowlyIsWaitedFor() throws Exception {
        int length = 16 << 20;
        MovableTicker ticker = new MovableTicker();
        try (Backend backend = Backend.with(connection -> {
                    connection.socket().setReceiveBufferSize(64 * 1024);
                    connection.readHead();
                    // a socket holds a few of these: that much is taken without the proxy, and the clock moves
                    // meanwhile
                    for (int got = 0; got < length; got += 256 * 1024) {
                        connection.in().readNBytes(256 * 1024);
                        Thread.sleep(10);
                        ticker.skip(Duration.ofSeconds(2));
                    }
                    connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
                });
                Proxy proxy = Proxy.start(
                        1,
                        ticker,
                        List.of(group("app", backend.address())),
                        to("app")
                                .maxBodySize("0")
                                .proxy(settings("60s", "60s", "10m"))
                                .route());
                Client client = Client.to(proxy.port())) {
            Thread sender = sendZeros(client, length);
            assertThat(client.read().status()).isEqualTo(200);
            sender.join();
        }
    }

    /** No timer of the upstream's runs while it is the client that has to send. */
    @Test
    void clientThatPausesDoesNotTimeOutTheUpstream() throws Exception {
        int length = 16 << 20;
        MovableTicker ticker = new MovableTicker();
        CountDownLatch allButOne = new CountDownLatch(1);
        try (Backend backend = Backend.with(connection -> {
                    connection.readHead();
                    // long enough for the proxy's writes to block
                    Thread.sleep(300);
                    connection.in().readNBytes(length - 1);
                    allButOne.countDown();
                    connection.in().read();
                    connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
                });
                Proxy proxy = Proxy.start(
                        1,
                        ticker,
                        List.of(group("app", backend.address())),
                        to("app")
                                .maxBodySize("0")
                                .proxy(settings("20s", "20s", "20s"))
                                .streamingRequests()
                                .route(),
                        TURN);
                Client client = Client.to(proxy.port())) {
            client.send("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: " + length + "\r\n\r\n");
            client.send(new byte[length - 1]);
            allButOne.await();
            // that of the client's own is 60 s
            ticker.skip(Duration.ofSeconds(40));
            letTimeoutsExpire(proxy);
            assertThat(client.request("a").status()).isEqualTo(200);
        }
    }

    /** A client that takes nothing must not look like a peer that sends nothing: proxying.md 2. */
    @Test
    void slowClientNeverCausesAnUpstreamTimeout() throws Exception {
        int length = 32 << 20;
        MovableTicker ticker = new MovableTicker();
        AtomicInteger written = new AtomicInteger();
        try (Backend backend = Backend.with(connection -> {
                    connection.readRequest();
                    connection.write("HTTP/1.1 200 OK\r\nContent-Length: " + length + "\r\n\r\n");
                    byte[] piece = new byte[64 * 1024];
                    while (written.addAndGet(piece.length) <= length) {
                        connection.write(piece);
                    }
                });
                Proxy proxy = Proxy.start(
                        1, ticker, List.of(group("app", backend.address())), app("20s", "20s", "20s"), TURN);
                Client client = Client.to(proxy.port())) {
            client.send(GET);
            int[] last = {0};
            await().pollInterval(Duration.ofMillis(300))
                    .until(() -> written.get() > 0 && last[0] == (last[0] = written.get()));
            // that of the client's own is 60 s
            ticker.skip(Duration.ofSeconds(40));
            letTimeoutsExpire(proxy);
            assertThat(client.read().content()).hasSize(length);
        }
    }

    /** The clock of a loop that is held up: the next time that it is asked on a loop, something else comes first. */
    private static final class InterruptedTicker implements Ticker {

        private final MovableTicker clock = new MovableTicker();
        private final AtomicReference<Runnable> interruption = new AtomicReference<>();

        @Override
        public long nanos() {
            long now = clock.nanos();
            if (Thread.currentThread().getName().startsWith("weir-")) {
                Runnable first = interruption.getAndSet(null);
                if (first != null) {
                    first.run();
                }
            }
            return now;
        }
    }

    /** nginx polls, then expires: what has come by the time a timeout is due counts, however late it is looked at. */
    @Test
    void loopThatWasHeldUpReadsBeforeAnythingTimesOut() throws Exception {
        int pieces = 20;
        Semaphore wanted = new Semaphore(0);
        Semaphore written = new Semaphore(0);
        InterruptedTicker ticker = new InterruptedTicker();
        try (Backend backend = Backend.with(connection -> {
                    connection.readRequest();
                    connection.write("HTTP/1.1 200 OK\r\nContent-Length: " + 2 * pieces + "\r\n\r\n");
                    for (int i = 0; i < 2 * pieces; i++) {
                        wanted.acquire();
                        connection.write("a");
                        written.release();
                    }
                });
                Proxy proxy =
                        Proxy.start(1, ticker, List.of(group("app", backend.address())), app("60s", "60s", "60s"));
                Client client = Client.to(proxy.port())) {
            client.send(GET);
            assertThat(HttpText.readHead(client.in())).startsWith("HTTP/1.1 200 OK");
            for (int i = 0; i < pieces; i++) {
                // as the loop reads one piece the next one comes, and a long time passes before it gets on
                ticker.interruption.set(() -> {
                    wanted.release();
                    written.acquireUninterruptibly(2);
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(30));
                    ticker.clock.skip(Duration.ofMinutes(2));
                });
                wanted.release();
                assertThat(HttpText.readExactly(client.in(), 2)).isEqualTo(new byte[] {'a', 'a'});
            }
        }
    }

    // ---- clients; nginx's defaults are long, so the clock is put forward ----

    @Test
    void clientThatSendsNoHeadIsClosed() throws Exception {
        MovableTicker ticker = new MovableTicker();
        try (Proxy proxy = Proxy.start(1, ticker, List.of());
                Client silent = Client.to(proxy.port());
                Client begun = Client.to(proxy.port());
                Client trickling = Client.to(proxy.port())) {
            begun.send("GET / HT");
            trickling.send("GET / HTTP/1.1\r\n");
            await().until(() -> proxy.dataPlane().connections().open() == 3);
            ticker.skip(Duration.ofSeconds(50));
            trickling.send("Host: x\r\n");
            Thread.sleep(100);
            assertThat(proxy.dataPlane().connections().open()).isEqualTo(3);
            await().pollInterval(Duration.ofMillis(50)).until(() -> {
                ticker.skip(Duration.ofSeconds(11));
                return proxy.dataPlane().connections().open() == 0;
            });
            assertThat(silent.isClosed()).isTrue();
            // RFC 9110 section 15.5.9
            assertThat(begun.readAll()).startsWith("HTTP/1.1 408 ");
        }
    }

    @Test
    void idleClientIsClosedAfter75Seconds() throws Exception {
        MovableTicker ticker = new MovableTicker();
        try (Proxy proxy = Proxy.start(
                        1, ticker, List.of(), RouteSpec.answering("a").route());
                Client client = Client.to(proxy.port())) {
            assertThat(client.request(GET).body()).isEqualTo("a");
            ticker.skip(Duration.ofSeconds(70));
            Thread.sleep(100);
            assertThat(client.request(GET).body()).isEqualTo("a");
            // the response may be there before the proxy has begun to wait for the next request
            await().pollInterval(Duration.ofMillis(50)).until(() -> {
                ticker.skip(Duration.ofSeconds(76));
                return proxy.dataPlane().connections().open() == 0;
            });
            assertThat(client.isClosed()).isTrue();
        }
    }

    /** proxying.md 3: a client that stalls while its body is read. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void clientThatStopsInItsBodyIsAnswered408(boolean buffering) throws Exception {
        MovableTicker ticker = new MovableTicker();
        try (Backend backend = Backend.saying("a");
                Proxy proxy = Proxy.start(
                        1,
                        ticker,
                        List.of(group("app", backend.address())),
                        to("app").requestBuffering(buffering, "64k").telling().route());
                Client client = Client.to(proxy.port())) {
            client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc");
            await().until(() -> buffering || backend.connections() == 1);
            await().pollInterval(Duration.ofMillis(50)).until(() -> {
                ticker.skip(Duration.ofSeconds(61));
                return client.in().available() > 0;
            });
            Client.Response response = client.read();
            assertThat(response.status()).isEqualTo(408);
            assertThat(response.field("Connection")).isEqualTo("close");
            await().until(() -> backend.open() == 0);
            // proxying.md 1: a buffered body comes before any peer
            assertThat(backend.connections()).isEqualTo(buffering ? 0 : 1);
            assertThat(proxy.peers("app").get(0).fails()).isZero();
        }
    }

    /** proxying.md 2: client send_timeout; the client is treated as gone. */
    @Test
    void clientThatReadsNothingIsGivenUp() throws Exception {
        MovableTicker ticker = new MovableTicker();
        try (Backend backend = Backend.with(connection -> {
                    connection.readRequest();
                    connection.write("HTTP/1.1 200 OK\r\nContent-Length: " + (64 << 20) + "\r\n\r\n");
                    connection.write(new byte[64 << 20]);
                });
                Proxy proxy =
                        Proxy.start(1, ticker, List.of(group("app", backend.address())), app("60s", "60s", "60s"));
                Client client = Client.to(proxy.port())) {
            client.send(GET);
            await().until(() -> proxy.peers("app").get(0).conns() == 1);
            await().pollInterval(Duration.ofMillis(50)).until(() -> {
                ticker.skip(Duration.ofSeconds(61));
                return proxy.dataPlane().connections().open() == 0;
            });
            await().until(() -> backend.open() == 0);
        }
    }

    /** A response that the upstream has sent whole, to a client that reads no more of it: nothing waits forever. */
    @Test
    void clientThatNeverTakesTheRestIsGivenUpAlsoAfterTheResponse() throws Exception {
        MovableTicker ticker = new MovableTicker();
        for (String connection : List.of("close", "keep-alive")) {
            try (Backend backend = Backend.with(c -> {
                        c.readRequest();
                        int length = 16 << 20;
                        c.write("HTTP/1.1 200 OK\r\nContent-Length: " + length + "\r\n\r\n");
                        c.write(new byte[length]);
                    });
                    Proxy proxy =
                            Proxy.start(1, ticker, List.of(group("app", backend.address())), app("60s", "60s", "60s"));
                    Client client = Client.to(proxy.port())) {
                client.send("GET / HTTP/1.1\r\nHost: x\r\nConnection: " + connection + "\r\n\r\n");
                // the client takes just so much that the rest fits the proxy's buffers
                await().until(() -> proxy.peers("app").get(0).conns() == 1);
                await().until(() -> {
                    client.in().readNBytes(256 * 1024);
                    return proxy.peers("app").get(0).conns() == 0;
                });
                await().pollInterval(Duration.ofMillis(50)).until(() -> {
                    // the first time there may have been some progress
                    ticker.skip(Duration.ofSeconds(80));
                    return proxy.dataPlane().connections().open() == 0;
                });
            }
        }
    }
}
