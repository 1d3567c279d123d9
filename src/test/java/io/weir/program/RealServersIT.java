package io.weir.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.control.Api;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * PostgreSQL and Redis behind Weir, under the load of their own benchmarks, while servers come, go, drain and are down. Needs
 * {@code pgbench}, {@code redis-server} and {@code redis-benchmark}.
 */
class RealServersIT {

    private static final String GROUP = "/api/v1/upstreams/real";
    private static final int ROUNDS_AT_LEAST = 3;

    @TempDir
    private Path directory;

    /** A client program under way, with what it prints. */
    private record Load(Process process, Path output) {

        static Load start(Path directory, String name, String... command) throws IOException {
            Path output = directory.resolve(name + ".txt");
            return new Load(
                    new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(output.toFile())
                            .start(),
                    output);
        }

        /** What it has printed, once it has ended well. */
        String await() throws IOException, InterruptedException {
            assertThat(process.waitFor(120, TimeUnit.SECONDS)).as("ends").isTrue();
            String printed = Files.readString(output);
            assertThat(process.exitValue()).as(printed).isZero();
            return printed;
        }
    }

    private static Api.Reply ok(Api.Reply reply) {
        assertThat(reply.status()).as(reply.text()).isBetween(200, 204);
        return reply;
    }

    private static void listen(Api api, int port, int first, int second) {
        ok(api.put(
                GROUP,
                "{\"protocol\":\"stream\",\"balancing\":{\"method\":\"least_conn\"},\"servers\":[{\"address\":\"127.0.0.1:"
                        + first + "\"},{\"address\":\"127.0.0.1:" + second + "\"}]}"));
        ok(api.put(
                "/api/v1/listeners/real",
                "{\"protocol\":\"tcp\",\"bind\":\"127.0.0.1\",\"port\":" + port + ",\"upstream\":\"real\"}"));
    }

    /** Changes the group until the clients have ended, and at least some times; leaves two servers that are up. */
    private static void changeWhile(Api api, int second, List<Load> loads) {
        for (int round = 0;
                round < ROUNDS_AT_LEAST
                        || loads.stream().anyMatch(l -> l.process().isAlive());
                round++) {
            ok(api.patch(GROUP + "/servers/1", "{\"weight\":" + (1 + round % 5) + "}"));
            ok(api.patch(GROUP + "/servers/1", "{\"state\":\"down\"}"));
            ok(api.patch(GROUP + "/servers/1", "{\"state\":\"up\"}"));
            ok(api.post(GROUP + "/servers/1/drain", "{}"));
            ok(api.delete(GROUP + "/servers/1/drain"));
            ok(api.delete(GROUP + "/servers/127.0.0.1:" + second));
            ok(api.post(GROUP + "/servers", "{\"address\":\"127.0.0.1:" + second + "\"}"));
            // a change that has nothing to do with it
            ok(api.put(
                    "/api/v1/upstreams/other", "{\"servers\":[{\"address\":\"127.0.0.1:" + (1 + round % 9) + "\"}]}"));
        }
    }

    private static void assertAtRest(WeirProcess weir) {
        await().untilAsserted(() -> {
            assertThat(weir.metrics().sum("weir_stream_sessions_active", "listener=\"real\""))
                    .isZero();
            assertThat(weir.api().get(GROUP + "/peers").json().path("items"))
                    .allSatisfy(peer -> assertThat(peer.path("conns").asInt()).isZero());
        });
    }

