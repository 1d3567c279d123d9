package io.weir.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.control.Api;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * All that clients and servers do, good and bad, at once and for a while, beside changes: each body that claims to be whole
 * is the right one, each answer can be explained by what the peers of its group do, each request has its line in the access
 * log, and when it is over nothing is left of it: no connection, thread, file, buffer or object.
 *
 * <p>{@code -Dweir.soak.seconds=1800} for longer.
 */
class SoakIT {

    private static final int SECONDS = Integer.getInteger("weir.soak.seconds", 18);
    private static final int LEAK_SECONDS = 3;
    private static final int CLIENTS = 16;
    private static final int MEGABYTE = 1 << 20;

    /** What 16 clients could not leave behind in a short run, and what a leak of a long one would pass. */
    private static final long HEAP_GROWTH = 24 * MEGABYTE;

    private static final long DIRECT_GROWTH = 32 * MEGABYTE;

    private static final String KEEPALIVE = "\"keepalive\": {\"timeout\": \"3s\"}";
    private static final List<String> STEADY_GROUPS = List.of("buffered", "streamed", "limited", "sticky");

    @TempDir
    private Path directory;

    private final SoakRecord record = new SoakRecord();
    private final Random random = new Random(5);
    private final Map<String, SoakBackend> backends = new TreeMap<>();
    private final Map<String, Integer> guests = new TreeMap<>();
    private final List<String> down = new ArrayList<>();
    private int changes;
    private int kills;
    private String killed = "";

    /** What the process holds when it is idle. */
    private record Held(long heap, long direct, int threads, int files) {

        @Override
        public String toString() {
            return "%.1f MB heap, %.1f MB direct, %d threads, %d files"
                    .formatted(heap / (double) MEGABYTE, direct / (double) MEGABYTE, threads, files);
        }
    }

    @Test
    @Timeout(value = 1, unit = TimeUnit.DAYS)
    void nothingIsWrongAndNothingIsLeft() throws Exception {
        for (String name : List.of("a", "b", "guest", "mortal1", "mortal2")) {
            backends.put(name, SoakBackend.good("127.0.3." + (backends.size() + 1)));
        }
        for (String name : List.of("wicked1", "wicked2")) {
            backends.put(name, SoakBackend.wicked("127.0.3." + (backends.size() + 1)));
        }
        WeirProcess weir = WeirProcess.create(directory)
                .withMachineOptions(
                        "-Xmx512m",
                        "-Dio.netty.leakDetection.level=paranoid",
                        // which tells of itself as it is read
                        "-Dlogging.level.io.netty.util.ResourceLeakDetector=debug",
                        // what the machine itself allocates and counts
                        "-Dio.netty.maxDirectMemory=0");
        try (weir) {
            weir.start();
            configure(weir);
            soak(weir, SECONDS / 3);
            Held before = held(weir);
            soak(weir, SECONDS - SECONDS / 3);
            awaitIdle(weir, before);
            Held after = held(weir);
            System.out.printf(
                    "%d requests in %d s: %s; %d changes, %d kills; %s at a third, %s at the end%n",
                    record.statuses().size(), SECONDS, record, changes, kills, before, after);
            assertThat(record.counted("broken")).as("broken bodies").isPositive();
            assertThat(record.counted("502")).isPositive();
            assertThat(kills).isPositive();
            assertThat(after.heap() - before.heap()).as("growth of the heap").isLessThan(HEAP_GROWTH);
            assertThat(after.direct() - before.direct())
                    .as("growth of direct memory")
                    .isLessThan(DIRECT_GROWTH);
            // of a buffer that was lost, later ones tell
            soak(weir, LEAK_SECONDS);
            assertEachRequestHasItsLine(weir);
            try (Stream<String> lines = Files.lines(weir.printed())) {
                assertThat(lines).anyMatch(line -> line.contains("leakDetection.level: paranoid"));
            }
            try (Stream<String> lines = Files.lines(weir.printed())) {
                assertThat(lines.filter(line -> line.contains("LEAK") || line.contains("Exception")))
                        .isEmpty();
            }
        } finally {
            backends.values().forEach(SoakBackend::close);
        }
    }

    private String server(String name, String more) {
        return "{\"address\": \"%s\"%s}".formatted(backends.get(name).address(), more);
    }

