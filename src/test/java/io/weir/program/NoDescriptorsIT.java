package io.weir.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weir.proxy.Client;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A Weir without file descriptors, as with a low {@code ulimit -n}: it waits, says so, and goes on by itself. */
class NoDescriptorsIT {

    private static final String GET = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
    private static final Path PRLIMIT = Path.of("/usr/bin/prlimit");
    private static final int SPARE = 40;

    @TempDir
    private Path directory;

    @Test
    void listenersWaitUntilThereAreDescriptorsAgain() throws Exception {
        assumeTrue(Files.isExecutable(PRLIMIT), "lowers the limit of a process that runs");
        List<Client> clients = new ArrayList<>();
        try (WeirProcess weir = WeirProcess.start(directory)) {
            weir.api()
                    .put(
                            "/api/v1/listeners/web/routes",
                            "{\"items\":[{\"name\":\"all\",\"respond\":{\"body\":\"ok\"}}]}");
            assertThat(Client.get(weir.port(), "/").body()).isEqualTo("ok");
            try (Client early = Client.to(weir.port())) {
                assertThat(early.request(GET).body()).isEqualTo("ok");
                limit(weir, openFiles(weir) + SPARE);
                for (int i = 0; i < 3 * SPARE; i++) {
                    clients.add(Client.to(weir.port()));
                }
                await().atMost(Duration.ofSeconds(60)).until(() -> told(weir) > 0);
                // nothing to be done but to wait: no loop may spin meanwhile
                long cpu = cpuMillis(weir);
                long begin = System.nanoTime();
                for (int i = 0; i < 20; i++) {
                    Thread.sleep(150);
                    // those that are there are served
                    assertThat(early.request(GET).body()).isEqualTo("ok");
                }
                long wall = (System.nanoTime() - begin) / 1_000_000;
                assertThat(cpuMillis(weir) - cpu).isLessThan(wall * 8 / 10);
                // one line each ten seconds
                assertThat(told(weir)).isLessThanOrEqualTo(2 + wall / 10_000);
            }
            for (Client client : clients) {
                client.close();
            }
            await().untilAsserted(() ->
                    assertThat(Client.get(weir.port(), "/").body()).isEqualTo("ok"));
            assertThat(weir.isAlive()).isTrue();
        } finally {
            for (Client client : clients) {
                client.close();
            }
        }
    }

    private static long told(WeirProcess weir) {
        return weir.output()
                .lines()
                .filter(line -> line.contains("no client can be accepted"))
                .count();
    }

    private static void limit(WeirProcess weir, long files) throws Exception {
        Process prlimit = new ProcessBuilder(
                        PRLIMIT.toString(), "--pid", Long.toString(weir.pid()), "--nofile=" + files + ":")
                .inheritIO()
                .start();
        assertThat(prlimit.waitFor()).isZero();
    }

    private static long openFiles(WeirProcess weir) throws IOException {
        try (Stream<Path> files = Files.list(Path.of("/proc/" + weir.pid() + "/fd"))) {
            return files.count();
        }
    }

    private static long cpuMillis(WeirProcess weir) {
        return ProcessHandle.of(weir.pid())
                .flatMap(process -> process.info().totalCpuDuration())
                .orElseThrow()
                .toMillis();
    }
}
