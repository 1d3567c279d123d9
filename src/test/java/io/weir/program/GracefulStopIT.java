package io.weir.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.weir.control.Api;
import io.weir.proxy.Backend;
import io.weir.proxy.Client;
import java.net.ConnectException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code kill}, as systemd and Kubernetes send it: what is in flight ends, nothing new begins. */
class GracefulStopIT {

    /** Of the signal: 128 + 15. */
    private static final int TERMINATED = 143;

    private static final int CLIENTS = 8;
    private static final String GET = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void endThreads() {
        threads.shutdownNow();
    }

    @TempDir
    private Path directory;

    @Test
    void whatIsInFlightEndsAndNothingNewBegins() throws Exception {
        CountDownLatch answerNow = new CountDownLatch(1);
        try (Backend backend = Backend.with(connection -> {
                    for (String head = connection.readRequest(); head != null; head = connection.readRequest()) {
                        if (head.startsWith("GET /slow")) {
                            answerNow.await(120, TimeUnit.SECONDS);
                        }
                        connection.write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone");
                    }
                });
                WeirProcess weir = WeirProcess.start(directory, "--weir.data-plane.shutdown-timeout=10m");
                Client busy = Client.to(weir.port());
                Client idle = Client.to(weir.port())) {
            Api api = weir.api();
            api.put("/api/v1/upstreams/app", "{\"servers\":[{\"address\":\"" + backend.address() + "\"}]}");
            api.put("/api/v1/listeners/web/routes", "{\"items\":[{\"name\":\"all\",\"upstream\":\"app\"}]}");
            assertThat(idle.request("GET / HTTP/1.1\r\nHost: x\r\n\r\n").body()).isEqualTo("done");
            busy.send("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n");
            await().until(() -> backend.requests().stream().anyMatch(head -> head.startsWith("GET /slow")));
            long begin = System.nanoTime();
            weir.terminate();

            await().untilAsserted(() ->
                    assertThatThrownBy(() -> Client.to(weir.port()).close()).isInstanceOf(ConnectException.class));
            // a connection on which nothing runs is closed, not left to the limit
            assertThat(idle.isClosed()).isTrue();
            CompletableFuture.delayedExecutor(2, TimeUnit.SECONDS).execute(answerNow::countDown);
            Client.Response response = busy.read();
            assertThat(response.status()).isEqualTo(200);
            assertThat(response.body()).isEqualTo("done");
            assertThat(response.field("Connection")).isEqualTo("close");
            assertThat(System.nanoTime() - begin).isGreaterThan(TimeUnit.SECONDS.toNanos(2));
            // when the last request has ended, and not at the limit, which is far off
            assertThat(weir.awaitExit()).isIn(0, TERMINATED);
        } finally {
            answerNow.countDown();
        }
    }

    @Test
    void aRequestThatDoesNotEndIsCutAtTheLimit() throws Exception {
        try (Backend backend = Backend.with(connection -> {
                    connection.readRequest();
                    connection.in().read();
                });
                WeirProcess weir = WeirProcess.start(directory, "--weir.data-plane.shutdown-timeout=1s");
                Client client = Client.to(weir.port())) {
            Api api = weir.api();
            api.put("/api/v1/upstreams/app", "{\"servers\":[{\"address\":\"" + backend.address() + "\"}]}");
            api.put("/api/v1/listeners/web/routes", "{\"items\":[{\"name\":\"all\",\"upstream\":\"app\"}]}");
            api.patch(
                    "/api/v1/listeners/web",
                    "{\"accessLog\":{\"path\":\"access.log\",\"format\":\"$status $request_uri\"}}");
            client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
            await().until(() -> !backend.requests().isEmpty());
            weir.terminate();
            // told, rather than left to guess, whether anything came of it
            assertThat(client.read().status()).isEqualTo(503);
            assertThat(client.isClosed()).isTrue();
            client.close();
            assertThat(weir.awaitExit()).isIn(0, TERMINATED);
            assertThat(Files.readString(directory.resolve("access.log"))).isEqualTo("503 /\n");
        }
    }

