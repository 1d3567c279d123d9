package io.weir.control.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.config.ProxySettings;
import io.weir.control.Api;
import io.weir.control.ControlPlaneTest;
import io.weir.upstream.Outcome;
import io.weir.upstream.PeerConnection;
import io.weir.upstream.Upstreams;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import tools.jackson.databind.JsonNode;

/** Drains by the API, of a server at which the test has as much in progress as it likes. */
@ControlPlaneTest
class DrainApiIT {

    private static final String APP = "/api/v1/upstreams/app";
    private static final String SERVER = APP + "/servers/1";
    private static final String DRAIN = SERVER + "/drain";

    @LocalServerPort
    private int port;

    @Autowired
    private Upstreams upstreams;

    private final List<PeerConnection> sessions = new ArrayList<>();
    private Api api;

    @BeforeEach
    void start() {
        api = new Api(port);
        api.clear();
        api.put(APP, "{\"servers\":[{\"address\":\"127.0.0.1:1\"}]}");
    }

    @AfterEach
    void endSessions() {
        sessions.forEach(session -> session.free(Outcome.OK, null));
        sessions.clear();
    }

    /** Has something in progress at the first server. */
    private void begin() {
        PeerConnection session = Objects.requireNonNull(upstreams.group("app")).open(ProxySettings.DEFAULT);
        assertThat(session.get()).isNotNull();
        sessions.add(session);
    }

    private JsonNode awaitEnd(String path) {
        JsonNode end = api.get(path + "?wait=25s").json();
        assertThat(end.path("done").asBoolean()).as(end.toString()).isTrue();
        return end;
    }

    private String state() {
        return api.get(SERVER).json().path("state").asString();
    }

    @Test
    void aDrainTellsHowFarItIs() {
        begin();
        Instant before = Instant.now().minusMillis(1);
        Api.Reply begun = api.post(DRAIN, "{\"timeout\":\"5m\",\"then\":\"down\"}");
        assertThat(begun.status()).as(begun.text()).isEqualTo(200);
        assertThat(begun.header("ETag")).isEqualTo(api.get(SERVER).header("ETag"));
        JsonNode drain = begun.json();
        assertThat(drain).isEqualTo(api.get(SERVER + "/drain").json());
        assertThat(drain).isEqualTo(api.get(APP + "/servers/127.0.0.1:1/drain").json());
        Instant since = Instant.parse(drain.path("since").asString());
        assertThat(since).isBetween(before, Instant.now());
        assertThat(Instant.parse(drain.path("deadline").asString())).isEqualTo(since.plusSeconds(300));
        assertThat(drain.path("state").asString()).isEqualTo("drain");
        assertThat(drain.path("timeout").asString()).isEqualTo("5m");
        assertThat(drain.path("then").asString()).isEqualTo("down");
        assertThat(drain.path("connections").asInt()).isEqualTo(1);
        assertThat(drain.path("requests").asInt()).isZero();
        assertThat(drain.path("done").asBoolean()).isFalse();
        assertThat(drain.path("result").isNull()).isTrue();
        assertThat(state()).isEqualTo("drain");

        endSessions();
        JsonNode end = awaitEnd(DRAIN);
        assertThat(end.path("result").asString()).isEqualTo("drained");
        assertThat(end.path("state").asString()).isEqualTo("down");
        assertThat(end.path("connections").asInt()).isZero();
        assertThat(Instant.parse(end.path("endedAt").asString())).isAfterOrEqualTo(since);
        assertThat(state()).isEqualTo("down");
    }

    @Test
    void withoutAWordItStaysAndTheDrainCanBeTakenBack() {
        assertThat(api.post(DRAIN, "{}").status()).isEqualTo(200);
        JsonNode end = awaitEnd(DRAIN);
        assertThat(end.path("then").asString()).isEqualTo("keep");
        assertThat(end.path("deadline").isNull()).isTrue();
        assertThat(end.path("timeout").isNull()).isTrue();
        assertThat(end.path("result").asString()).isEqualTo("drained");
        assertThat(state()).isEqualTo("drain");
        assertThat(api.delete(DRAIN).status()).isEqualTo(204);
        assertThat(state()).isEqualTo("up");
        assertThat(api.get(DRAIN).json().path("result").asString())
                .as("the last drain")
                .isEqualTo("drained");
        assertThat(api.delete(DRAIN).status()).isEqualTo(404);
    }

