package io.weir.control.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * H2 commits each table that is created, so a process that is killed while it makes the first database leaves some of them and
 * no word of it in Flyway's history. The next start makes the rest. PostgreSQL makes all or none, and is held to the same.
 */
class InterruptedMigrationTest {

    private static final List<String> TABLES_LAST_FIRST =
            List.of("stream_route", "route", "listener", "server", "upstream", "node", "config_state");

    static final List<Arguments> CASES = Stream.of(TestDatabase.values())
            .flatMap(database -> IntStream.rangeClosed(0, TABLES_LAST_FIRST.size())
                    .mapToObj(missing -> Arguments.of(database, missing)))
            .toList();

    @ParameterizedTest
    @FieldSource("CASES")
    void aMigrationThatWasCutOffIsFinished(TestDatabase database, int missing) throws SQLException {
        String url = database.inMemory();
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            cutOff(url, statement, missing);
            migrate(url);
            assertThat(revision(statement)).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource
    void theRowOfTheFirstRevisionIsMadeIfItIsMissing(TestDatabase database) throws SQLException {
        String url = database.inMemory();
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            cutOff(url, statement, TABLES_LAST_FIRST.size() - 1);
            statement.execute("delete from config_state");
            migrate(url);
            assertThat(revision(statement)).isZero();
        }
    }

    private static void cutOff(String url, Statement statement, int missing) throws SQLException {
        migrate(url);
        statement.execute("delete from \"flyway_schema_history\" where \"version\" = '1'");
        for (String table : TABLES_LAST_FIRST.subList(0, missing)) {
            statement.execute("drop table " + table);
        }
    }

    private static void migrate(String url) {
        Flyway.configure().dataSource(url, null, null).load().migrate();
    }

    private static long revision(Statement statement) throws SQLException {
        try (ResultSet rows = statement.executeQuery("select revision from config_state")) {
            assertThat(rows.next()).isTrue();
            long revision = rows.getLong(1);
            assertThat(rows.next()).isFalse();
            return revision;
        }
    }
}
