package io.weir.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.control.Api;
import io.weir.program.Load.Gate;
import io.weir.proxy.Client;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/**
 * Every method, and every kind of affinity around one, through sockets: while servers come, go, drain, are marked down and
 * up, get other weights and are killed, no request fails, and none is answered by a server that was out when it was sent.
 *
 * <p>{@code -Dweir.load.seconds=300} for longer.
 */
class EveryMethodUnderLoadIT {

    private static final long SECONDS = Integer.getInteger("weir.load.seconds", 8);
    private static final int CLIENTS = 2;
    private static final int LEAST_DEATHS = 4;
    private static final int LEAST_CHANGES = 6;

    /** Up all the time, so that there is always a next upstream. */
    private static final List<String> STEADY = List.of("127.0.2.1", "127.0.2.2");

    /** Killed and changed; the guest is not in the groups at first. */
    private static final List<String> MORTAL = List.of("127.0.2.3", "127.0.2.4");

    private static final String GUEST = "127.0.2.5";

    private static final Map<String, String> KINDS = new LinkedHashMap<>();

    static {
        KINDS.put("round-robin", balancing("'method': 'round_robin'"));
        KINDS.put("least-conn", balancing("'method': 'least_conn'"));
        KINDS.put("least-time-header", balancing("'method': 'least_time', 'by': 'header'"));
        KINDS.put("least-time-last-byte", balancing("'method': 'least_time', 'by': 'last_byte'"));
        KINDS.put("least-time-header-inflight", balancing("'method': 'least_time', 'by': 'header', 'inflight': true"));
        KINDS.put(
                "least-time-last-byte-inflight",
                balancing("'method': 'least_time', 'by': 'last_byte', 'inflight': true"));
        KINDS.put("ip-hash", balancing("'method': 'ip_hash'"));
        KINDS.put("hash", balancing("'method': 'hash', 'key': '$arg_key'"));
        KINDS.put("hash-consistent", balancing("'method': 'hash', 'key': '$arg_key', 'consistent': true"));
        KINDS.put("random", balancing("'method': 'random'"));
        KINDS.put("random-two-least-conn", balancing("'method': 'random', 'two': true, 'by': 'least_conn'"));
        KINDS.put("random-two-header", balancing("'method': 'random', 'two': true, 'by': 'least_time=header'"));
        KINDS.put("random-two-last-byte", balancing("'method': 'random', 'two': true, 'by': 'least_time=last_byte'"));
        KINDS.put(
                "sticky-cookie",
                balancing("'method': 'round_robin'") + ", \"sticky\": {\"type\": \"cookie\", \"name\": \"srv\"}");
        KINDS.put(
                "sticky-route",
                balancing("'method': 'least_conn'")
                        + ", \"sticky\": {\"type\": \"route\", \"values\": [\"$arg_route\"]}");
        KINDS.put(
                "sticky-learn",
                balancing("'method': 'hash', 'key': '$arg_key', 'consistent': true")
                        + ", \"sticky\": {\"type\": \"learn\", \"create\": \"$upstream_cookie_sid\", \"lookup\": \"$cookie_sid\"}");
    }

    private static String balancing(String fields) {
        return "\"balancing\": {" + fields.replace('\'', '"') + "}";
    }

    private final WeirProcess weir = WeirProcess.shared();
    private final Api api = weir.api();
    private final int port = Api.freePort();
    private final Map<String, MortalBackend> backends = new LinkedHashMap<>();
    private final Map<String, AtomicLong> answers = new ConcurrentHashMap<>();
    private final Map<String, AtomicLong> moved = new ConcurrentHashMap<>();
    private final Queue<String> failures = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean stop = new AtomicBoolean();

    @BeforeEach
    void clear() {
        api.clear();
    }

    /** A group, and what a test knows about it. */
    private final class Group {

        private final String name;
        private final String path;
        private final Random random;
        private final Map<String, Gate> gates = new HashMap<>();
        private final Map<String, Integer> ids = new HashMap<>();
        private final Map<String, Boolean> down = new HashMap<>();
        private int changes;