    private void configure(WeirProcess weir) {
        String fickle = ", \"failTimeout\": \"1s\"";
        String good = server("a", ", \"route\": \"a\"") + "," + server("b", "");
        String mortal = server("a", "") + "," + server("mortal1", fickle) + "," + server("mortal2", fickle);
        String wicked = server("wicked1", ", \"maxFails\": 0") + "," + server("wicked2", fickle);
        group(weir, "buffered", "\"balancing\": {\"method\": \"round_robin\"}", good);
        group(weir, "streamed", "\"balancing\": {\"method\": \"least_conn\"}", good);
        group(weir, "limited", "\"balancing\": {\"method\": \"random\", \"two\": true}", good);
        group(weir, "sticky", "\"sticky\": {\"type\": \"cookie\", \"name\": \"srv\"}", good);
        group(
                weir,
                "mortal",
                "\"balancing\": {\"method\": \"hash\", \"key\": \"$arg_id\", \"consistent\": true}",
                mortal);
        group(weir, "wicked", "\"balancing\": {\"method\": \"least_time\", \"by\": \"header\"}", wicked + "," + good);
        group(weir, "hopeless", "\"balancing\": {\"method\": \"ip_hash\"}", wicked);
        String streamed = "\"requestBuffering\": false, \"buffering\": false";
        String moves = "\"nextUpstream\": [\"error\", \"timeout\", \"invalid_header\", \"http_500\", \"http_503\"]";
        String routes = String.join(
                ",",
                route("buffered", "buffered", ""),
                route("streamed", "streamed", streamed),
                route("limited", "limited", "\"limitRate\": \"1m\""),
                route("sticky", "sticky", "\"buffers\": {\"count\": 4, \"size\": \"16k\"}"),
                route("mortal", "mortal", ""),
                route("mortal-streamed", "mortal", streamed),
                route("wicked", "wicked", moves),
                route("wicked-streamed", "wicked", moves + "," + streamed),
                route("stalling", "wicked", "\"readTimeout\": \"1s\""),
                route("hopeless", "hopeless", ""));
        expect(
                200,
                weir.api()
                        .put(
                                "/api/v1/listeners/web",
                                "{\"port\": %d, \"accessLog\": {\"path\": \"access.log\", \"format\": \"$arg_id $status $request_uri\"}, \"routes\": [%s]}"
                                        .formatted(weir.port(), routes)));
    }

    private static void group(WeirProcess weir, String name, String fields, String servers) {
        expect(
                201,
                weir.api()
                        .put(
                                "/api/v1/upstreams/" + name,
                                "{%s, %s, \"servers\": [%s]}".formatted(fields, KEEPALIVE, servers)));
    }

    private static String route(String name, String group, String proxy) {
        return "{\"name\": \"%s\", \"path\": {\"value\": \"/%s/\"}, \"upstream\": \"%s\", \"maxBodySize\": \"10m\", \"proxy\": {%s}}"
                .formatted(name, name, group, proxy);
    }

