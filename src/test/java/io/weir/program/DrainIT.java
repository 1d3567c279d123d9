package io.weir.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.control.Api;
import io.weir.proxy.Backend;
import io.weir.proxy.Client;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Servers that are taken out of the packaged program while it works. */
class DrainIT {

    private static final String APP = "/api/v1/upstreams/app";
    private static final String DRAIN = APP + "/servers/1/drain";
    private static final String SLOW = "GET /slow HTTP/1.1\r\nHost: x\r\n";
    private static final int CONNECTIONS = 50;

    @TempDir
    private Path directory;

    private final CountDownLatch answerNow = new CountDownLatch(1);
    private final int port = Api.freePort();
    private Backend first;
    private Backend second;

    @BeforeEach
    void startBackends() {
        first = backend("first");
        second = backend("second");
    }

    @AfterEach
    void close() {
        answerNow.countDown();
        first.close();
        second.close();
    }

    /** Says its name: what begins with /slow is answered when the test says so, once for all. */
    private Backend backend(String name) {
        return Backend.with(connection -> {
            for (String head = connection.readRequest(); head != null; head = connection.readRequest()) {
                if (head.startsWith("GET /slow")) {
                    answerNow.await(120, TimeUnit.SECONDS);
                }
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: " + name.length() + "\r\n\r\n" + name);
            }
        });
    }

    /** A group of both, of which the first takes the first request. */
    private void configure(Api api, String sticky) {
        String servers = "[{\"address\":\"" + first.address() + "\"},{\"address\":\"" + second.address() + "\"}]";
        expect(201, api.put(APP, "{\"servers\":" + servers + sticky + "}"));
        expect(
                201,
                api.put(
                        "/api/v1/listeners/test",
                        "{\"bind\":\"127.0.0.1\",\"port\":" + port
                                + ",\"routes\":[{\"name\":\"all\",\"upstream\":\"app\"}]}"));
    }

    private Api shared() {
        Api api = WeirProcess.shared().api();
        api.clear();
        configure(api, "");
        return api;
    }

    /** Something in progress at the first server. */
    private Client busy(String fields) throws Exception {
        Client client = Client.to(port);
        client.send(SLOW + fields + "\r\n");
        await().until(() -> first.requests().stream().anyMatch(head -> head.startsWith("GET /slow")));
        return client;
    }

    private static JsonNode awaitEnd(Api api) {
        JsonNode end = api.get(DRAIN + "?wait=25s").json();
        assertThat(end.path("done").asBoolean()).as(end.toString()).isTrue();
        return end;
    }

    @Test
    void aSlowRequestEndsBeforeItsServerIsRemoved() throws Exception {
        Api api = shared();
        try (Client client = busy("")) {
            expect(200, api.post(DRAIN, "{\"then\":\"remove\"}"));
            for (int i = 0; i < 4; i++) {
                assertThat(Client.get(port, "/").body()).isEqualTo("second");
            }
            JsonNode meanwhile = api.get(DRAIN + "?wait=300ms").json();
            assertThat(meanwhile.path("done").asBoolean()).isFalse();
            assertThat(meanwhile.path("connections").asInt()).isEqualTo(1);
            answerNow.countDown();
            assertThat(client.read().body()).isEqualTo("first");
            JsonNode end = awaitEnd(api);
            assertThat(end.path("result").asString()).isEqualTo("drained");
            assertThat(end.path("state").asString()).isEqualTo("removed");
            expect(404, api.get(APP + "/servers/1"));
            await().until(() -> first.open() == 0);
        }
    }

    @Test
    void whatIsLeftAtTheDeadlineMovesOn() throws Exception {
        Api api = shared();
        try (Client client = busy("")) {
            expect(200, api.post(DRAIN, "{\"timeout\":\"500ms\",\"then\":\"down\"}"));
            JsonNode end = awaitEnd(api);
            assertThat(end.path("result").asString()).isEqualTo("timed_out");
            assertThat(end.path("state").asString()).isEqualTo("down");
            await().until(() -> second.requests().stream().anyMatch(head -> head.startsWith("GET /slow")));
            answerNow.countDown();
            assertThat(client.read().body()).isEqualTo("second");
            await().until(() -> first.open() == 0);
            assertThat(api.get(DRAIN).json().path("connections").asInt()).isZero();
        }
    }