        Group(String name, String kind) {
            this.name = name;
            this.random = new Random(name.hashCode());
            path = "/api/v1/upstreams/" + name;
            for (String host : backends.keySet()) {
                gates.put(host, new Gate());
            }
            gates.get(GUEST).closed();
            String servers = Stream.concat(STEADY.stream(), MORTAL.stream())
                    .map(this::server)
                    .collect(Collectors.joining(","));
            expect(201, api.put(path, "{" + kind + ", \"servers\": [" + servers + "]}"));
            int id = 1;
            for (String host : Stream.concat(STEADY.stream(), MORTAL.stream()).toList()) {
                ids.put(host, id++);
            }
        }

        private String server(String host) {
            return "{\"address\": \"%s\", \"failTimeout\": \"1s\", \"route\": \"%s\"}"
                    .formatted(backends.get(host).address(), host);
        }

        private boolean takesSlowStart() {
            return !name.contains("hash") && !name.startsWith("random") && !name.equals("sticky-learn");
        }

        private void patch(String host, String fields) {
            expect(200, api.patch(path + "/servers/" + ids.get(host), fields));
        }

        private String any(List<String> hosts) {
            return hosts.get(random.nextInt(hosts.size()));
        }

        void change() {
            changes++;
            switch (random.nextInt(6)) {
                case 0, 1 -> patch(any(new ArrayList<>(ids.keySet())), "{\"weight\": " + (1 + random.nextInt(9)) + "}");
                case 2, 3 -> changeState(any(MORTAL));
                case 4 -> comeOrGo(random.nextInt(4) > 0 ? GUEST : any(MORTAL));
                default -> {
                    String host = any(MORTAL);
                    if (ids.containsKey(host)) {
                        patch(
                                host,
                                takesSlowStart()
                                        ? "{\"slowStart\": \"" + random.nextInt(3) + "s\"}"
                                        : "{\"maxConns\": " + random.nextInt(3) + "}");
                    }
                }
            }
        }

        private void changeState(String host) {
            if (!ids.containsKey(host)) {
                return;
            }
            boolean wasDown = down.getOrDefault(host, false);
            String state = wasDown ? "up" : any(List.of("down", "drain", "up"));
            if (wasDown) {
                gates.get(host).opens();
            }
            patch(host, "{\"state\": \"" + state + "\"}");
            down.put(host, state.equals("down"));
            if (state.equals("down")) {
                gates.get(host).closed();
            }
        }

        private void comeOrGo(String host) {
            Integer id = ids.remove(host);
            if (id == null) {
                gates.get(host).opens();
                Api.Reply added = api.post(path + "/servers", server(host));
                expect(201, added);
                ids.put(host, added.json().path("id").asInt());
                down.put(host, false);
            } else {
                expect(204, api.delete(path + "/servers/" + id));
                if (!down.getOrDefault(host, false)) {
                    gates.get(host).closed();
                }
            }
        }
    }

