package io.weir.control.store;

import io.weir.control.node.Nodes;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;

/** Makes {@link StoreLink}s; and tells of this node by a connection of the pool where a link would be too slow. */
@Component
public class StoreLinks {

    private final JdbcConnectionDetails details;
    private final Nodes nodes;
    private final JdbcTemplate pool;

    StoreLinks(JdbcConnectionDetails details, Nodes nodes, DataSource pool) {
        this.details = details;
        this.nodes = nodes;
        this.pool = new JdbcTemplate(pool);
    }

    /** @throws SQLException if the database cannot be reached */
    public StoreLink connect() throws SQLException {
        return StoreLink.connect(details, nodes);
    }

    /** Tells the other nodes at once what this one runs now. */
    public void tell() {
        new NodeTable(pool).tell(nodes.self());
        pool.execute(StoreLink.NOTIFY);
    }
}
