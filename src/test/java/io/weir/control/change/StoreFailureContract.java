package io.weir.control.change;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.LoadBalancerApplication;
import io.weir.config.ActiveConfig;
import io.weir.config.ProxyConfig;
import io.weir.config.ProxySettings;
import io.weir.control.Api;
import io.weir.upstream.Outcome;
import io.weir.upstream.PeerConnection;
import io.weir.upstream.Upstreams;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import tools.jackson.databind.JsonNode;

/** The database fails: traffic and reading go on, writing says so, and nothing is changed by halves. */
@SpringBootTest(
        classes = LoadBalancerApplication.class,
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {"weir.first-listener.enabled=false", "server.address=127.0.0.1"})
@Import(StoreFailureContract.Failing.class)
abstract class StoreFailureContract {

    static final String APP = "/api/v1/upstreams/app";
    static final String SERVER = APP + "/servers/1";

    /** What the database does. */
    private static final AtomicBoolean refusesConnections = new AtomicBoolean();

    private static final AtomicBoolean losesCommits = new AtomicBoolean();
    private static final AtomicBoolean losesAnswersToCommits = new AtomicBoolean();

    @LocalServerPort
    private int port;

    @Autowired
    private ActiveConfig active;

    @Autowired
    private Upstreams upstreams;

    @Autowired
    private JdbcTemplate jdbc;

    private Api api;

    @BeforeEach
    void start() {
        refusesConnections.set(false);
        losesCommits.set(false);
        losesAnswersToCommits.set(false);
        api = new Api(port);
        api.clear();
        api.put(APP, "{\"servers\":[{\"address\":\"127.0.0.1:1\"}]}");
    }

    @Test
    void withoutADatabaseReadingGoesOnAndWritingSaysSo() {
        ProxyConfig running = active.current();
        String before = api.everything();
        refusesConnections.set(true);
        assertRefused(api.patch(APP + "/servers/1", "{\"weight\":9}"));
        assertRefused(api.delete(APP));
        assertThat(api.everything()).isEqualTo(before);
        assertThat(active.current()).isSameAs(running);
        assertThat(api.get("/api/v1/status").json().path("store").asString()).isEqualTo("down");
        assertThat(api.get("/actuator/health/liveness").status()).isEqualTo(200);

        refusesConnections.set(false);
        awaitUp();
        assertThat(api.patch(APP + "/servers/1", "{\"weight\":9}").status()).isEqualTo(200);
    }

    @Test
    void aCommitThatFailsChangesNothing() {
        String before = api.everything();
        losesCommits.set(true);
        assertRefused(api.patch(APP + "/servers/1", "{\"weight\":9}"));
        losesCommits.set(false);
        awaitUp();
        assertThat(api.everything()).isEqualTo(before);
        assertThat(jdbc.queryForObject("select weight from server", Integer.class))
                .isEqualTo(1);
        assertThat(api.patch(APP + "/servers/1", "{\"weight\":9}").status()).isEqualTo(200);
    }

    @Test
    void aCommitThatWorkedWithoutAnAnswerIsFoundByTheNextWrite() {
        losesAnswersToCommits.set(true);
        assertRefused(api.patch(APP + "/servers/1", "{\"weight\":9}"));
        losesAnswersToCommits.set(false);
        awaitUp();
        assertThat(api.patch(APP + "/servers/1", "{\"maxConns\":5}").status()).isEqualTo(200);
        assertThat(api.get(APP + "/servers/1").json().path("weight").asInt()).isEqualTo(9);
        assertThat(active.current()
                        .upstream("app")
                        .orElseThrow()
                        .servers()
                        .get(0)
                        .weight())
                .isEqualTo(9);
    }

    /** The look at the database that follows a failure does not leave it at that. */
    @Test
    void aCommitThatWorkedWithoutAnAnswerIsFoundWithoutAWrite() {
        losesAnswersToCommits.set(true);
        assertRefused(api.patch(APP + "/servers/1", "{\"weight\":9}"));
        losesAnswersToCommits.set(false);
        await().until(() -> api.get(APP + "/servers/1").json().path("weight").asInt(), weight -> weight == 9);
    }