    @Test
    void nobodyNoticesChangesAndDeaths() throws Exception {
        Stream.of(STEADY, MORTAL, List.of(GUEST))
                .flatMap(List::stream)
                .forEach(host -> backends.put(host, MortalBackend.start(host, 4)));
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            List<Group> groups = new ArrayList<>();
            KINDS.forEach((name, kind) -> groups.add(new Group(name, kind)));
            String routes = KINDS.keySet().stream()
                    .map(name -> """
                            {"name": "%s", "path": {"value": "/%s/"}, "upstream": "%s",
                             "responseHeaders": {"set": {"X-Upstream": "$upstream_addr"}}}
                            """.formatted(name, name, name))
                    .collect(Collectors.joining(","));
            expect(
                    201,
                    api.put(
                            "/api/v1/listeners/test",
                            "{\"bind\": \"127.0.0.1\", \"client\": {\"keepaliveRequests\": 1000000000}, \"port\": "
                                    + port + ", \"routes\": [" + routes + "]}"));
            List<Future<Void>> clients = new ArrayList<>();
            for (Group group : groups) {
                answers.put(group.name, new AtomicLong());
                moved.put(group.name, new AtomicLong());
                for (int i = 0; i < CLIENTS; i++) {
                    int number = i;
                    clients.add(threads.submit((Callable<Void>) () -> ask(group, number)));
                }
            }
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
            Future<Integer> deaths = threads.submit(() -> killAndRevive(end));
            int changes = 0;
            while (System.nanoTime() < end || !deaths.isDone() || changes < LEAST_CHANGES * groups.size()) {
                groups.get(changes++ % groups.size()).change();
            }
            int died = deaths.get();
            groups.forEach(group -> {
                long seen = answers.get(group.name).get();
                await().until(() -> answers.get(group.name).get() > seen || !failures.isEmpty());
            });
            stop.set(true);
            for (Future<Void> client : clients) {
                client.get();
            }
            System.out.printf(
                    "%d changes and %d deaths beside %d answers of %d groups, %d of which took more than one attempt%n",
                    changes, died, sum(answers), groups.size(), sum(moved));
            assertThat(failures).isEmpty();
            assertThat(sum(moved)).as("requests that met a dead server").isPositive();
            assertNothingIsLeft(groups);
        } finally {
            stop.set(true);
            threads.shutdownNow();
            backends.values().forEach(MortalBackend::close);
        }
    }

    private static long sum(Map<String, AtomicLong> counts) {
        return counts.values().stream().mapToLong(AtomicLong::get).sum();
    }

    /** Asks until it is stopped, or until something is wrong. */
    private Void ask(Group group, int number) {
        String target = "";
        // the third octet counts in ip_hash
        try (Browser browser = Browser.open("127.0." + (10 + number) + ".1", port)) {
            for (int i = 0; !stop.get() && failures.isEmpty(); i++) {
                target = "/" + group.name + "/" + number + "?key=" + i + "&route=127.0.2." + (3 + i / 20 % 3);
                Map<String, Long> turns = new HashMap<>();
                group.gates.forEach((host, gate) -> turns.put(host, gate.now()));
                Client.Response response = browser.get(target);
                check(group, target, response, turns);
            }
        } catch (Exception e) {
            failures.add(target + ": " + e);
        }
        return null;
    }

    private void check(Group group, String target, Client.Response response, Map<String, Long> turns) {
        String addresses = String.valueOf(response.field("X-Upstream"));
        String address = addresses.substring(addresses.lastIndexOf(' ') + 1);
        String host = address.substring(0, Math.max(0, address.indexOf(':')));
        if (response.status() != 200) {
            failures.add(target + ": " + response.status() + " after " + addresses);
        } else if (!response.body().equals(address + " " + target)) {
            failures.add(target + ": from " + addresses + ": " + response.body());
        } else if (group.gates.get(host).wasClosedSince(turns.get(host))) {
            failures.add(target + ": answered by " + host + ", which was out before it was sent");
        } else {
            answers.get(group.name).incrementAndGet();
            moved.get(group.name).addAndGet(addresses.contains(",") ? 1 : 0);
        }
    }

    /** How often somebody died; each is seen at work again before the next does. */
    private int killAndRevive(long end) {
        int deaths = 0;
        while ((System.nanoTime() < end || deaths < LEAST_DEATHS) && failures.isEmpty()) {
            MortalBackend backend = backends.get(MORTAL.get(deaths++ % MORTAL.size()));
            await().until(() -> backend.requests() > 0);
            backend.kill();
            long seen = sum(answers);
            await().until(() -> sum(answers) > seen + 20L * KINDS.size() || !failures.isEmpty());
            backend.revive();
            int served = backend.requests();
            await().until(() -> backend.requests() > served || !failures.isEmpty());
        }
        return deaths;
    }

    private static void expect(int status, Api.Reply reply) {
        assertThat(reply.status()).as(reply.text()).isEqualTo(status);
    }

    private void assertNothingIsLeft(List<Group> groups) {
        await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
            for (Group group : groups) {
                JsonNode peers = api.get(group.path + "/peers").json().path("items");
                assertThat(peers.values())
                        .hasSize(group.ids.size())
                        .allSatisfy(peer -> assertThat(peer.path("conns").asInt())
                                .as(group.name)
                                .isZero());
            }
            Metrics metrics = weir.metrics();
            assertThat(metrics.sum("weir_group_zombies")).isZero();
            assertThat(metrics.find("weir_peer_requests_active")).isNotEmpty();
            assertThat(metrics.sum("weir_peer_requests_active")).isZero();
        });
    }
}