    @Test
    void aCancelledDrainLetsRequestsInAgain() throws Exception {
        Api api = shared();
        try (Client client = busy("")) {
            expect(200, api.post(DRAIN, "{\"then\":\"remove\"}"));
            expect(204, api.delete(DRAIN));
            await().until(() -> Client.get(port, "/").body().equals("first"));
            answerNow.countDown();
            assertThat(client.read().body()).isEqualTo("first");
            assertThat(api.get(DRAIN).json().path("result").asString()).isEqualTo("cancelled");
            assertThat(api.get(APP + "/servers/1").json().path("state").asString())
                    .isEqualTo("up");
        }
    }

    @Test
    void whoIsBoundToTheServerStillReachesItAndIsCounted() throws Exception {
        Api api = WeirProcess.shared().api();
        api.clear();
        configure(api, ",\"sticky\":{\"type\":\"cookie\",\"name\":\"srv\"}");
        try (Browser browser = Browser.open("127.0.0.1", port)) {
            assertThat(browser.get("/").body()).isEqualTo("first");
            try (Client client = busy("Cookie: srv=" + browser.cookie("srv") + "\r\n")) {
                expect(200, api.post(DRAIN, "{}"));
                for (int i = 0; i < 3; i++) {
                    assertThat(browser.get("/").body()).isEqualTo("first");
                    assertThat(Client.get(port, "/").body()).isEqualTo("second");
                }
                assertThat(api.get(DRAIN).json().path("requests").asInt()).isEqualTo(3);
                answerNow.countDown();
                assertThat(client.read().body()).isEqualTo("first");
                assertThat(awaitEnd(api).path("requests").asInt()).isEqualTo(3);
            }
        }
    }

    @Test
    void aServerUnderLoadIsDrainedRemovedAndStoppedWithoutALoss() throws Exception {
        Api api = WeirProcess.shared().api();
        api.clear();
        Load.Gate gate = new Load.Gate();
        try (NamedBackend a = NamedBackend.start("a");
                NamedBackend b = NamedBackend.start("b");
                Load load = new Load(port, 5, Map.of("a", gate))) {
            String servers = "[{\"address\":\"" + a.address() + "\"},{\"address\":\"" + b.address() + "\"}]";
            expect(201, api.put(APP, "{\"servers\":" + servers + "}"));
            expect(201, api.put("/api/v1/listeners/test", """
                    {"bind": "127.0.0.1", "port": %d, "client": {"keepaliveRequests": 1000000000},
                     "routes": [{"name": "all", "upstream": "app"}]}
                    """.formatted(port)));
            load.add(CONNECTIONS, "/", List.of("a", "b"));
            await().until(() -> load.answers() > 10 * CONNECTIONS);
            expect(200, api.post(DRAIN, "{\"timeout\":\"10m\",\"then\":\"remove\"}"));
            gate.closed();
            assertThat(awaitEnd(api).path("result").asString()).isEqualTo("drained");
            a.close();
            long answers = load.answers();
            await().until(() -> load.answers() > answers + 10 * CONNECTIONS);
            load.stop();
            await().until(() -> load.running() == 0);
            assertThat(load.failures()).isEmpty();
            assertThat(load.failed()).isZero();
        }
    }

    @Test
    void aDrainOutlivesAKill() throws Exception {
        try (WeirProcess weir = WeirProcess.start(directory)) {
            configure(weir.api(), "");
            String since;
            try (Client client = busy("")) {
                JsonNode begun = weir.api()
                        .post(DRAIN, "{\"timeout\":\"1h\",\"then\":\"down\"}")
                        .json();
                since = begun.path("since").asString();
                weir.kill();
                assertThat(client.isClosed()).isTrue();
            }
            weir.start();
            // what was in progress ended with the process
            JsonNode end = awaitEnd(weir.api());
            assertThat(end.path("result").asString()).isEqualTo("drained");
            assertThat(end.path("since").asString()).isEqualTo(since);
            assertThat(end.path("timeout").asString()).isEqualTo("1h");
            assertThat(end.path("state").asString()).isEqualTo("down");
            assertThat(Client.get(port, "/").body()).isEqualTo("second");
            expect(204, weir.api().delete(DRAIN));
            assertThat(weir.api().get(APP + "/servers/1").json().path("state").asString())
                    .as("before the drain, and the kill")
                    .isEqualTo("up");
        }
    }

    private static void expect(int status, Api.Reply reply) {
        assertThat(reply.status()).as(reply.text()).isEqualTo(status);
    }
}