    /** Ends with each client done with what it was at. */
    private void soak(WeirProcess weir, int seconds) throws Exception {
        record.stop(false);
        ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
        try {
            List<Future<Void>> clients = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                clients.add(threads.submit(new SoakClient(weir.port(), record, random.nextInt())));
            }
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
            while (System.nanoTime() < end && !record.stopped()) {
                change(weir.api());
                Thread.sleep(100 + random.nextInt(200));
            }
            record.stop(true);
            for (Future<Void> client : clients) {
                client.get(5, TimeUnit.MINUTES);
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(record.failures()).as(weir::output).isEmpty();
    }

    private void change(Api api) {
        String group = STEADY_GROUPS.get(random.nextInt(STEADY_GROUPS.size()));
        String servers = "/api/v1/upstreams/" + group + "/servers";
        switch (random.nextInt(10)) {
            case 0, 1, 2 ->
                expect(
                        200,
                        api.patch(
                                servers + "/" + (1 + random.nextInt(2)),
                                "{\"weight\": " + (1 + random.nextInt(9)) + "}"));
            case 3, 4 -> {
                boolean up = down.remove(group);
                expect(200, api.patch(servers + "/2", "{\"state\": \"" + (up ? "up" : "down") + "\"}"));
                if (!up) {
                    down.add(group);
                }
            }
            case 5, 6 -> {
                Integer guest = guests.remove(group);
                if (guest == null) {
                    Api.Reply added = api.post(servers, server("guest", ""));
                    expect(201, added);
                    guests.put(group, added.json().path("id").asInt());
                } else {
                    expect(204, api.delete(servers + "/" + guest));
                }
            }
            case 7 ->
                expect(
                        200,
                        api.patch(
                                "/api/v1/listeners/web/routes/limited",
                                "{\"proxy\": {\"limitRate\": \"" + (1 + random.nextInt(3)) + "m\"}}"));
            default -> {
                if (killed.isEmpty()) {
                    killed = random.nextBoolean() ? "mortal1" : "mortal2";
                    backends.get(killed).kill();
                    kills++;
                } else {
                    backends.get(killed).revive();
                    killed = "";
                }
                return;
            }
        }
        changes++;
    }

    private static void expect(int status, Api.Reply reply) {
        assertThat(reply.status()).as(reply.text()).isEqualTo(status);
    }

    /** What is held once nobody asks for anything. */
    private Held held(WeirProcess weir) throws Exception {
        await().atMost(Duration.ofMinutes(3)).untilAsserted(() -> {
            Metrics metrics = weir.metrics();
            for (String family :
                    List.of("weir_group_zombies", "weir_group_keepalive_connections", "weir_peer_requests_active")) {
                assertThat(metrics.find(family)).as(family).isNotEmpty();
                assertThat(metrics.sum(family)).as(family).isZero();
            }
            assertThat(metrics.sum("weir_peer_connections")).isZero();
            assertThat(tempFiles(weir)).isEmpty();
        });
        // finalizers and cleaners of one may make garbage for the next
        for (int i = 0; i < 3; i++) {
            collectGarbage(weir);
        }
        return now(weir);
    }

    private static Held now(WeirProcess weir) {
        Metrics metrics = weir.metrics();
        return new Held(
                (long) metrics.sum("jvm_memory_used_bytes", "area=\"heap\""),
                (long) metrics.sum("jvm_buffer_memory_used_bytes", "id=\"direct\""),
                (int) metrics.sum("jvm_threads_live_threads"),
                (int) metrics.sum("process_files_open_files"));
    }

    private static void awaitIdle(WeirProcess weir, Held before) {
        await().atMost(Duration.ofMinutes(3)).untilAsserted(() -> {
            Held held = now(weir);
            // those of the control plane come and go
            assertThat(held.threads()).as("threads").isLessThanOrEqualTo(before.threads() + 5);
            assertThat(held.files()).as("open files").isLessThanOrEqualTo(before.files() + 5);
        });
    }

    private static void collectGarbage(WeirProcess weir) throws Exception {
        String jcmd = Path.of(WeirProcess.java()).resolveSibling("jcmd").toString();
        Process process = new ProcessBuilder(jcmd, Long.toString(weir.pid()), "GC.run")
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes());
        assertThat(process.waitFor()).as(said).isZero();
    }

    /** Of bodies, with a name in the folder or, where the system tells, without. */
    private List<String> tempFiles(WeirProcess weir) throws IOException {
        List<String> found = new ArrayList<>();
        try (Stream<Path> files = Files.list(directory.resolve("data/tmp"))) {
            files.forEach(file -> found.add(file.toString()));
        }
        Path descriptors = Path.of("/proc/" + weir.pid() + "/fd");
        if (Files.isDirectory(descriptors)) {
            try (Stream<Path> links = Files.list(descriptors)) {
                for (Path link : links.toList()) {
                    // of those that were closed meanwhile there is none
                    if (Files.isSymbolicLink(link)
                            && Files.readSymbolicLink(link).toString().contains("weir-body-")) {
                        found.add(link.toString());
                    }
                }
            }
        }
        return found;
    }

    /** One, with the status that its client saw; those of clients that went away may have none. */
    private void assertEachRequestHasItsLine(WeirProcess weir) throws Exception {
        weir.terminate();
        assertThat(weir.awaitExit()).isEqualTo(143);
        Map<Integer, Short> missing = new TreeMap<>(record.statuses());
        List<String> wrong = new ArrayList<>();
        boolean[] seen = new boolean[record.lastId() + 1];
        int strangers = 0;
        for (String line : Files.readAllLines(directory.resolve("access.log"))) {
            String[] parts = line.split(" ");
            if (parts[0].equals("-")) {
                strangers++;
                continue;
            }
            int id = Integer.parseInt(parts[0]);
            Short status = record.statuses().get(id);
            if (seen[id] || status != null && status != Integer.parseInt(parts[1])) {
                wrong.add(line);
            }
            seen[id] = true;
            missing.remove(id);
        }
        assertThat(wrong).as("lines").isEmpty();
        assertThat(missing).as("requests without a line").isEmpty();
        assertThat((long) strangers).as("lines of no request").isLessThanOrEqualTo(record.counted("given up"));
    }
}
