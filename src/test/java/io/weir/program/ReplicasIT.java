package io.weir.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.control.Api;
import io.weir.control.store.TestDatabase;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * Three processes on one PostgreSQL; that of {@code c} is behind a network that fails. They are on one host, so of a
 * listener only one of them gets the port; that a change runs is seen by the peers.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ReplicasIT {

    private static final String APP = "/api/v1/upstreams/app";
    private static final String SERVER = APP + "/servers/1";
    private static final int ROUNDS = 12;

    @TempDir
    private static Path directory;

    private FaultProxy network;
    private WeirProcess a;
    private WeirProcess b;
    private WeirProcess c;
    private List<WeirProcess> nodes = List.of();

    @BeforeAll
    void start() {
        String url = TestDatabase.POSTGRESQL.inMemory();
        int port = URI.create(url.substring("jdbc:".length())).getPort();
        network = new FaultProxy(port);
        a = node("a", url);
        b = node("b", url);
        c = node("c", url.replace(":" + port + "/", ":" + network.port() + "/"));
        nodes = List.of(a, b, c);
        // all make the tables at the same time
        nodes.forEach(WeirProcess::launch);
        nodes.forEach(WeirProcess::awaitReady);
    }

    private WeirProcess node(String name, String url) {
        return WeirProcess.create(
                directory.resolve(name),
                "--spring.datasource.url=" + url,
                "--weir.node.name=" + name,
                "--weir.first-listener.enabled=false");
    }

    @AfterAll
    void stop() {
        nodes.forEach(WeirProcess::close);
        network.close();
    }

    @BeforeEach
    void begin() {
        a.api().clear();
        assertThat(a.api()
                        .put(APP, "{\"servers\":[{\"address\":\"127.0.0.1:1\"}]}")
                        .status())
                .isEqualTo(201);
        nodes.forEach(node -> awaitWeight(node, 1));
    }

    @Test
    void aChangeOnAnyNodeRunsOnAll() {
        long[] nanos = new long[ROUNDS];
        for (int i = 0; i < ROUNDS; i++) {
            int weight = 10 + i;
            assertThat(nodes.get(i % 3)
                            .api()
                            .patch(SERVER, "{\"weight\":" + weight + "}")
                            .status())
                    .isEqualTo(200);
            long begin = System.nanoTime();
            nodes.forEach(node -> awaitWeight(node, weight));
            nanos[i] = System.nanoTime() - begin;
        }
        Arrays.sort(nanos);
        System.out.printf(
                "from an answer until the change runs on three nodes: median %d ms, longest %d ms of %d%n",
                TimeUnit.NANOSECONDS.toMillis(nanos[ROUNDS / 2]),
                TimeUnit.NANOSECONDS.toMillis(nanos[ROUNDS - 1]),
                ROUNDS);
    }

    @Test
    void anAnswerThatWaitsComesWhenAllNodesRunIt() {
        for (int i = 0; i < ROUNDS; i++) {
            Api.Reply reply =
                    nodes.get(i % 3).api().patch(SERVER + "?wait=applied&timeout=60s", "{\"weight\":" + (50 + i) + "}");
            assertThat(reply.status()).as(reply.text()).isEqualTo(200);
            for (WeirProcess node : nodes) {
                assertThat(weight(node)).isEqualTo(50 + i);
            }
        }
    }

    @Test
    void ofConcurrentWritersNoneLosesAChange() throws Exception {
        int each = 8;
        atOnce(n -> {
            for (int i = 0; i < each; i++) {
                String address = "127.0.1." + n + ":" + (i + 1);
                Api.Reply added = nodes.get(n).api().put(APP + "/servers/" + address, "{}");
                assertThat(added.status()).as(added.text()).isEqualTo(201);
                increment(nodes.get(n).api());
            }
        });
        for (WeirProcess node : nodes) {
            awaitWeight(node, 1 + 3 * each);
            assertThat(node.api().get(APP).json().path("servers")).hasSize(1 + 3 * each);
        }
        assertThat(b.api().everything()).isEqualTo(a.api().everything());
        assertThat(c.api().everything()).isEqualTo(a.api().everything());
    }

    /** As a careful client adds one: it expects the version that it has read. */
    private static void increment(Api api) {
        int status;
        do {
            Api.Reply read = api.get(SERVER);
            int next = read.json().path("weight").asInt() + 1;
            status = api.patch(SERVER, "{\"weight\":" + next + "}", "If-Match", read.header("ETag"))
                    .status();
            assertThat(status).isIn(200, 412);
        } while (status == 412);
    }

    private interface Writer {
        void write(int node);
    }

    private void atOnce(Writer writer) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(nodes.size());
        try {
            List<Callable<Object>> tasks = IntStream.range(0, nodes.size())
                    .<Callable<Object>>mapToObj(n -> Executors.callable(() -> writer.write(n)))
                    .toList();
            for (Future<Object> done : threads.invokeAll(tasks)) {
                done.get();
            }
        } finally {
            threads.shutdown();
        }
    }

    @Test
    void aNodeThatCannotApplyAChangeSaysSo() {
        String body = "{\"bind\":\"127.0.0.1\",\"port\":" + Api.freePort() + "}";
        Api.Reply reply = a.api().put("/api/v1/listeners/web?wait=applied&timeout=3s", body);
        assertThat(reply.status()).as(reply.text()).isEqualTo(202);
        assertThat(reply.header("ETag")).isNotEmpty();
        assertThat(reply.header("Location")).isEqualTo("/api/v1/listeners/web");
        for (WeirProcess node : List.of(b, c)) {
            long stored = reply.json().path("revision").asLong();
            patiently()
                    .until(() -> status(node).path("failure").path("revision").asLong(), r -> r == stored);
            JsonNode status = status(node);
            assertThat(status.path("failure").path("reason").asString()).contains("cannot be bound");
            assertThat(status.path("revision").asLong()).isEqualTo(stored - 1);
            assertThat(status.path("storedRevision").asLong()).isEqualTo(stored);
            assertThat(status.path("listeners")).isEmpty();
            assertThat(node.metrics().sum("weir_config_revision")).isEqualTo(stored - 1);
            assertThat(node.metrics().sum("weir_config_stored_revision")).isEqualTo(stored);
        }
        patiently()
                .until(
                        () -> nodesSeenBy(a).stream()
                                .map(node -> node.path("name").asString() + " "
                                        + node.path("failure").path("reason").asString(""))
                                .filter(text -> text.contains("cannot be bound"))
                                .count(),
                        count -> count == 2);
        // what is stored can be put right from any node
        Api.Reply removed = b.api().delete("/api/v1/listeners/web?wait=applied&timeout=60s");
        assertThat(removed.status()).as(removed.text()).isEqualTo(204);
        for (WeirProcess node : nodes) {
            assertThat(status(node).path("failure").isNull()).isTrue();
        }
    }

    /** Prometheus's own linter (Debian: package prometheus), on what is Weir's. */
    @Test
    void promtoolHasNoComplaint() throws Exception {
        String page = a.api()
                .get("/actuator/prometheus")
                .text()
                .lines()
                .filter(line -> line.matches("(# \\w+ )?weir_.*"))
                .collect(Collectors.joining("\n", "", "\n"));
        assertThat(page).contains("weir_nodes{state=\"live\"}", "weir_store_up 1", "weir_last_good_revision");
        Process promtool = new ProcessBuilder("promtool", "check", "metrics")
                .redirectErrorStream(true)
                .start();
        try (OutputStream in = promtool.getOutputStream()) {
            in.write(page.getBytes(StandardCharsets.UTF_8));
        }
        String complaints = new String(promtool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(promtool.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(complaints).isEmpty();
        assertThat(promtool.exitValue()).isZero();
    }

    @Test
    void aKilledNodeIsNotWaitedForLongAndCatchesUp() {
        b.kill();
        Api.Reply reply = a.api().patch(SERVER + "?wait=applied&timeout=60s", "{\"weight\":7}");
        assertThat(reply.status()).as(reply.text()).isEqualTo(200);
        awaitWeight(c, 7);
        assertThat(live(a)).containsExactlyInAnyOrder("a", "c");
        b.start();
        assertThat(weight(b)).isEqualTo(7);
        patiently().until(() -> live(a), names -> names.size() == 3);
    }

    @Test
    void aNodeThatIsCutOffServesWhatItHasAndCatchesUp() {
        network.swallow();
        assertThat(a.api().patch(SERVER, "{\"weight\":8}").status()).isEqualTo(200);
        awaitWeight(b, 8);
        patiently().until(() -> status(c).path("store").asString(), "down"::equals);
        assertServesButDoesNotWrite(1);
        patiently().until(() -> live(a), names -> names.equals(List.of("a", "b")));

        // and not even a restart helps
        c.kill();
        c.start();
        assertServesButDoesNotWrite(1);

        network.heal();
        long begin = System.nanoTime();
        awaitWeight(c, 8);
        System.out.printf(
                "from the healing of the network until the change runs: %d ms%n",
                TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin));
        patiently().until(() -> c.api().patch(SERVER, "{\"weight\":9}").status(), status -> status == 200);
        awaitWeight(a, 9);
    }

    private void assertServesButDoesNotWrite(int weight) {
        Api.Reply reply = c.api().patch(SERVER, "{\"weight\":66}");
        assertThat(reply.status()).as(reply.text()).isEqualTo(503);
        assertThat(reply.json().path("code").asString()).isEqualTo("STORE_DOWN");
        assertThat(reply.header("Retry-After")).isNotEmpty();
        assertThat(status(c).path("storeDown").path("reason").asString()).isNotEmpty();
        assertThat(weight(c)).isEqualTo(weight);
        assertThat(c.metrics().sum("weir_store_up")).isZero();
        assertThat(c.api().get("/actuator/health/readiness").status()).isEqualTo(200);
        assertThat(c.api().get("/actuator/health").status()).isEqualTo(503);
    }

    private static List<JsonNode> nodesSeenBy(WeirProcess node) {
        return new ArrayList<>(
                node.api().get("/api/v1/nodes").json().path("items").values());
    }

    private static List<String> live(WeirProcess node) {
        return nodesSeenBy(node).stream()
                .filter(seen -> seen.path("live").asBoolean())
                .map(seen -> seen.path("name").asString())
                .sorted()
                .toList();
    }

    private static JsonNode status(WeirProcess node) {
        return node.api().get("/api/v1/status").json();
    }

    /** Of the peer that runs. */
    private static int weight(WeirProcess node) {
        return node.api().get(APP + "/peers").json().at("/items/0/weight").asInt();
    }

    private static void awaitWeight(WeirProcess node, int weight) {
        patiently().until(() -> weight(node), found -> found == weight);
    }

    private static ConditionFactory patiently() {
        return await().atMost(Duration.ofSeconds(60)).pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(10));
    }
}