    @Test
    void aServerThatIsRemovedIsStillToldOf() {
        begin();
        api.post(DRAIN, "{\"then\":\"remove\"}");
        endSessions();
        JsonNode end = awaitEnd(DRAIN);
        assertThat(end.path("state").asString()).isEqualTo("removed");
        assertThat(end.path("result").asString()).isEqualTo("drained");
        assertThat(api.get(SERVER).status()).isEqualTo(404);
        assertThat(api.get(APP + "/servers/127.0.0.1:1/drain").json()).isEqualTo(end);
        assertThat(api.get(APP + "/servers/2/drain").status()).isEqualTo(404);
        assertThat(api.post(APP + "/servers", "{\"address\":\"127.0.0.1:1\"}")
                        .json()
                        .path("id")
                        .asInt())
                .as("its id stays unused")
                .isEqualTo(2);
        assertThat(api.get(APP + "/servers/127.0.0.1:1/drain")
                        .json()
                        .path("server")
                        .asInt())
                .as("who is there now")
                .isEqualTo(2);
    }

    @Test
    void theDeadlineEndsItWithSomethingInProgress() {
        begin();
        api.post(DRAIN, "{\"timeout\":\"300ms\",\"then\":\"down\"}");
        JsonNode end = awaitEnd(DRAIN);
        assertThat(end.path("result").asString()).isEqualTo("timed_out");
        assertThat(end.path("state").asString()).isEqualTo("down");
        assertThat(end.path("connections").asInt())
                .as("nobody cuts what a test has in progress")
                .isEqualTo(1);
        assertThat(Instant.parse(end.path("endedAt").asString()))
                .isAfterOrEqualTo(Instant.parse(end.path("deadline").asString()));
    }

    @Test
    void aCancelGivesTheStateBack() {
        begin();
        api.post(DRAIN, "{\"timeout\":\"5m\",\"then\":\"remove\"}");
        CompletableFuture<Api.Reply> waiting = CompletableFuture.supplyAsync(() -> api.get(DRAIN + "?wait=25s"));
        assertThat(api.delete(DRAIN).status()).isEqualTo(204);
        JsonNode end = waiting.join().json();
        assertThat(end.path("result").asString()).isEqualTo("cancelled");
        assertThat(end.path("state").asString()).isEqualTo("up");
        assertThat(state()).isEqualTo("up");
    }

    @Test
    void whoWaitsHearsOfTheEndOfTheGroup() {
        begin();
        api.post(DRAIN, "{}");
        CompletableFuture<Api.Reply> waiting = CompletableFuture.supplyAsync(() -> api.get(DRAIN + "?wait=25s"));
        assertThat(api.delete(APP).status()).isEqualTo(204);
        JsonNode end = waiting.join().json();
        assertThat(end.path("result").asString()).isEqualTo("cancelled");
        assertThat(end.path("state").asString()).isEqualTo("removed");
    }

    @Test
    void anotherStateOrAddressCancelsAndNothingElseDoes() {
        begin();
        api.post(DRAIN, "{\"timeout\":\"5m\",\"then\":\"remove\"}");
        JsonNode begun = api.get(DRAIN).json();
        api.patch(SERVER, "{\"weight\":7}");
        api.put(SERVER, "{\"address\":\"127.0.0.1:1\",\"state\":\"drain\"}");
        api.put(APP + "/servers", "{\"items\":[{\"address\":\"127.0.0.1:1\",\"state\":\"drain\",\"weight\":2}]}");
        api.put(APP, "{\"servers\":[{\"id\":1,\"address\":\"127.0.0.1:1\",\"state\":\"drain\"}]}");
        assertThat(api.get(DRAIN).json()).isEqualTo(begun);
        api.patch(SERVER, "{\"state\":\"up\"}");
        assertThat(api.get(DRAIN).json().path("result").asString()).isEqualTo("cancelled");

        api.post(DRAIN, "{}");
        api.patch(SERVER, "{\"address\":\"127.0.0.1:2\"}");
        assertThat(api.get(DRAIN).json().path("result").asString()).isEqualTo("cancelled");
        assertThat(state()).as("as the patch left it").isEqualTo("drain");
    }

    @Test
    void aDrainThatIsAskedForAgainReplacesTheFirst() {
        begin();
        api.post(DRAIN, "{\"timeout\":\"5m\",\"then\":\"remove\"}");
        JsonNode second = api.post(DRAIN, "{\"then\":\"down\"}").json();
        assertThat(second.path("timeout").isNull()).isTrue();
        assertThat(second.path("then").asString()).isEqualTo("down");
        api.delete(DRAIN);
        assertThat(state()).as("before the first").isEqualTo("up");
    }

