package io.weir.control.store;

import jakarta.persistence.EntityManagerFactory;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.Set;
import org.flywaydb.core.Flyway;
import org.hibernate.SessionFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.stereotype.Component;

/** The tables: made or changed by Flyway, then compared with what this version of Weir works with. */
@Component
public class Schema {

    /**
     * SQLSTATEs of a server that is stopping, starting, out of connections or was shut down; those of class 08 are of
     * connections.
     *
     * @see <a href="https://www.postgresql.org/docs/18/errcodes-appendix.html">PostgreSQL: error codes</a>
     */
    private static final Set<String> AWAY = Set.of("57P01", "57P02", "57P03", "57P05", "53300");

    private final Flyway flyway;
    private final EntityManagerFactory entities;
    private final boolean shared;
    private volatile boolean open;

    Schema(Flyway flyway, EntityManagerFactory entities, JdbcConnectionDetails details) {
        this.flyway = flyway;
        this.entities = entities;
        shared = Database.isShared(details.getJdbcUrl());
    }

    /** Whether the database is there and its tables are right, as far as is known. */
    public boolean isOpen() {
        return open;
    }

    /**
     * Makes the tables what they should be. Does nothing once that was done.
     *
     * @throws StoreException if the database is a server that cannot be reached now
     * @throws RuntimeException on anything else, such as a file that is in use, a wrong password or another schema
     */
    public void open() {
        if (open) {
            return;
        }
        try {
            flyway.migrate();
            entities.unwrap(SessionFactory.class).getSchemaManager().validateMappedObjects();
        } catch (RuntimeException e) {
            if (shared && isAway(e)) {
                throw new StoreException("the database cannot be reached: " + reason(e), e);
            }
            throw e;
        }
        open = true;
    }

    private static boolean isAway(Throwable e) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql) {
                String state = sql.getSQLState();
                if (state != null && !(sql instanceof SQLTransientConnectionException)) {
                    return state.startsWith("08") || AWAY.contains(state);
                }
            }
        }
        return hasConnectionTimeout(e);
    }

    /** The pool has waited in vain, and no server has said a word. */
    private static boolean hasConnectionTimeout(Throwable e) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLTransientConnectionException) {
                return true;
            }
        }
        return false;
    }

    /** What the driver said, which is at the bottom. */
    static String reason(Throwable e) {
        @Nullable String found = null;
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException && cause.getMessage() != null) {
                found = cause.getMessage();
            }
        }
        return found == null ? String.valueOf(e.getMessage()) : found;
    }
}