    @Test
    void webSocketIsToldAndTheStopNeedNotWaitForTheLimit() throws Exception {
        String goingAway = "\u0088\u0002\u0003\u00e9";
        String answer = "\u0088\u0082\0\0\0\0\u0003\u00e9";
        CompletableFuture<String> got = new CompletableFuture<>();
        try (Backend backend = Backend.with(connection -> {
                    connection.readHead();
                    connection.write(
                            "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
                                    + "\u0081\u0002hi");
                    byte[] all = connection.in().readAllBytes();
                    got.complete(new String(all, StandardCharsets.ISO_8859_1));
                });
                WeirProcess weir = WeirProcess.start(directory, "--weir.data-plane.shutdown-timeout=10m");
                Client client = Client.to(weir.port())) {
            routeAllTo(backend, weir);
            client.send("GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
            assertThat(client.read().status()).isEqualTo(101);
            assertThat(client.in().readNBytes(4)).hasSize(4);
            weir.terminate();
            assertThat(new String(client.in().readNBytes(4), StandardCharsets.ISO_8859_1))
                    .isEqualTo(goingAway);
            client.send(answer);
            assertThat(client.isClosed()).isTrue();
            client.close();
            assertThat(got.get(60, TimeUnit.SECONDS)).isEqualTo(answer);
            assertThat(weir.awaitExit()).isIn(0, TERMINATED);
        }
    }

    /** Whoever asks for readiness before it sends can turn elsewhere in time, and loses nothing. */
    @Test
    void readinessGoesDownWhileTheListenersStillAnswer() throws Exception {
        try (Backend backend = Backend.saying("done");
                WeirProcess weir = WeirProcess.start(directory, "--weir.data-plane.shutdown-delay=8s")) {
            routeAllTo(backend, weir);
            AtomicBoolean ready = new AtomicBoolean(true);
            AtomicInteger answered = new AtomicInteger();
            List<Future<?>> clients = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                clients.add(threads.submit(() -> {
                    try (Client client = Client.to(weir.port())) {
                        while (ready.get()) {
                            assertThat(client.request(GET).body()).isEqualTo("done");
                            if (answered.incrementAndGet() % 200 == 0) {
                                Thread.sleep(1);
                            }
                        }
                    }
                    return null;
                }));
            }
            await().until(() -> answered.get() > 100);
            weir.terminate();
            await().until(() -> weir.api().get("/actuator/health/readiness").status() == 503);
            assertThat(weir.api()
                            .get("/actuator/health/readiness")
                            .json()
                            .path("status")
                            .asString())
                    .isEqualTo("OUT_OF_SERVICE");
            // one that has not heard of it yet
            assertThat(Client.get(weir.port(), "/").body()).isEqualTo("done");
            ready.set(false);
            for (Future<?> client : clients) {
                client.get();
            }
            assertThat(weir.awaitExit()).isIn(0, TERMINATED);
        }
    }

