package io.weir.control.store;

import io.weir.control.node.Node;
import io.weir.control.node.Nodes;
import io.weir.control.node.NotApplied;
import io.weir.control.node.Sighting;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * The table in which nodes tell of themselves. All times of it are the database's, so that clocks of nodes may differ.
 *
 * <p>Not thread-safe unless its template is.
 */
final class NodeTable {

    /** Long enough for an operator to see that a node has gone. */
    private static final int MINUTES_KEPT = 10;

    private final JdbcTemplate jdbc;

    NodeTable(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    /** Tells that a node is alive, and what it runs. */
    void tell(Node node) {
        @Nullable NotApplied failure = node.failure();
        @Nullable Long failed = failure == null ? null : Long.valueOf(failure.revision());
        @Nullable String reason = failure == null ? null : failure.reason();
        int rows = jdbc.update(
                "update node set last_seen = current_timestamp, revision = ?, failed_revision = ?, failure = ?"
                        + " where id = ?",
                node.revision(),
                failed,
                reason,
                node.id());
        if (rows == 0) {
            jdbc.update(
                    "insert into node (id, name, version, started_at, last_seen, revision, failed_revision, failure)"
                            + " values (?, ?, ?, ?, current_timestamp, ?, ?, ?)",
                    node.id(),
                    node.name(),
                    node.version(),
                    OffsetDateTime.ofInstant(node.startedAt(), ZoneOffset.UTC),
                    node.revision(),
                    failed,
                    reason);
        }
    }

    /** Forgets nodes that have been silent for long, and earlier lives of this one. */
    void forgetOthers(Node node) {
        jdbc.update("delete from node where last_seen < current_timestamp - interval '" + MINUTES_KEPT + "' minute");
        jdbc.update(
                "delete from node where name = ? and id <> ? and last_seen < current_timestamp - interval '"
                        + Nodes.SILENCE.toSeconds() + "' second",
                node.name(),
                node.id());
    }

    /** Forgets a node that ends. */
    void forget(Node node) {
        jdbc.update("delete from node where id = ?", node.id());
    }

    /** All that is known, by name. */
    List<Sighting> all() {
        return jdbc.query(
                "select id, name, version, started_at, last_seen, revision, failed_revision, failure,"
                        + " extract(epoch from (current_timestamp - last_seen)) as age from node order by name, id",
                (row, n) -> read(row));
    }

    private static Sighting read(ResultSet row) throws SQLException {
        @Nullable String failure = row.getString("failure");
        Node node = new Node(
                row.getString("id"),
                row.getString("name"),
                row.getString("version"),
                instant(row, "started_at"),
                row.getLong("revision"),
                failure == null ? null : new NotApplied(row.getLong("failed_revision"), failure));
        return new Sighting(
                node, instant(row, "last_seen"), Duration.ofMillis(Math.round(row.getDouble("age") * 1000)));
    }

    private static Instant instant(ResultSet row, String column) throws SQLException {
        return row.getObject(column, OffsetDateTime.class).toInstant();
    }
}
