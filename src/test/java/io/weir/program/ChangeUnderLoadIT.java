package io.weir.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.control.Api;
import io.weir.program.Load.Gate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The reason why Weir exists: a group that is changed all the time, while nobody who uses it notices. */
class ChangeUnderLoadIT {

    private static final int CONNECTIONS = 200;
    private static final int OTHER_CONNECTIONS = 20;
    private static final long PAUSE_MILLIS = 60;
    private static final int WEIGHTS = 1000;
    private static final int ADDITIONS = 100;
    private static final int DOWNS = 100;
    private static final String APP = "/api/v1/upstreams/app";

    private final WeirProcess weir = WeirProcess.shared();
    private final Api api = weir.api();
    private final int port = Api.freePort();

    @BeforeEach
    void clear() {
        api.clear();
    }

    @Test
    void nobodyNoticesAThousandChanges() throws Exception {
        Map<String, NamedBackend> backends = Stream.of("a", "b", "c", "d", "guest", "x", "y")
                .collect(Collectors.toMap(name -> name, NamedBackend::start));
        Gate downGate = new Gate();
        Gate guestGate = new Gate();
        // it is not there at first
        guestGate.closed();
        try (Load load = new Load(port, PAUSE_MILLIS, Map.of("d", downGate, "guest", guestGate))) {
            addGroup("app", backends, "a", "b", "c", "d");
            addGroup("other", backends, "x", "y");
            assertThat(api.put("/api/v1/listeners/test", """
                            {"bind": "127.0.0.1", "client": {"keepaliveRequests": 1000000000}, "port": %d, "routes": [
                              {"name": "app", "path": {"value": "/app/"}, "upstream": "app"},
                              {"name": "other", "path": {"value": "/other/"}, "upstream": "other"}]}
                            """.formatted(port)).status())
                    .isEqualTo(201);
            load.add(CONNECTIONS, "/app/", List.of("a", "b", "c", "d", "guest"));
            load.add(OTHER_CONNECTIONS, "/other/", List.of("x", "y"));
            await().until(() -> load.answers() > CONNECTIONS);

            long begin = System.nanoTime();
            ExecutorService operators = Executors.newFixedThreadPool(3);
            List<Future<?>> changes = new ArrayList<>();
            changes.add(operators.submit(this::changeWeights));
            changes.add(
                    operators.submit(() -> comeAndGo(load, backends.get("guest").port(), guestGate)));
            changes.add(operators.submit(() -> downAndUp(load, downGate)));
            for (Future<?> change : changes) {
                change.get(5, TimeUnit.MINUTES);
            }
            operators.shutdown();
            double seconds = (System.nanoTime() - begin) / 1e9;
            long answers = load.answers();
            await().until(() -> load.answers() > answers + CONNECTIONS);
            int running = load.running();
            load.stop();
            await().until(() -> load.running() == 0);

            System.out.printf(
                    "%d changes in %.1f s beside %d answers on %d connections: %d failed%n",
                    WEIGHTS + 2 * ADDITIONS + 2 * DOWNS, seconds, load.answers(), running, load.failed());
            assertThat(load.failures()).isEmpty();
            assertThat(load.failed()).isZero();
            assertThat(running).isEqualTo(CONNECTIONS + OTHER_CONNECTIONS);
            assertThat(backends.values())
                    .allSatisfy(backend ->
                            assertThat(backend.requests()).as(backend.name()).isPositive());
            // none was sent twice
            assertThat(backends.values().stream()
                            .mapToInt(NamedBackend::requests)
                            .sum())
                    .isEqualTo((int) load.answers());
            assertNothingIsLeft(backends);
        } finally {
            backends.values().forEach(NamedBackend::close);
        }
    }

    private void addGroup(String name, Map<String, NamedBackend> backends, String... servers) {
        String items = Stream.of(servers)
                .map(server -> "{\"address\":\"" + backends.get(server).address() + "\"}")
                .collect(Collectors.joining(","));
        assertThat(api.put("/api/v1/upstreams/" + name, "{\"servers\":[" + items + "]}")
                        .status())
                .isEqualTo(201);
    }

    private void changeWeights() {
        Random random = new Random(7);
        Map<Integer, Integer> weights = new HashMap<>();
        for (int i = 0; i < WEIGHTS; i++) {
            int server = 1 + i % 3;
            // never what it is, so that each is a change
            int weight = 1 + (weights.getOrDefault(server, 1) + random.nextInt(8)) % 9;
            weights.put(server, weight);
            expect(200, api.patch(APP + "/servers/" + server, "{\"weight\":" + weight + "}"));
        }
    }

    /** A server that comes each time under another address, and goes. */
    private void comeAndGo(Load load, int guestPort, Gate gate) {
        for (int i = 0; i < ADDITIONS; i++) {
            gate.opens();
            String address = "127.0.1." + (1 + i) + ":" + guestPort;
            Api.Reply added = api.post(APP + "/servers", "{\"address\":\"" + address + "\",\"weight\":3}");
            expect(201, added);
            awaitRequests(added.json().path("id").asInt());
            expect(204, api.delete(APP + "/servers/" + added.json().path("id").asInt()));
            gate.closed();
            awaitAnswers(load);
        }
    }

    private void downAndUp(Load load, Gate gate) {
        for (int i = 0; i < DOWNS; i++) {
            expect(200, api.patch(APP + "/servers/4", "{\"state\":\"down\"}"));
            gate.closed();
            awaitAnswers(load);
            gate.opens();
            expect(200, api.patch(APP + "/servers/4", "{\"state\":\"up\"}"));
        }
    }

    /** So that it is in the middle of something when it goes. */
    private void awaitRequests(int id) {
        await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(5)).until(() -> {
            for (JsonNode peer : api.get(APP + "/peers").json().path("items").values()) {
                if (peer.path("id").asInt() == id) {
                    return peer.path("requests").asLong() > 0;
                }
            }
            return false;
        });
    }

    /** So that some requests are sent in the meantime. */
    private static void awaitAnswers(Load load) {
        long enough = load.answers() + CONNECTIONS / 4;
        await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(5)).until(() -> load.answers() >= enough);
    }

    private static void expect(int status, Api.Reply reply) {
        assertThat(reply.status()).as(reply.text()).isEqualTo(status);
    }

    private void assertNothingIsLeft(Map<String, NamedBackend> backends) {
        await().untilAsserted(() -> {
            for (String group : List.of("app", "other")) {
                JsonNode peers =
                        api.get("/api/v1/upstreams/" + group + "/peers").json().path("items");
                assertThat(peers.values()).allSatisfy(peer -> {
                    assertThat(peer.path("conns").asInt()).isZero();
                    assertThat(peer.path("state").asString()).isEqualTo("up");
                    assertThat(peer.path("fails").asInt()).isZero();
                });
            }
        });
        JsonNode peers = api.get(APP + "/peers").json().path("items");
        assertThat(peers).hasSize(4);
        Metrics metrics = weir.metrics();
        assertThat(metrics.sum("weir_group_zombies", "group=\"app\"")).isZero();
        assertThat(metrics.sum("weir_peer_requests_active")).isZero();
        assertThat(metrics.sum("weir_peer_failures_total")).isZero();
        assertThat(metrics.samples()).noneMatch(line -> line.contains("127.0.1."));
        for (String name : List.of("a", "b", "c", "d")) {
            NamedBackend backend = backends.get(name);
            assertThat(metrics.sum("weir_peer_requests_total", "peer=\"" + backend.address() + "\""))
                    .isEqualTo(backend.requests());
        }
    }
}