    /** Nobody knows beforehand: what was connected is answered, what is refused can go elsewhere. */
    @Test
    void clientThatConnectedIsAnswered() throws Exception {
        try (Backend backend = Backend.saying("done");
                WeirProcess weir = WeirProcess.start(directory)) {
            routeAllTo(backend, weir);
            // each request has a connection of its own
            weir.api().patch("/api/v1/listeners/web", "{\"client\":{\"keepaliveTimeout\":\"0s\"}}");
            AtomicInteger answered = new AtomicInteger();
            List<Future<?>> clients = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                clients.add(threads.submit(() -> {
                    while (true) {
                        Client client;
                        try {
                            client = Client.to(weir.port());
                        } catch (ConnectException e) {
                            return null;
                        }
                        try (client) {
                            assertThat(client.request(GET).body()).isEqualTo("done");
                            answered.incrementAndGet();
                        }
                    }
                }));
            }
            await().until(() -> answered.get() > 500);
            weir.terminate();
            for (Future<?> client : clients) {
                client.get();
            }
            assertThat(weir.awaitExit()).isIn(0, TERMINATED);
        }
    }

    /**
     * Readiness goes first, the listeners next, the API after the last request, and the store at the end. The time that Spring
     * gives a phase cuts nothing of that short, and neither does an impatient operator.
     */
    @Test
    void whatIsStillNeededStopsLast() throws Exception {
        CountDownLatch answerNow = new CountDownLatch(1);
        try (Backend backend = Backend.with(connection -> {
                    for (String head = connection.readRequest(); head != null; head = connection.readRequest()) {
                        if (head.startsWith("GET /slow")) {
                            answerNow.await(120, TimeUnit.SECONDS);
                        }
                        connection.write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone");
                    }
                });
                WeirProcess weir = WeirProcess.start(
                        directory,
                        "--weir.data-plane.shutdown-delay=8s",
                        "--weir.data-plane.shutdown-timeout=10m",
                        "--spring.lifecycle.timeout-per-shutdown-phase=1s");
                Client busy = Client.to(weir.port())) {
            routeAllTo(backend, weir);
            busy.send("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n");
            await().until(() -> backend.requests().stream().anyMatch(head -> head.startsWith("GET /slow")));
            Api api = weir.api();
            weir.terminate();
            await().until(() -> api.get("/actuator/health/readiness").status() == 503);
            weir.terminate();
            // the delay: only readiness has gone
            assertThat(api.get("/actuator/health/liveness").status()).isEqualTo(200);
            assertThat(api.put("/api/v1/upstreams/early", "{}").status()).isEqualTo(201);
            assertThat(Client.get(weir.port(), "/").body()).isEqualTo("done");
            await().untilAsserted(() ->
                    assertThatThrownBy(() -> Client.to(weir.port()).close()).isInstanceOf(ConnectException.class));
            // the listeners have gone, a request has not ended: the API and the store are still there
            weir.terminate();
            TimeUnit.SECONDS.sleep(2);
            assertThat(api.get("/actuator/health/readiness").status()).isEqualTo(503);
            assertThat(api.put("/api/v1/upstreams/late", "{}").status()).isEqualTo(201);
            answerNow.countDown();
            assertThat(busy.read().body()).isEqualTo("done");
            assertThat(weir.awaitExit()).isIn(0, TERMINATED);
            assertThat(Files.readString(weir.printed()))
                    .containsSubsequence("no longer ready", "Commencing graceful shutdown", "Shutdown completed.")
                    .doesNotContain(" ERROR ");
            weir.start();
            assertThat(api.get("/api/v1/upstreams/early").status()).isEqualTo(200);
            assertThat(api.get("/api/v1/upstreams/late").status()).isEqualTo(200);
        } finally {
            answerNow.countDown();
        }
    }

    /** At whatever moment of a start: it ends by itself, and leaves nothing that the next start stumbles over. */
    @Test
    void aStartCanBeStopped() throws Exception {
        try (WeirProcess weir = WeirProcess.create(directory)) {
            for (String moment : List.of("Starting LoadBalancerApplication", "Start completed", "listening on")) {
                Files.deleteIfExists(weir.printed());
                weir.launch();
                await(moment)
                        .pollInterval(Duration.ofMillis(10))
                        .until(() -> Files.exists(weir.printed())
                                && Files.readString(weir.printed()).contains(moment));
                weir.terminate();
                assertThat(weir.awaitExit()).as(moment).isIn(0, TERMINATED);
            }
            weir.start();
            assertThat(weir.api().get("/api/v1/listeners/web").status()).isEqualTo(200);
        }
    }

    private static void routeAllTo(Backend backend, WeirProcess weir) {
        Api api = weir.api();
        api.put("/api/v1/upstreams/app", "{\"servers\":[{\"address\":\"" + backend.address() + "\"}]}");
        api.put("/api/v1/listeners/web/routes", "{\"items\":[{\"name\":\"all\",\"upstream\":\"app\"}]}");
        api.patch("/api/v1/listeners/web", "{\"client\":{\"keepaliveRequests\":1000000}}");
    }
}