    @Test
    void aServerThatIsDownStaysDown() {
        begin();
        api.patch(SERVER, "{\"state\":\"down\"}");
        assertThat(api.post(DRAIN, "{}").json().path("state").asString()).isEqualTo("down");
        endSessions();
        assertThat(awaitEnd(DRAIN).path("result").asString()).isEqualTo("drained");
        assertThat(state()).isEqualTo("down");
        api.delete(DRAIN);
        assertThat(state()).isEqualTo("down");
    }

    @Test
    void aWaitEndsWithTheDrainOrBeforeIt() {
        begin();
        api.post(DRAIN, "{}");
        assertThat(api.get(DRAIN + "?wait=100ms").json().path("done").asBoolean())
                .isFalse();
        // more than Tomcat has threads
        HttpClient client = HttpClient.newHttpClient();
        HttpRequest wait = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + DRAIN + "?wait=1h"))
                .build();
        List<CompletableFuture<HttpResponse<String>>> waiting = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            waiting.add(client.sendAsync(wait, HttpResponse.BodyHandlers.ofString()));
        }
        assertThat(api.get(DRAIN).json().path("done").asBoolean())
                .as("others are answered meanwhile")
                .isFalse();
        endSessions();
        for (CompletableFuture<HttpResponse<String>> answer : waiting) {
            assertThat(answer.join().body()).contains("\"result\":\"drained\"");
        }
        assertThat(awaitEnd(DRAIN).path("result").asString()).isEqualTo("drained");
        assertThat(api.get(DRAIN + "?wait=0s").status()).isEqualTo(200);
    }

    @Test
    void aServerThatNobodyDrainsHasNothingToWaitFor() {
        begin();
        JsonNode none = api.get(DRAIN + "?wait=1h").json();
        assertThat(none).isEqualTo(Api.json("""
                {"upstream": "app", "server": 1, "address": "127.0.0.1:1", "state": "up", "timeout": null, "then": null,
                 "since": null, "deadline": null, "connections": 1, "requests": null, "done": true, "result": null,
                 "endedAt": null}
                """));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "{\"timeout\":\"0s\"}; timeout",
                "{\"timeout\":\"soon\"}; timeout",
                "{\"timeout\":null}; timeout",
                "{\"timeout\":30}; timeout",
                "{\"then\":\"up\"}; then",
                "{\"until\":\"5m\"}; until"
            })
    void whatIsWrongIsNamed(String body, String field) {
        String before = api.everything();
        Api.Reply reply = api.post(DRAIN, body);
        assertThat(reply.status()).as(reply.text()).isEqualTo(400);
        assertThat(reply.fields()).containsExactly(field);
        assertThat(api.everything()).isEqualTo(before);
    }

    @Test
    void refusalsAreThoseOfOtherWrites() {
        assertThat(api.get(DRAIN + "?wait=soon").fields()).containsExactly("wait");
        assertThat(api.get(DRAIN + "?wait=2h").fields()).containsExactly("wait");
        assertThat(api.post(APP + "/servers/9/drain", "{}").status()).isEqualTo(404);
        assertThat(api.post("/api/v1/upstreams/none/servers/1/drain", "{}").status())
                .isEqualTo(404);
        assertThat(api.delete(DRAIN).status()).isEqualTo(404);
        assertThat(api.send("POST", DRAIN, "{}", "If-Match", "\"0\"").status()).isEqualTo(412);
        assertThat(api.send("POST", DRAIN, "{}", "Content-Type", "text/plain").status())
                .isEqualTo(415);
        Api.Reply dry = api.post(DRAIN + "?dryRun=true", "{\"then\":\"remove\"}");
        assertThat(dry.json().path("valid").asBoolean()).isTrue();
        assertThat(dry.json().path("changes")).hasSize(2);
        assertThat(state()).isEqualTo("up");
        api.put(APP + "/servers", "{\"items\":[{\"address\":\"127.0.0.1:1\"},{\"address\":\"127.0.0.1:1\"}]}");
        assertThat(api.post(APP + "/servers/127.0.0.1:1/drain", "{}").status()).isEqualTo(409);
        assertThat(api.get(APP + "/servers/127.0.0.1:1/drain").status()).isEqualTo(409);
    }

    @Test
    void drainsAreCounted() {
        double before = counted("drained");
        begin();
        api.post(DRAIN, "{}");
        assertThat(metric("weir_drains_active")).isEqualTo(1);
        endSessions();
        awaitEnd(DRAIN);
        assertThat(metric("weir_drains_active")).isZero();
        assertThat(counted("drained")).isEqualTo(before + 1);
    }

    private double counted(String result) {
        return metric("weir_drains_total{result=\"" + result + "\"}");
    }

    private double metric(String name) {
        return api.get("/actuator/prometheus")
                .text()
                .lines()
                .filter(line -> line.startsWith(name + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no " + name));
    }
}
