package io.weir.control.store;

import com.zaxxer.hikari.HikariDataSource;
import java.util.Locale;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.flyway.autoconfigure.FlywayMigrationStrategy;
import org.springframework.boot.hibernate.autoconfigure.HibernatePropertiesCustomizer;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * What each kind of database needs of the pool, of Hibernate and of Flyway, so that nothing asks the database before
 * {@link Schema#open} does, and nothing waits for ever.
 */
@Configuration(proxyBeanMethods = false)
class Database {

    private static final String POSTGRESQL = "jdbc:postgresql:";
    private static final String H2 = "jdbc:h2:";

    /** Seconds in which a server takes a connection, and answers. A network that swallows everything says nothing. */
    private static final String CONNECT_TIMEOUT = "3";

    private static final String SOCKET_TIMEOUT = "10";

    /**
     * A node that is cut off in the middle of a change must not keep the others from theirs until its connection is given up:
     * the server ends it sooner. Said after connecting, as a pooler in between may know no startup options.
     */
    private static final String INIT =
            "set idle_in_transaction_session_timeout = '10s'; set lock_timeout = '5s'; set tcp_keepalives_idle = 30";

    /** Whether several nodes may use the database at one time. A file of H2 belongs to one process. */
    static boolean isShared(String url) {
        return url.toLowerCase(Locale.ROOT).startsWith(POSTGRESQL);
    }

    /** The pool goes by these unless the URL says otherwise. */
    @Bean
    static BeanPostProcessor poolSettings(ObjectProvider<JdbcConnectionDetails> details) {
        return new BeanPostProcessor() {
            @Override
            public Object postProcessBeforeInitialization(Object bean, String name) {
                if (bean instanceof HikariDataSource pool
                        && isShared(details.getObject().getJdbcUrl())) {
                    pool.addDataSourceProperty("connectTimeout", CONNECT_TIMEOUT);
                    pool.addDataSourceProperty("socketTimeout", SOCKET_TIMEOUT);
                    pool.addDataSourceProperty("tcpKeepAlive", "true");
                    pool.addDataSourceProperty("ApplicationName", "weir");
                    if (pool.getConnectionInitSql() == null) {
                        pool.setConnectionInitSql(INIT);
                    }
                    // a server that is away is found out by who asks, and may come back
                    pool.setInitializationFailTimeout(-1);
                }
                return bean;
            }
        };
    }

    /** Hibernate would ask the database which one it is. */
    @Bean
    HibernatePropertiesCustomizer dialect(JdbcConnectionDetails details) {
        String url = details.getJdbcUrl();
        String dialect = isShared(url) ? "PostgreSQL" : url.startsWith(H2) ? "H2" : "";
        return properties -> {
            if (!dialect.isEmpty()) {
                properties.put("hibernate.dialect", "org.hibernate.dialect." + dialect + "Dialect");
                properties.put("hibernate.boot.allow_jdbc_metadata_access", false);
            }
        };
    }

    /** {@link Schema#open} does it, and may have to do it later. */
    @Bean
    FlywayMigrationStrategy migrateLater() {
        return flyway -> {};
    }
}