    @Test
    void aWriteThatSomebodyElseOvertookIsMadeOnceMore() {
        overtake();
        assertThat(api.patch(APP + "/servers/1", "{\"maxConns\":5}").status()).isEqualTo(200);
        JsonNode server = api.get(APP + "/servers/1").json();
        assertThat(server.path("weight").asInt()).isEqualTo(7);
        assertThat(server.path("maxConns").asInt()).isEqualTo(5);
    }

    @Test
    void aWriteThatExpectsAVersionLosesAgainstSomebodyElse() {
        String version = api.get(APP + "/servers/1").header("ETag");
        overtake();
        Api.Reply reply = api.patch(APP + "/servers/1", "{\"maxConns\":5}", "If-Match", version);
        assertThat(reply.status()).as(reply.text()).isEqualTo(412);
        JsonNode server = api.get(APP + "/servers/1").json();
        assertThat(server.path("weight").asInt()).isEqualTo(7);
        assertThat(server.path("maxConns").asInt()).isZero();
    }

    final Api api() {
        return api;
    }

    /** As another node would change it. */
    final void overtake() {
        jdbc.update("update server set weight = 7, revision = revision + 1");
        jdbc.update("update config_state set revision = revision + 1, change_id = 'another'");
    }

    private void awaitUp() {
        await().until(() -> api.get("/api/v1/status").json().path("store").asString(), "up"::equals);
    }

    @Test
    void aDrainGoesOnUntilItsEndCanBeStored() {
        PeerConnection session = Objects.requireNonNull(upstreams.group("app")).open(ProxySettings.DEFAULT);
        assertThat(session.get()).isNotNull();
        String drain = APP + "/servers/1/drain";
        assertThat(api.post(drain, "{\"then\":\"down\"}").status()).isEqualTo(200);
        refusesConnections.set(true);
        session.free(Outcome.OK, null);
        JsonNode meanwhile = api.get(drain + "?wait=2s").json();
        assertThat(meanwhile.path("connections").asInt()).isZero();
        assertThat(meanwhile.path("done").asBoolean()).isFalse();

        refusesConnections.set(false);
        JsonNode end = api.get(drain + "?wait=25s").json();
        assertThat(end.path("result").asString()).isEqualTo("drained");
        assertThat(end.path("state").asString()).isEqualTo("down");
        assertThat(jdbc.queryForObject("select state from server", String.class))
                .isEqualTo("DOWN");
    }

    private static void assertRefused(Api.Reply reply) {
        assertThat(reply.status()).as(reply.text()).isEqualTo(503);
        assertThat(reply.header("Retry-After")).isNotEmpty();
        assertThat(reply.json().path("code").asString()).isEqualTo("STORE_DOWN");
    }

    /** Puts the failures between the application and its connection pool. */
    @TestConfiguration(proxyBeanMethods = false)
    static class Failing {

        @Bean
        static BeanPostProcessor failingDataSource() {
            return new BeanPostProcessor() {
                @Override
                public Object postProcessAfterInitialization(Object bean, String name) {
                    return bean instanceof DataSource pool ? new FailingDataSource(pool) : bean;
                }
            };
        }
    }

    private static final class FailingDataSource extends DelegatingDataSource {

        FailingDataSource(DataSource pool) {
            super(pool);
        }

        @Override
        public Connection getConnection() throws SQLException {
            if (refusesConnections.get()) {
                throw new SQLException("connection refused");
            }
            Connection connection = super.getConnection();
            return (Connection) Proxy.newProxyInstance(
                    Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, args) -> {
                        boolean commits = method.getName().equals("commit") && !connection.isReadOnly();
                        if (commits && losesCommits.get()) {
                            throw new SQLException("connection lost");
                        }
                        Object result;
                        try {
                            result = method.invoke(connection, args);
                        } catch (InvocationTargetException e) {
                            throw e.getTargetException();
                        }
                        if (commits && losesAnswersToCommits.get()) {
                            throw new SQLException("connection lost");
                        }
                        return result;
                    });
        }
    }
}
