package io.weir.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.control.Api;
import io.weir.proxy.Backend;
import io.weir.proxy.Client;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three replicas, restarted one after the other under load, as a Deployment of Kubernetes does. In front of them clients that
 * do what a Service does: they ask each for its readiness from time to time, and send to those that are ready. No request fails.
 */
class RollingRestartIT {

    private static final int REPLICAS = 3;
    private static final int CLIENTS = 6;
    private static final int POLL_MILLIS = 200;
    private static final int PAUSE_MILLIS = 2;

    /** Answers that must come between the steps, so that each step meets traffic. */
    private static final int ANSWERS = 300;

    private static final String GET = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

    /** No proxy may send it twice. */
    private static final String POST = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody";

    @TempDir
    private Path directory;

    private final List<Replica> replicas = new ArrayList<>();
    private final Queue<String> failures = new ConcurrentLinkedQueue<>();
    private final AtomicInteger answers = new AtomicInteger();
    private final AtomicBoolean done = new AtomicBoolean();

    /** A Weir, and what the clients believe of it. */
    private static final class Replica {

        private final WeirProcess weir;
        private final AtomicInteger answers = new AtomicInteger();
        private volatile boolean ready;

        Replica(WeirProcess weir) {
            this.weir = weir;
        }
    }

    @Test
    void losesNoRequest() throws Exception {
        ExecutorService threads = Executors.newCachedThreadPool();
        try (Backend backend = Backend.saying("done")) {
            for (int i = 0; i < REPLICAS; i++) {
                Replica replica = new Replica(
                        WeirProcess.create(directory.resolve("replica-" + i), "--weir.data-plane.shutdown-delay=8s"));
                replicas.add(replica);
                replica.weir.start();
                configure(replica.weir.api(), backend);
            }
            Future<?> poll = threads.submit(this::poll);
            await().until(() -> replicas.stream().allMatch(replica -> replica.ready));
            List<Future<?>> clients = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                int first = i;
                clients.add(threads.submit(() -> send(first)));
            }
            awaitAnswers();
            for (Replica replica : replicas) {
                roll(replica);
            }
            done.set(true);
            for (Future<?> client : clients) {
                client.get();
            }
            poll.get();
            System.out.printf(
                    "%d requests while %d replicas were restarted, failed: %s%n", answers.get(), REPLICAS, failures);
            assertThat(failures).isEmpty();
        } finally {
            done.set(true);
            threads.shutdownNow();
            replicas.forEach(replica -> replica.weir.close());
        }
    }

    private static void configure(Api api, Backend backend) {
        api.put("/api/v1/upstreams/app", "{\"servers\":[{\"address\":\"" + backend.address() + "\"}]}");
        api.put("/api/v1/listeners/web/routes", "{\"items\":[{\"name\":\"all\",\"upstream\":\"app\"}]}");
        assertThat(api.patch("/api/v1/listeners/web", "{\"client\":{\"keepaliveRequests\":1000000}}")
                        .status())
                .isEqualTo(200);
    }

    private void roll(Replica replica) {
        replica.weir.terminate();
        assertThat(replica.weir.awaitExit()).isIn(0, 143);
        awaitAnswers();
        replica.weir.start();
        await().until(() -> replica.ready);
        int before = replica.answers.get();
        // it has its share again before the next one goes
        await().until(() -> replica.answers.get() > before + ANSWERS / REPLICAS);
    }

    private void awaitAnswers() {
        int before = answers.get();
        await().until(() -> answers.get() > before + ANSWERS || !failures.isEmpty());
    }

    private Void poll() throws InterruptedException {
        while (!done.get()) {
            for (Replica replica : replicas) {
                replica.ready = isReady(replica.weir.api());
            }
            Thread.sleep(POLL_MILLIS);
        }
        return null;
    }

    private static boolean isReady(Api api) {
        try {
            return api.get("/actuator/health/readiness").status() == 200;
        } catch (UncheckedIOException e) {
            return false;
        }
    }

    /** One request after the other, each to the next replica that is ready, on connections that are kept as long as it is. */
    private Void send(int first) throws InterruptedException, IOException {
        Client[] connections = new Client[REPLICAS];
        for (int i = first; !done.get(); i++) {
            int to = i % REPLICAS;
            Replica replica = replicas.get(to);
            if (!replica.ready) {
                close(connections, to);
                continue;
            }
            try {
                if (connections[to] == null) {
                    connections[to] = Client.to(replica.weir.port());
                }
                Client.Response response = connections[to].request(i % 4 == 0 ? POST : GET);
                if (response.status() != 200 || !response.body().equals("done")) {
                    failures.add("replica " + to + ": " + response.head());
                }
                answers.incrementAndGet();
                replica.answers.incrementAndGet();
            } catch (IOException e) {
                failures.add("replica " + to + ": " + e);
                close(connections, to);
            }
            Thread.sleep(PAUSE_MILLIS);
        }
        for (int i = 0; i < REPLICAS; i++) {
            close(connections, i);
        }
        return null;
    }

    private static void close(Client[] connections, int which) throws IOException {
        if (connections[which] != null) {
            connections[which].close();
            connections[which] = null;
        }
    }
}