    @Test
    void noSessionOfPgbenchBreaks() throws IOException, InterruptedException, SQLException {
        int port = Api.freePort();
        try (EmbeddedPostgres a = EmbeddedPostgres.start();
                EmbeddedPostgres b = EmbeddedPostgres.start();
                WeirProcess weir = WeirProcess.start(directory)) {
            Api api = weir.api();
            for (EmbeddedPostgres each : List.of(a, b)) {
                Load.start(directory, "init" + each.getPort(), pgbench(each.getPort(), "-i", "-q"))
                        .await();
            }
            listen(api, port, a.getPort(), b.getPort());
            try (Connection lasting = DriverManager.getConnection(
                            "jdbc:postgresql://127.0.0.1:" + port + "/postgres", "postgres", "");
                    Statement statement = lasting.createStatement()) {
                List<Load> loads = List.of(
                        Load.start(directory, "lasting", pgbench(port, "-S", "-c", "8", "-T", "8")),
                        Load.start(directory, "short", pgbench(port, "-S", "-C", "-c", "4", "-T", "8")));
                changeWhile(api, b.getPort(), loads);
                for (Load load : loads) {
                    assertThat(load.await())
                            .contains("number of failed transactions: 0")
                            .doesNotContain("aborted");
                }
                try (ResultSet result = statement.executeQuery("select 42")) {
                    assertThat(result.next()).isTrue();
                    assertThat(result.getInt(1))
                            .as("a session that outlives all changes")
                            .isEqualTo(42);
                }
            }
            // who is killed takes its own sessions along, and new ones go elsewhere
            a.close();
            Load.start(directory, "after", pgbench(port, "-S", "-C", "-c", "2", "-t", "20"))
                    .await();
            assertAtRest(weir);
        }
    }

    private static String[] pgbench(int port, String... arguments) {
        List<String> command =
                new ArrayList<>(List.of("pgbench", "-h", "127.0.0.1", "-p", Integer.toString(port), "-U", "postgres"));
        command.addAll(List.of(arguments));
        command.add("postgres");
        return command.toArray(String[]::new);
    }

    @Test
    void noSessionOfRedisBenchmarkBreaks() throws IOException, InterruptedException {
        int port = Api.freePort();
        int first = Api.freePort();
        int second = Api.freePort();
        Process a = redis(first);
        Process b = redis(second);
        try (WeirProcess weir = WeirProcess.start(directory)) {
            Api api = weir.api();
            listen(api, port, first, second);
            await().untilAsserted(() -> assertThat(cli(port, "PING")).isEqualTo("PONG"));
            List<Load> loads = List.of(
                    Load.start(directory, "lasting", benchmark(port, "-c", "50", "-P", "16", "-n", "400000")),
                    // a new connection for each request
                    Load.start(directory, "short", benchmark(port, "-c", "8", "-k", "0", "-n", "4000")));
            changeWhile(api, second, loads);
            for (Load load : loads) {
                assertThat(load.await())
                        .contains("requests per second")
                        .doesNotContainIgnoringCase("error")
                        .doesNotContain("closed the connection");
            }
            assertThat(cli(port, "SET", "k", "v")).isEqualTo("OK");
            a.destroyForcibly().waitFor();
            assertThat(cli(port, "PING")).as("of the server that is left").isEqualTo("PONG");
            assertAtRest(weir);
        } finally {
            a.destroyForcibly();
            b.destroyForcibly();
        }
    }

    private Process redis(int port) throws IOException {
        Path folder = Files.createDirectory(directory.resolve("redis-" + port));
        return new ProcessBuilder(
                        "redis-server",
                        "--port",
                        Integer.toString(port),
                        "--bind",
                        "127.0.0.1",
                        "--save",
                        "",
                        "--appendonly",
                        "no",
                        "--dir",
                        folder.toString())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("log.txt").toFile())
                .start();
    }

    private static String[] benchmark(int port, String... arguments) {
        List<String> command = new ArrayList<>(
                List.of("redis-benchmark", "-h", "127.0.0.1", "-p", Integer.toString(port), "-q", "-t", "set,get"));
        command.addAll(List.of(arguments));
        return command.toArray(String[]::new);
    }

    private String cli(int port, String... words) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("redis-cli", "-h", "127.0.0.1", "-p", Integer.toString(port)));
        command.addAll(List.of(words));
        return Load.start(directory, "cli", command.toArray(String[]::new))
                .await()
                .strip();
    }
}
