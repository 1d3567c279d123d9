package io.weir.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.weir.control.Api;
import io.weir.proxy.Backend;
import io.weir.proxy.Client;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The store fails under the program that runs: traffic goes on, the API says so, and it heals without a restart. */
class DeadStoreIT {

    private static final String APP = "/api/v1/upstreams/app";
    private static final Path PRLIMIT = Path.of("/usr/bin/prlimit");
    private static final Duration HEALED = Duration.ofSeconds(60);

    @TempDir
    private Path directory;

    private final Backend backend = Backend.saying("a");

    @AfterEach
    void stop() {
        backend.close();
    }

    /** H2 writes no further than the process may, which to it is a full disk. */
    @Test
    void aFullDiskIsTold() throws Exception {
        assumeThat(PRLIMIT).exists();
        try (WeirProcess weir = WeirProcess.start(directory)) {
            makeOneOfEach(weir);
            String before = weir.api().everything();
            limitFiles(weir, "0");
            assertWritesAreRefused(weir, before);
            limitFiles(weir, "unlimited");
            assertItHeals(weir);
            String healed = weir.api().everything();
            weir.kill();
            weir.start();
            assertThat(weir.api().everything()).isEqualTo(healed);
            assertTrafficGoesOn(weir);
        }
    }

    private static void limitFiles(WeirProcess weir, String bytes) throws IOException, InterruptedException {
        int code = new ProcessBuilder(PRLIMIT.toString(), "--pid=" + weir.pid(), "--fsize=" + bytes + ":unlimited")
                .inheritIO()
                .start()
                .waitFor();
        assertThat(code).isZero();
    }

    @Test
    void postgresIsAStoreThatMayGoAndComeBack() throws Exception {
        int databasePort = Api.freePort();
        Path data = Files.createDirectory(directory.resolve("postgres"));
        EmbeddedPostgres postgres = null;
        try (WeirProcess weir = WeirProcess.create(
                directory.resolve("weir"),
                "--spring.datasource.url=jdbc:postgresql://127.0.0.1:" + databasePort + "/postgres",
                "--spring.datasource.username=postgres")) {
            // it waits for the first configuration
            weir.launch();
            await().atMost(HEALED).ignoreExceptions().until(() -> storeOf(weir), "down"::equals);
            assertThat(weir.api().get("/actuator/health/readiness").status()).isEqualTo(503);
            assertThat(weir.api().put(APP, "{}").status()).isEqualTo(503);
            postgres = postgres(data, databasePort);
            weir.awaitReady();
            makeOneOfEach(weir);
            String before = weir.api().everything();
            weir.kill();
            weir.start();
            assertThat(weir.api().everything()).isEqualTo(before);
            assertTrafficGoesOn(weir);

            terminateConnections(postgres);
            assertItHeals(weir);
            before = weir.api().everything();

            postgres.close();
            assertWritesAreRefused(weir, before);
            await().atMost(HEALED).until(() -> storeOf(weir), "down"::equals);
            tellHowLongStatusTakes(weir);
            Path lastGood = directory.resolve("weir/data/last-good.json");
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(lastGood)))
                    .isEqualTo("rw-------");

            // what ran last is started from the disk
            weir.kill();
            weir.start();
            assertTrafficGoesOn(weir);
            assertWritesAreRefused(weir, before);
            postgres = postgres(data, databasePort);
            assertItHeals(weir);
        } finally {
            if (postgres != null) {
                postgres.close();
            }
        }
    }

    /** As an administrator of the database can at any time. */
    private static void terminateConnections(EmbeddedPostgres postgres) throws SQLException {
        try (Connection connection = postgres.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'weir%'");
        }
    }

    private static String storeOf(WeirProcess weir) {
        return weir.api().get("/api/v1/status").json().path("store").asString();
    }

    private static void tellHowLongStatusTakes(WeirProcess weir) {
        long longest = 0;
        for (int i = 0; i < 20; i++) {
            long begin = System.nanoTime();
            assertThat(storeOf(weir)).isEqualTo("down");
            longest = Math.max(longest, System.nanoTime() - begin);
        }
        System.out.printf(
                "the status without a database takes %d ms at most of 20%n", TimeUnit.NANOSECONDS.toMillis(longest));
    }

    private static EmbeddedPostgres postgres(Path data, int port) throws IOException {
        return EmbeddedPostgres.builder()
                .setDataDirectory(data)
                .setCleanDataDirectory(false)
                .setPort(port)
                .start();
    }

    private void makeOneOfEach(WeirProcess weir) throws IOException {
        Api api = weir.api();
        assertThat(api.put(APP, "{\"servers\":[{\"address\":\"" + backend.address() + "\"}]}")
                        .status())
                .isEqualTo(201);
        assertThat(api.put("/api/v1/listeners/web/routes", "{\"items\":[{\"name\":\"all\",\"upstream\":\"app\"}]}")
                        .status())
                .isEqualTo(200);
        assertTrafficGoesOn(weir);
    }

    private static void assertTrafficGoesOn(WeirProcess weir) throws IOException {
        assertThat(Client.get(weir.port(), "/").body()).isEqualTo("a");
    }

    private static void assertWritesAreRefused(WeirProcess weir, String before) throws IOException {
        Api api = weir.api();
        for (Api.Reply reply : List.of(
                api.patch(APP + "/servers/1", "{\"weight\":9}"),
                api.put("/api/v1/upstreams/other", "{}"),
                api.delete("/api/v1/listeners/web"))) {
            assertThat(reply.status()).as(reply.text()).isEqualTo(503);
            assertThat(reply.json().path("code").asString()).isEqualTo("STORE_DOWN");
            assertThat(reply.header("Retry-After")).isNotEmpty();
            assertTrafficGoesOn(weir);
        }
        assertThat(api.everything()).isEqualTo(before);
        assertThat(api.get("/actuator/health/liveness").status()).isEqualTo(200);
    }

    private static void assertItHeals(WeirProcess weir) throws IOException {
        Api api = weir.api();
        await().atMost(HEALED).pollInterval(Duration.ofSeconds(1)).until(() -> storeOf(weir), "up"::equals);
        await().atMost(HEALED)
                .until(() -> api.patch(APP + "/servers/1", "{\"weight\":9}").status(), status -> status == 200);
        assertThat(api.get(APP + "/servers/1").json().path("weight").asInt()).isEqualTo(9);
        assertTrafficGoesOn(weir);
    }
}
