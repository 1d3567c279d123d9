package io.weir.control.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.control.node.Node;
import io.weir.control.node.NotApplied;
import io.weir.control.node.Sighting;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

class NodeTableTest {

    private static final Instant START = Instant.parse("2026-11-30T17:36:28.583Z");

    @ParameterizedTest
    @EnumSource
    void aNodeTellsOfItself(TestDatabase database) {
        JdbcTemplate jdbc = jdbc(database);
        NodeTable table = new NodeTable(jdbc);
        table.tell(node("1", "b", 3, null));
        table.tell(node("2", "a", 4, new NotApplied(5, "its port is taken")));
        table.tell(node("1", "b", 5, null));
        List<Sighting> all = table.all();
        assertThat(all)
                .extracting(Sighting::node)
                .containsExactly(node("2", "a", 4, new NotApplied(5, "its port is taken")), node("1", "b", 5, null));
        assertThat(all.get(0).age()).isBetween(Duration.ZERO, Duration.ofMinutes(5));
        table.tell(node("2", "a", 5, null));
        assertThat(table.all().get(0).node()).isEqualTo(node("2", "a", 5, null));
        table.forget(node("1", "b", 0, null));
        assertThat(table.all()).extracting(seen -> seen.node().id()).containsExactly("2");
    }

    @ParameterizedTest
    @EnumSource
    void whoIsGoneIsForgottenInTheEnd(TestDatabase database) {
        JdbcTemplate jdbc = jdbc(database);
        NodeTable table = new NodeTable(jdbc);
        for (String id : List.of("long-gone", "gone", "earlier-life", "namesake", "me")) {
            table.tell(node(id, id.matches("earlier-life|namesake") ? "me" : id, 1, null));
        }
        silence(jdbc, "long-gone", 601);
        silence(jdbc, "gone", 500);
        silence(jdbc, "earlier-life", 6);
        assertThat(age(table, "gone")).isBetween(Duration.ofSeconds(500), Duration.ofSeconds(590));
        table.forgetOthers(node("me", "me", 1, null));
        assertThat(table.all())
                .extracting(seen -> seen.node().id())
                .containsExactlyInAnyOrder("gone", "namesake", "me");
    }

    private static Duration age(NodeTable table, String id) {
        return table.all().stream()
                .filter(seen -> seen.node().id().equals(id))
                .findFirst()
                .orElseThrow()
                .age();
    }

    private static void silence(JdbcTemplate jdbc, String id, int seconds) {
        jdbc.update(
                "update node set last_seen = current_timestamp - interval '" + seconds + "' second where id = ?", id);
    }

    private static JdbcTemplate jdbc(TestDatabase database) {
        DriverManagerDataSource source = new DriverManagerDataSource(database.inMemory());
        Flyway.configure().dataSource(source).load().migrate();
        return new JdbcTemplate(source);
    }

    private static Node node(String id, String name, long revision, NotApplied failure) {
        return new Node(id, name, "0.1", START, revision, failure);
    }
}
