package io.weir.control.change;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.LoadBalancerApplication;
import io.weir.control.Api;
import io.weir.control.store.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** What the last good configuration is for, and what not. {@code DeadStoreIT} and {@code ReplicasIT} start without a database. */
class StartWithoutStoreIT {

    private static final String GROUP = "/api/v1/upstreams/app";

    @TempDir
    private Path directory;

    @Test
    void aDamagedFileMattersOnlyWithoutADatabase() throws IOException {
        Path file = directory.resolve("last-good.json");
        Files.writeString(file, "{\"format\":1,\"sha256\":\"0\"}");
        String nowhere = "jdbc:postgresql://127.0.0.1:" + Api.freePort() + "/weir?user=weir";
        assertThatThrownBy(() -> start(nowhere))
                .hasCauseInstanceOf(StartupException.class)
                .cause()
                .hasMessageContaining("The database cannot be reached")
                .hasMessageContaining(file.toString())
                .hasMessageContaining("its checksum is wrong");
        try (ConfigurableApplicationContext weir = start(TestDatabase.POSTGRESQL.inMemory())) {
            assertThat(api(weir).put(GROUP, "{}").status()).isEqualTo(201);
            Awaitility.await().until(() -> Files.readString(file).contains("\"app\""));
        }
    }

    @Test
    void aWrongPasswordOrDatabaseIsNotServedAround() {
        String url = TestDatabase.POSTGRESQL.inMemory();
        try (ConfigurableApplicationContext weir = start(url)) {
            assertThat(api(weir).put(GROUP, "{}").status()).isEqualTo(201);
        }
        assertThat(directory.resolve("last-good.json")).exists();
        assertThatThrownBy(() -> start(url.replaceFirst("/test_\\d+", "/there_is_none")))
                .hasRootCauseInstanceOf(SQLException.class)
                .hasStackTraceContaining("there_is_none");
    }

    /** H2 is as near as the file, so an operator has to see what is wrong with it. */
    @Test
    void withAnEmbeddedDatabaseThereIsNoFile() {
        String url = TestDatabase.H2.in(directory);
        try (ConfigurableApplicationContext weir = start(url)) {
            assertThat(api(weir).put(GROUP, "{}").status()).isEqualTo(201);
        }
        assertThat(directory.resolve("last-good.json")).doesNotExist();
    }

    private ConfigurableApplicationContext start(String url) {
        return new SpringApplicationBuilder(LoadBalancerApplication.class)
                .run(
                        "--server.port=0",
                        "--server.address=127.0.0.1",
                        "--weir.first-listener.enabled=false",
                        "--weir.node.last-good=" + directory.resolve("last-good.json"),
                        "--weir.data-plane.temp-dir=" + directory.resolve("tmp"),
                        "--spring.datasource.url=" + url);
    }

    private static Api api(ConfigurableApplicationContext context) {
        return new Api(context.getEnvironment().getRequiredProperty("local.server.port", Integer.class));
    }
}
