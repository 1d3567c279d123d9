package io.weir.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.control.Api;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script of "Take a server out" in docs/operations.md, run as it stands there while clients ask both servers. */
class RollingDeployIT {

    private static final Pattern SCRIPT = Pattern.compile("(?s)\n## Take a server out\n.*?```sh\n(.*?)```");
    private static final int CONNECTIONS = 50;

    @TempDir
    private Path directory;

    private final int port = Api.freePort();

    @Test
    void serversAreRenewedOneAfterTheOtherWithoutALoss() throws Exception {
        WeirProcess weir = WeirProcess.shared();
        Api api = weir.api();
        api.clear();
        // answers of either count; no answer at all would be a loss
        try (MortalServers servers = new MortalServers();
                Load load = new Load(port, 5, Map.of())) {
            api.put(
                    "/api/v1/upstreams/app",
                    "{\"servers\":[{\"address\":\"" + servers.address(0) + "\"},{\"address\":\"" + servers.address(1)
                            + "\"}]}");
            assertThat(api.put("/api/v1/listeners/test", """
                            {"bind": "127.0.0.1", "port": %d, "client": {"keepaliveRequests": 1000000000},
                             "routes": [{"name": "all", "upstream": "app"}]}
                            """.formatted(port)).status())
                    .isEqualTo(201);
            load.add(CONNECTIONS, "/", List.of("0", "1"));
            await().until(() -> load.answers() > 10 * CONNECTIONS);

            Process script = start(script(weir.adminPort(), servers));
            try {
                for (int i = 0; i < 2; i++) {
                    Path asked = directory.resolve("renew-" + servers.address(i));
                    await().until(() -> Files.exists(asked));
                    servers.renew(i);
                    long answers = load.answers();
                    await().until(() -> load.answers() > answers + CONNECTIONS);
                    Files.delete(asked);
                }
                assertThat(script.waitFor(60, TimeUnit.SECONDS)).isTrue();
                assertThat(script.exitValue()).as(printed()).isZero();
            } finally {
                script.destroyForcibly();
            }
            await().until(() -> servers.requests(0) > 0 && servers.requests(1) > 0);
            load.stop();
            await().until(() -> load.running() == 0);
            assertThat(load.failures()).isEmpty();
            for (int id = 1; id <= 2; id++) {
                assertThat(api.get("/api/v1/upstreams/app/servers/" + id)
                                .json()
                                .path("state")
                                .asString())
                        .isEqualTo("up");
            }
        }
    }

    /** Two that can be exchanged for new ones at the same addresses. */
    private static final class MortalServers implements AutoCloseable {

        private final NamedBackend[] lives = {NamedBackend.start("0"), NamedBackend.start("1")};

        String address(int server) {
            return lives[server].address();
        }

        /** Of the life that it has now. */
        int requests(int server) {
            return lives[server].requests();
        }

        void renew(int server) {
            int port = lives[server].port();
            lives[server].close();
            lives[server] = NamedBackend.at(port, Integer.toString(server));
        }

        @Override
        public void close() {
            lives[0].close();
            lives[1].close();
        }
    }

    /** With other addresses, and nothing else. */
    private static String script(int adminPort, MortalServers servers) throws Exception {
        Matcher script = SCRIPT.matcher(Files.readString(Path.of("docs", "operations.md")));
        assertThat(script.find()).isTrue();
        String text = script.group(1);
        assertThat(text).contains("127.0.0.1:8080", "127.0.0.1:9001", "127.0.0.1:9002");
        return text.replace("127.0.0.1:8080", "127.0.0.1:" + adminPort)
                .replace("127.0.0.1:9001", servers.address(0))
                .replace("127.0.0.1:9002", servers.address(1));
    }

    /** Its {@code ./renew} asks this test to do it, and waits until it is done. */
    private Process start(String script) throws Exception {
        Path renew = directory.resolve("renew");
        Files.writeString(renew, "#!/bin/sh\ntouch \"renew-$1\"\nwhile [ -e \"renew-$1\" ]; do sleep 0.05; done\n");
        assertThat(renew.toFile().setExecutable(true)).isTrue();
        return new ProcessBuilder("bash", "-euc", script)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("printed.txt").toFile())
                .start();
    }

    private String printed() throws Exception {
        return Files.readString(directory.resolve("printed.txt"));
    }
}
