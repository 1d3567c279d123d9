package io.weir.program;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.control.Api;
import io.weir.control.store.TestDatabase;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;

/**
 * {@code kill -9} of the packaged jar while a client writes by REST, on one data directory. The test keeps a model of its own
 * of what it has written, ids and revisions included, and compares it with what the next process answers.
 */
class CrashedProgramIT {

    private static final int KILLS = Integer.getInteger("weir.kills", 3);
    private static final String UPSTREAMS = "/api/v1/upstreams";
    private static final List<String> GROUPS = List.of("g0", "g1", "g2");
    private static final int MOST_SERVERS = 6;

    /** A write, and what there is after it. */
    private record Write(String method, String path, String body, int status, Model after) {}

    /** The servers of a group, weights by id, and the id of the next. */
    private record Group(Map<Integer, Integer> weights, int nextId) {}

    private record Model(Map<String, Group> groups, long revision) {

        Model with(String name, Group group) {
            Map<String, Group> next = new TreeMap<>(groups);
            if (group == null) {
                next.remove(name);
            } else {
                next.put(name, group);
            }
            return new Model(next, revision + 1);
        }

        /** As the API tells it; that the next id is right shows when it is given. */
        String text() {
            return "revision " + revision + " "
                    + groups.entrySet().stream()
                            .map(group -> group.getKey() + group.getValue().weights())
                            .collect(Collectors.joining(" "));
        }
    }

    @TempDir
    private Path directory;

    private final Random random = new Random(13);
    private final ScheduledExecutorService killer = Executors.newSingleThreadScheduledExecutor();

    @AfterEach
    void stop() {
        killer.shutdownNow();
    }

    @ParameterizedTest
    @EnumSource
    void everyAcknowledgedWriteOutlivesAKillAndNoneIsThereByHalves(TestDatabase database) throws Exception {
        int writes = 0;
        int unacknowledgedButThere = 0;
        try (WeirProcess weir = WeirProcess.start(directory, "--spring.datasource.url=" + database.in(directory))) {
            Model model = new Model(new TreeMap<>(), revision(weir.api()));
            for (int kill = 0; kill < KILLS; kill++) {
                ScheduledFuture<?> death =
                        killer.schedule(weir::kill, 200 + random.nextInt(3000), TimeUnit.MILLISECONDS);
                Write write = next(model);
                while (isAcknowledged(weir.api(), write)) {
                    model = write.after();
                    write = next(model);
                    writes++;
                }
                death.get();
                if (kill % 3 == 1) {
                    weir.launch();
                    killer.schedule(weir::kill, 500 + random.nextInt(8000), TimeUnit.MILLISECONDS)
                            .get();
                }
                weir.start();
                String found = found(weir.api());
                assertThat(found)
                        .as("after kill %d, in the middle of %s", kill, write)
                        .isIn(model.text(), write.after().text());
                if (!found.equals(model.text())) {
                    model = write.after();
                    unacknowledgedButThere++;
                }
            }
        }
        System.out.printf(
                "%s: %d kills of the jar after %d acknowledged writes; %d times the last was there without an answer%n",
                database, KILLS, writes, unacknowledgedButThere);
        assertThat(writes).isGreaterThan(KILLS);
    }

    /** Whether the write was answered; it must be as the model says. */
    private static boolean isAcknowledged(Api api, Write write) {
        Api.Reply reply;
        try {
            reply = api.send(write.method(), write.path(), write.body());
        } catch (UncheckedIOException e) {
            return false;
        }
        assertThat(reply.status()).as("%s: %s", write, reply.text()).isEqualTo(write.status());
        return true;
    }

    private static long revision(Api api) {
        return api.get("/api/v1/status").json().path("revision").asLong();
    }

    private static String found(Api api) {
        Map<String, Group> groups = new TreeMap<>();
        for (JsonNode item : api.get(UPSTREAMS).json().path("items").values()) {
            Map<Integer, Integer> weights = new TreeMap<>();
            for (JsonNode server : item.path("servers").values()) {
                weights.put(server.path("id").asInt(), server.path("weight").asInt());
            }
            groups.put(item.path("name").asString(), new Group(weights, 0));
        }
        return new Model(groups, revision(api)).text();
    }

    private Write next(Model model) {
        String name = GROUPS.get(random.nextInt(GROUPS.size()));
        String path = UPSTREAMS + "/" + name;
        Group group = model.groups().get(name);
        int weight = 1 + random.nextInt(10_000);
        if (group == null) {
            Map<Integer, Integer> weights = new TreeMap<>(Map.of(1, weight, 2, weight));
            String body = "{\"name\":\"" + name + "\",\"servers\":[" + server(1, weight, false) + ","
                    + server(2, weight, false) + "]}";
            return new Write("POST", UPSTREAMS, body, 201, model.with(name, new Group(weights, 3)));
        }
        Map<Integer, Integer> weights = new TreeMap<>(group.weights());
        List<Integer> ids = List.copyOf(weights.keySet());
        int nextId = group.nextId();
        switch (ids.isEmpty() ? 0 : random.nextInt(10)) {
            case 0, 1, 2 -> {
                if (ids.size() < MOST_SERVERS) {
                    weights.put(nextId, weight);
                    Model after = model.with(name, new Group(weights, nextId + 1));
                    return new Write("POST", path + "/servers", server(nextId, weight, false), 201, after);
                }
            }
            case 3, 4 -> {
                int id = ids.get(random.nextInt(ids.size()));
                weights.remove(id);
                Model after = model.with(name, new Group(weights, nextId));
                return new Write("DELETE", path + "/servers/" + id, null, 204, after);
            }
            case 5, 6 -> {
                int id = ids.get(random.nextInt(ids.size()));
                // never what it is, so that it is a change
                int other = weights.get(id) % 10_000 + 1;
                weights.put(id, other);
                Model after = model.with(name, new Group(weights, nextId));
                return new Write("PATCH", path + "/servers/" + id, "{\"weight\":" + other + "}", 200, after);
            }
            case 7 -> {
                return new Write("DELETE", path, null, 204, model.with(name, null));
            }
            default -> {
                // below
            }
        }
        // all rows at once, as halves would show there
        weights.replaceAll((id, old) -> old % 10_000 + 1);
        String items = weights.entrySet().stream()
                .map(entry -> server(entry.getKey(), entry.getValue(), true))
                .collect(Collectors.joining(","));
        Model after = model.with(name, new Group(weights, nextId));
        return new Write("PUT", path + "/servers", "{\"items\":[" + items + "]}", 200, after);
    }

    /** The address tells the id that it must get. */
    private static String server(int id, int weight, boolean withId) {
        String fields = "\"address\":\"127.0.0.1:" + id + "\",\"weight\":" + weight;
        return withId ? "{\"id\":" + id + "," + fields + "}" : "{" + fields + "}";
    }
}
