package io.weir.control.change;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.control.Api;
import io.weir.control.ControlPlaneTest;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.web.server.LocalServerPort;

@ControlPlaneTest
class ConcurrentWritesIT {

    private static final String APP = "/api/v1/upstreams/app";
    private static final int WRITERS = 8;

    @LocalServerPort
    private int port;

    private Api api;

    @BeforeEach
    void start() {
        api = new Api(port);
        api.clear();
        api.put(APP, "{\"servers\":[{\"address\":\"127.0.0.1:1\"}]}");
    }

    @Test
    void ofWritersThatExpectTheSameVersionOneWins() throws Exception {
        String version = api.get(APP + "/servers/1").header("ETag");
        List<Integer> statuses =
                atOnce(i -> api.patch(APP + "/servers/1", "{\"weight\":" + (i + 2) + "}", "If-Match", version)
                        .status());
        assertThat(statuses).containsOnly(200, 412).containsOnlyOnce(200);
    }

    @Test
    void ofWritersThatAddTheSameServerOneWins() throws Exception {
        List<Integer> statuses = atOnce(
                i -> api.post(APP + "/servers", "{\"address\":\"127.0.0.1:2\"}").status());
        assertThat(statuses).containsOnly(201, 409).containsOnlyOnce(201);
    }

    @Test
    void writesToDifferentServersAreAllKept() throws Exception {
        List<Integer> statuses = atOnce(i ->
                api.put(APP + "/servers/127.0.0.2:" + (i + 1), "{\"weight\":2}").status());
        assertThat(statuses).containsOnly(201);
        assertThat(api.get(APP).json().path("servers")).hasSize(1 + WRITERS);
    }

    private interface Writer {
        int write(int index);
    }

    private static int get(Future<Integer> result) {
        try {
            return result.get();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static List<Integer> atOnce(Writer writer) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(WRITERS);
        try {
            List<Callable<Integer>> tasks = IntStream.range(0, WRITERS)
                    .<Callable<Integer>>mapToObj(i -> () -> writer.write(i))
                    .toList();
            List<Future<Integer>> results = threads.invokeAll(tasks);
            return results.stream().map(ConcurrentWritesIT::get).toList();
        } finally {
            threads.shutdown();
        }
    }
}
