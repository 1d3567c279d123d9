package io.weir.program;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.control.Api;
import io.weir.proxy.Backend;
import io.weir.proxy.Client;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Who gets the next request: nginx's order, and what a peer that refuses costs. */
class BalancingIT {

    private final WeirProcess weir = WeirProcess.shared();
    private final Api api = weir.api();
    private final int port = Api.freePort();

    @BeforeEach
    void clear() {
        api.clear();
    }

    @Test
    void weights511GiveTheOrderOfNginxTwice() throws IOException {
        try (Backend a = Backend.saying("a");
                Backend b = Backend.saying("b");
                Backend c = Backend.saying("c")) {
            addGroup("{\"address\":\"%s\",\"weight\":5},{\"address\":\"%s\"},{\"address\":\"%s\"}"
                    .formatted(a.address(), b.address(), c.address()));
            StringBuilder order = new StringBuilder();
            for (int i = 0; i < 14; i++) {
                order.append(Client.get(port, "/").body());
            }
            assertThat(order).hasToString("aabacaa" + "aabacaa");
        }
    }

    @Test
    void aPeerThatRefusesCostsNoClientAndIsTriedOncePerFailTimeout() throws Exception {
        long failTimeoutMillis = 2000;
        try (Backend a = Backend.saying("a");
                Backend b = Backend.saying("b")) {
            String dead = "127.0.0.1:" + Api.freePort();
            addGroup("{\"address\":\"%s\"},{\"address\":\"%s\"},{\"address\":\"%s\",\"failTimeout\":\"2s\"}"
                    .formatted(a.address(), b.address(), dead));
            Attempts attempts = new Attempts();
            while (attempts.met.isEmpty()) {
                attempts.request();
            }
            // from here on it is known, and several clients at once make no more attempts than one
            ExecutorService clients = Executors.newFixedThreadPool(4);
            List<Future<Void>> running = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                running.add(clients.submit((Callable<Void>) () -> {
                    while (attempts.met.size() < 4) {
                        attempts.request();
                    }
                    return null;
                }));
            }
            for (Future<Void> client : running) {
                client.get(60, TimeUnit.SECONDS);
            }
            clients.shutdown();

            List<Times> met = List.copyOf(attempts.met);
            assertThat(met).hasSize(4);
            for (int i = 1; i < met.size(); i++) {
                long gap = met.get(i).end() - met.get(i - 1).start();
                assertThat(gap).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(failTimeoutMillis));
            }
            JsonNode peer = api.get("/api/v1/upstreams/app/peers").json().at("/items/2");
            assertThat(peer.at("/requests").asInt()).isEqualTo(4);
            assertThat(peer.at("/failures/connect").asInt()).isEqualTo(4);
            assertThat(peer.at("/state").asString()).isEqualTo("unavail");
            Metrics metrics = weir.metrics();
            String label = "peer=\"" + dead + "\"";
            assertThat(metrics.sum("weir_peer_failures_total", label, "reason=\"connect\""))
                    .isEqualTo(4);
            assertThat(metrics.sum("weir_peer_requests_active", "group=\"app\""))
                    .isZero();
        }
    }

    /** Of a request, as its client saw it; whatever it made Weir do lies in between, however slow the machine is. */
    private record Times(long start, long end) {}

    /** Requests, each of which must succeed, and the times of those that met the dead peer first. */
    private final class Attempts {

        private final ConcurrentLinkedQueue<Times> met = new ConcurrentLinkedQueue<>();

        void request() throws IOException {
            long start = System.nanoTime();
            Client.Response response = Client.get(port, "/");
            assertThat(response.status()).isEqualTo(200);
            String tried = response.field("X-Attempts");
            if (!tried.equals("200")) {
                assertThat(tried).isEqualTo("502, 200");
                met.add(new Times(start, System.nanoTime()));
            }
        }
    }

    private void addGroup(String servers) {
        assertThat(api.put("/api/v1/upstreams/app", "{\"servers\":[" + servers + "]}")
                        .status())
                .isEqualTo(201);
        assertThat(api.put("/api/v1/listeners/test", """
                        {"bind": "127.0.0.1", "port": %d, "routes": [{"name": "all", "upstream": "app",
                         "responseHeaders": {"set": {"X-Attempts": "$upstream_status"}}}]}
                        """.formatted(port)).status())
                .isEqualTo(201);
    }
}
