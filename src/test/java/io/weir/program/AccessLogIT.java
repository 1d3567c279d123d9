package io.weir.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.proxy.Client;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The access log of the packaged jar, in its working directory and on its standard output. */
class AccessLogIT {

    private static final int CLIENTS = 4;
    private static final int EACH = 3000;

    @TempDir
    private Path directory;

    /** Turned on, turned over by somebody else, sent to standard output, turned off, ended: each request has its line. */
    @Test
    void everyRequestHasOneLine() throws Exception {
        Path file = directory.resolve("logs/access.log");
        try (WeirProcess weir = WeirProcess.start(directory)) {
            weir.api().put("/api/v1/listeners/web/routes", "{\"items\":[{\"name\":\"all\",\"respond\":{}}]}");
            patch(weir, "{\"path\":\"logs/access.log\",\"format\":\"$request_uri\"}");
            List<Thread> clients = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                int client = i;
                clients.add(new Thread(() -> load(weir.port(), "/" + client + "/")));
            }
            clients.forEach(Thread::start);
            await().until(() -> Files.exists(file) && Files.size(file) > 0);
            Files.move(file, file.resolveSibling("moved.log"));
            for (Thread client : clients) {
                client.join();
            }
            await().until(() -> lines().size() >= CLIENTS * EACH);
            patch(weir, "{\"path\":\"stdout\",\"format\":\"to stdout: $request_uri\"}");
            load(weir.port(), 1, "/shown");
            await().until(() -> weir.output().contains("to stdout: /shown0"));
            patch(weir, "{\"path\":\"off\"}");
            load(weir.port(), 1, "/unseen");
            patch(weir, "{\"path\":\"logs/access.log\",\"format\":\"$request_uri\"}");
            load(weir.port(), 1, "/last");
            weir.terminate();
            weir.awaitExit();
            assertThat(weir.output()).doesNotContain("/unseen");
        }
        Map<String, Long> counts =
                lines().stream().collect(Collectors.groupingBy(l -> l, TreeMap::new, Collectors.counting()));
        Map<String, Long> expected = new TreeMap<>(Map.of("/last0", 1L));
        for (int client = 0; client < CLIENTS; client++) {
            for (int i = 0; i < EACH; i++) {
                expected.put("/" + client + "/" + i, 1L);
            }
        }
        assertThat(counts).isEqualTo(expected);
    }

    private static void patch(WeirProcess weir, String log) {
        assertThat(weir.api()
                        .patch(
                                "/api/v1/listeners/web",
                                "{\"client\":{\"keepaliveRequests\":1000000000},\"accessLog\":" + log + "}")
                        .status())
                .isEqualTo(200);
    }

    private List<String> lines() throws IOException {
        List<String> lines = new ArrayList<>();
        for (String name : List.of("logs/moved.log", "logs/access.log")) {
            if (Files.exists(directory.resolve(name))) {
                lines.addAll(Files.readAllLines(directory.resolve(name)));
            }
        }
        return lines;
    }

    private static void load(int port, String prefix) {
        load(port, EACH, prefix);
    }

    private static void load(int port, int count, String prefix) {
        try (Client client = Client.to(port)) {
            for (int i = 0; i < count; i++) {
                assertThat(client.request("GET " + prefix + i + " HTTP/1.1\r\nHost: a\r\n\r\n")
                                .status())
                        .isEqualTo(200);
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
