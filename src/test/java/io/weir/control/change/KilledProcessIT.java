package io.weir.control.change;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.LoadBalancerApplication;
import io.weir.control.Api;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * A process that is killed in the middle of its writes: every one that was acknowledged is there afterwards, and none by
 * halves. Kills as often as the system property {@code weir.kills} says.
 */
class KilledProcessIT {

    private static final int KILLS = Integer.getInteger("weir.kills", 2);
    private static final Pattern PORT = Pattern.compile("Tomcat started on port (\\d+)");
    private static final String APP = "/api/v1/upstreams/app";

    @TempDir
    private Path directory = Path.of("");

    /** Of the process that runs now. */
    private Api api = new Api(0);

    @Test
    void everyAcknowledgedWriteOutlivesAKill() throws Exception {
        AtomicInteger acknowledged = new AtomicInteger();
        Process process = start();
        try {
            api.put(APP, "{\"servers\":[{\"address\":\"127.0.0.1:1\"},{\"address\":\"127.0.0.1:2\"}]}");
            for (int kill = 0; kill < KILLS; kill++) {
                int first = acknowledged.get();
                Thread writer = new Thread(() -> writeUntilItFails(acknowledged));
                writer.start();
                int enough = first + 20 + 7 * (kill % 10);
                Awaitility.await().atMost(Duration.ofSeconds(120)).until(() -> acknowledged.get() >= enough);
                process.destroyForcibly().waitFor();
                writer.join();
                process = start();
                JsonNode servers = api.get(APP).json().path("servers");
                int kept = servers.get(0).path("maxConns").asInt();
                assertThat(kept).as("kill %d", kill).isBetween(acknowledged.get(), acknowledged.get() + 1);
                assertThat(servers.get(1).path("maxConns").asInt())
                        .as("both or none")
                        .isEqualTo(kept);
                acknowledged.set(kept);
            }
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    /** Each write changes both servers; the last that was answered is remembered. */
    private void writeUntilItFails(AtomicInteger acknowledged) {
        try {
            while (true) {
                int next = acknowledged.get() + 1;
                Api.Reply reply = api.put(
                        APP,
                        ("{\"servers\":[{\"address\":\"127.0.0.1:1\",\"maxConns\":%d},"
                                        + "{\"address\":\"127.0.0.1:2\",\"maxConns\":%d}]}")
                                .formatted(next, next));
                assertThat(reply.status()).isEqualTo(200);
                acknowledged.set(next);
            }
        } catch (UncheckedIOException e) {
            // killed
        }
    }

    /**
     * With the very database settings of application.yaml, in a directory of its own, on whatever port is free: one that
     * was kept for it could be taken between a kill and the next start.
     */
    private Process start() throws IOException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        absoluteClassPath(),
                        LoadBalancerApplication.class.getName(),
                        "--server.port=0",
                        "--weir.first-listener.enabled=false")
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("log").toFile())
                .start();
        Path log = directory.resolve("log");
        Awaitility.await()
                .atMost(Duration.ofSeconds(180))
                .pollInterval(Duration.ofMillis(200))
                .until(() -> !process.isAlive()
                        || PORT.matcher(Files.readString(log)).find());
        Matcher port = PORT.matcher(Files.readString(log));
        assertThat(port.find()).as(Files.readString(log)).isTrue();
        api = new Api(Integer.parseInt(port.group(1)));
        return process;
    }

    private static String absoluteClassPath() {
        StringBuilder path = new StringBuilder();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            path.append(new File(entry).getAbsolutePath()).append(File.pathSeparator);
        }
        return path.toString();
    }
}
