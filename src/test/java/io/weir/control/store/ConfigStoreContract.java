package io.weir.control.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.LoadBalancerApplication;
import io.weir.control.Api;
import io.weir.control.change.Configuration;
import io.weir.control.state.ConfigState;
import io.weir.control.state.Draft;
import io.weir.control.state.Resource;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;

/** What the migrations and the store do, whatever the database. */
@SpringBootTest(
        classes = LoadBalancerApplication.class,
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {"weir.first-listener.enabled=false", "server.address=127.0.0.1"})
abstract class ConfigStoreContract {

    @TempDir
    private Path directory;

    @LocalServerPort
    private int port;

    @Autowired
    private ConfigStore store;

    @Autowired
    private Configuration configuration;

    private Api api;

    @BeforeEach
    void start() {
        api = new Api(port);
        api.clear();
    }

    @Test
    void whatIsWrittenIsReadAgain() throws IOException {
        api.put("/api/v1/upstreams/app", """
                {"balancing": {"method": "least_conn"},
                 "servers": [{"address": "127.0.0.1:1", "weight": 3}, {"address": "unix:/run/a.sock", "state": "down"}]}
                """);
        putWeb("{\"bind\":\"127.0.0.1\",\"port\":" + Api.freePort()
                + ",\"routes\":[{\"name\":\"a\",\"upstream\":\"app\",\"hosts\":[\"a.example\"],"
                + "\"requestHeaders\":{\"set\":{\"X-A\":\"é $host\"}}},"
                + "{\"name\":\"b\",\"upstream\":\"app\"},{\"name\":\"c\",\"respond\":{\"body\":\"grüß dich 🦊\"}}]}");
        putWeb("{\"bind\":\"127.0.0.1\",\"port\":" + Api.freePort()
                + ",\"routes\":[{\"name\":\"c\",\"respond\":{\"body\":\"grüß dich 🦊\"}},"
                + "{\"name\":\"a\",\"upstream\":\"app\",\"hosts\":[\"a.example\"]}],"
                + "\"proxyProtocol\":true,\"realIp\":{\"trusted\":[\"10.0.0.0/8\"],\"header\":\"proxy_protocol\"},"
                + "\"client\":{\"maxConnections\":7,\"largeHeaderBuffers\":{\"count\":2,\"size\":\"16k\"}}}");
        api.delete("/api/v1/upstreams/app/servers/1");
        assertThat(api.post("/api/v1/upstreams/app/servers", "{\"address\":\"[::1]:3\"}")
                        .status())
                .isEqualTo(201);
        ConfigState stored = store.load().state();
        assertThat(stored.config().upstreams()).hasSize(1);
        assertThat(stored.config().listeners().get(0).routes()).hasSize(2);
        assertThat(stored.config()).isEqualTo(configuration.state().config());
        LastGoodFile file = new LastGoodFile(directory.resolve("last-good.json"));
        file.write(store.load());
        assertThat(file.read()).isEqualTo(store.load());
        long revision = stored.config().revision();
        assertThat(api.get("/api/v1/status").json().path("revision").asLong()).isEqualTo(revision);
        api.clear();
        assertThat(store.load().state().config().upstreams()).isEmpty();
    }

    private void putWeb(String body) {
        Api.Reply reply = api.put("/api/v1/listeners/web", body);
        assertThat(reply.status()).as(reply.text()).isBetween(200, 201);
    }

    @Test
    void ofTwoWritersOnlyOneWins() {
        api.put("/api/v1/upstreams/app", "{}");
        Stored before = store.load();
        Draft draft = before.state().withoutUpstream("app");
        Version version = store.save(before, draft.after());
        assertThat(version.revision()).isEqualTo(before.revision() + 1);
        assertThat(store.version()).isEqualTo(version);
        assertThatThrownBy(() -> store.save(before, draft.after()))
                .isInstanceOf(OvertakenException.class)
                .hasMessageContaining("no longer at revision");
        assertThat(store.load().state().revision(Resource.upstream("app"))).isNull();
    }

    /** A database that was put back to an older state comes to the same number again. */
    @Test
    void theSameRevisionOfAnotherChangeIsAnotherVersion() {
        api.put("/api/v1/upstreams/app", "{}");
        Stored before = store.load();
        Version version =
                store.save(before, before.state().withoutUpstream("app").after());
        Stored impostor = new Stored(
                new Version(version.revision(), "another"), store.load().state());
        assertThatThrownBy(() -> store.save(
                        impostor, impostor.state().withoutUpstream("b").after()))
                .isInstanceOf(OvertakenException.class);
        assertThat(store.version()).isEqualTo(version);
    }
}
