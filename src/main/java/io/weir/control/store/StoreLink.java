package io.weir.control.store;

import io.weir.control.node.Nodes;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;
import org.postgresql.PGConnection;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/**
 * A connection of its own to a PostgreSQL that nodes share, on which this node is told of changes, and tells that it lives.
 *
 * <p>What is told is a hint: it may come late, twice or, while nobody is connected, not at all. Not thread-safe. Every
 * method throws an exception of Spring's or of SQL if the connection is no good any more.
 *
 * @see <a href="https://www.postgresql.org/docs/18/sql-notify.html">PostgreSQL: NOTIFY</a>
 */
public final class StoreLink implements AutoCloseable {

    static final String NOTIFY = "notify weir";

    private static final String LISTEN = "listen weir";

    private static final String CONNECT_SECONDS = "2";

    /** Each statement here is tiny; whoever does not answer it is away. */
    private static final String ANSWER_SECONDS = "3";

    private final Connection connection;
    private final JdbcTemplate jdbc;
    private final NodeTable table;
    private final Nodes nodes;

    private StoreLink(Connection connection, Nodes nodes) {
        this.connection = connection;
        this.nodes = nodes;
        jdbc = new JdbcTemplate(new SingleConnectionDataSource(connection, true));
        table = new NodeTable(jdbc);
    }

    static StoreLink connect(JdbcConnectionDetails details, Nodes nodes) throws SQLException {
        Properties properties = new Properties();
        if (details.getUsername() != null) {
            properties.setProperty("user", details.getUsername());
        }
        if (details.getPassword() != null) {
            properties.setProperty("password", details.getPassword());
        }
        properties.setProperty("connectTimeout", CONNECT_SECONDS);
        properties.setProperty("loginTimeout", ANSWER_SECONDS);
        properties.setProperty("socketTimeout", ANSWER_SECONDS);
        properties.setProperty("tcpKeepAlive", "true");
        properties.setProperty("ApplicationName", "weir link");
        Connection connection = DriverManager.getConnection(details.getJdbcUrl(), properties);
        try {
            StoreLink link = new StoreLink(connection, nodes);
            link.jdbc.execute(LISTEN);
            return link;
        } catch (RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    /** Waits until a node has told something, at most so long. */
    public void await(int millis) throws SQLException {
        connection.unwrap(PGConnection.class).getNotifications(millis);
    }

    /** The version that is stored. */
    public Version version() {
        return jdbc.queryForObject(
                "select revision, change_id from config_state where id = " + ConfigStateRow.ID,
                (row, n) -> new Version(row.getLong(1), row.getString(2)));
    }

    /** Tells that this node lives. */
    public void beat() {
        table.tell(nodes.self());
    }

    /** Looks at the nodes. */
    public void look() {
        long begin = System.nanoTime();
        nodes.saw(table.all(), begin);
    }

    /** Removes what is left of nodes that are no more. */
    public void tidy() {
        table.forgetOthers(nodes.self());
    }

    /** Tells that this node ends. */
    public void bye() {
        table.forget(nodes.self());
    }

    /** Tells the others to look. */
    public void nudge() {
        jdbc.execute(NOTIFY);
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (SQLException e) {
            // it was no good any more
        }
    }
}
