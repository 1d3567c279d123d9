package io.weir.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.weir.control.Api;
import io.weir.proxy.Backend;
import io.weir.proxy.Client;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code kill}, as systemd and Kubernetes send it: what is in flight ends, nothing new begins. */
class GracefulStopIT {

    /** Of the signal: 128 + 15. */
    private static final int TERMINATED = 143;

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
            client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
            await().until(() -> !backend.requests().isEmpty());
            weir.terminate();
            assertThat(weir.awaitExit()).isIn(0, TERMINATED);
            assertThatThrownBy(client::read).isInstanceOf(IOException.class);
        }
    }
}
