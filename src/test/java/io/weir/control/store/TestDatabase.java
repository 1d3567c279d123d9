package io.weir.control.store;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;

/** The kinds of database that Weir keeps its configuration in. PostgreSQL is started once for all tests of a JVM. */
public enum TestDatabase {
    H2 {
        @Override
        public String inMemory() {
            return "jdbc:h2:mem:test-" + count.incrementAndGet() + ";DB_CLOSE_DELAY=-1";
        }

        @Override
        public String in(Path folder) {
            return "jdbc:h2:file:" + folder.resolve("weir").toAbsolutePath() + ";WRITE_DELAY=0;DB_CLOSE_ON_EXIT=FALSE";
        }
    },

    POSTGRESQL {
        @Override
        public String inMemory() {
            String name = "test_" + count.incrementAndGet();
            EmbeddedPostgres server = Server.INSTANCE;
            try (Connection connection = DriverManager.getConnection(server.getJdbcUrl("postgres", "postgres"));
                    Statement statement = connection.createStatement()) {
                statement.execute("create database " + name);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
            return server.getJdbcUrl("postgres", name);
        }

        @Override
        public String in(Path folder) {
            return inMemory();
        }
    };

    private static final AtomicInteger count = new AtomicInteger();

    /** The one that a whole run of tests is to use, {@code -Dweir.store=postgresql}; H2 unless it says so. */
    public static TestDatabase ofThisRun() {
        return System.getProperty("weir.store", "h2").equals("postgresql") ? POSTGRESQL : H2;
    }

    /** The URL of a new, empty database that lasts as long as this JVM. */
    public abstract String inMemory();

    /** The URL of a new, empty database that other processes can use, one after the other. */
    public abstract String in(Path folder);

    /** Started when it is needed. */
    private static final class Server {

        static final EmbeddedPostgres INSTANCE = start();

        private static EmbeddedPostgres start() {
            try {
                return EmbeddedPostgres.start();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
