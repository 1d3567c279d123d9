package io.weir.control.change;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.control.Api;
import io.weir.control.store.TestDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.context.TestPropertySource;

/** With a database that others may change too. */
@TestPropertySource(properties = "weir.node.last-good=target/store-failure/last-good.json")
class PostgresStoreFailureIT extends StoreFailureContract {

    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final String URL = TestDatabase.POSTGRESQL.inMemory();

    @Autowired
    private JdbcTemplate jdbc;

    @DynamicPropertySource
    static void database(DynamicPropertyRegistry properties) {
        properties.add("spring.datasource.url", () -> URL);
    }

    @Test
    void aChangeThatNobodyTellsOfIsFoundByLooking() {
        overtake();
        await().atMost(LIMIT).until(() -> weight(), weight -> weight == 7);
    }

    @Test
    void aDatabaseThatWasPutBackToTheSameNumberIsTakenOver() {
        jdbc.update("update server set weight = 8");
        jdbc.update("update config_state set change_id = 'of the backup'");
        await().atMost(LIMIT).until(() -> weight(), weight -> weight == 8);
    }

    @Test
    void anEmptyDatabaseIsNotTakenOver() {
        long revision = jdbc.queryForObject("select revision from config_state", Long.class);
        String change = jdbc.queryForObject("select change_id from config_state", String.class);
        jdbc.update("update config_state set revision = 0, change_id = ''");
        await().atMost(LIMIT)
                .until(
                        () -> api().get("/api/v1/status")
                                .json()
                                .at("/failure/reason")
                                .asString(""),
                        reason -> reason.contains("the database is empty"));
        Api.Reply refused = api().patch(SERVER, "{\"weight\":9}");
        assertThat(refused.status()).isEqualTo(503);
        assertThat(refused.json().path("detail").asString()).contains("the database is empty");
        assertThat(weight()).isEqualTo(1);
        jdbc.update("update config_state set revision = ?, change_id = ?", revision, change);
        await().atMost(LIMIT)
                .until(() -> api().get("/api/v1/status").json().path("failure").isNull());
        assertThat(api().patch(SERVER, "{\"weight\":9}").status()).isEqualTo(200);
    }

    @Test
    void whatIsStoredAndCannotBeReadIsToldAndTriedAgain() {
        jdbc.update("update server set fail_timeout = 'soon'");
        jdbc.update("update config_state set change_id = 'of a newer Weir'");
        await().atMost(LIMIT)
                .until(
                        () -> api().get("/api/v1/status")
                                .json()
                                .at("/failure/reason")
                                .asString(""),
                        reason -> reason.contains("not valid"));
        assertThat(api().get("/api/v1/status").json().path("store").asString()).isEqualTo("up");
        assertThat(api().patch(SERVER, "{\"weight\":9}").status()).isEqualTo(503);
        assertThat(weight()).isEqualTo(1);
        jdbc.update("update server set fail_timeout = '3s', weight = 4");
        await().atMost(LIMIT).until(() -> weight(), weight -> weight == 4);
    }

    /** Else a node that vanishes in the middle of a write would hold up all others for as long as TCP has patience. */
    @Test
    void sessionsThatDoNothingInATransactionAreEnded() {
        assertThat(jdbc.queryForObject("show idle_in_transaction_session_timeout", String.class))
                .isEqualTo("10s");
    }

    @Test
    void aWriteThatAnotherOneHoldsUpIsRefusedAndWorksLater() throws SQLException {
        try (Connection other = DriverManager.getConnection(URL);
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("update config_state set revision = revision");
            assertThat(api().patch(SERVER, "{\"weight\":9}").status()).isEqualTo(503);
            other.rollback();
        }
        await().atMost(LIMIT).until(() -> api().patch(SERVER, "{\"weight\":9}").status(), status -> status == 200);
    }

    private int weight() {
        return api().get(SERVER).json().path("weight").asInt();
    }
}
