package io.weir.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.config.AdminState;
import io.weir.config.KeepaliveConfig;
import io.weir.config.MethodSpec;
import io.weir.config.NextUpstream;
import io.weir.config.ProxySettings;
import io.weir.config.RequestValues;
import io.weir.config.ServerConfig;
import io.weir.config.StickyConfig;
import io.weir.config.Template;
import io.weir.config.UpstreamConfig;
import io.weir.zone.FailureReason;
import io.weir.zone.Peer;
import io.weir.zone.ZoneSnapshot;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every method under load while servers come, go, drain, die and return: no request fails, and nothing is left behind. The
 * large groups are those that have an index.
 */
@Timeout(300)
class MethodsUnderLoadTest {

    private static final int THREADS = 3;
    private static final int REQUESTS = 8_000;

    private final Groups groups = new Groups();

    /** The id of the server that refuses connections; -1 for none. */
    private volatile int dead = -1;

    static Stream<Arguments> methods() {
        List<MethodSpec> specs = List.of(
                new MethodSpec("round_robin", Map.of()),
                new MethodSpec("least_conn", Map.of()),
                new MethodSpec("least_time", Map.of("by", "header", "inflight", true)),
                new MethodSpec("least_time", Map.of("by", "last_byte")),
                new MethodSpec("ip_hash", Map.of()),
                new MethodSpec("hash", Map.of("key", "$arg_k")),
                new MethodSpec("hash", Map.of("key", "$arg_k", "consistent", true)),
                new MethodSpec("random", Map.of()),
                new MethodSpec("random", Map.of("two", true)),
                new MethodSpec("random", Map.of("two", true, "by", "least_time=last_byte")));
        StickyConfig cookie = new StickyConfig.Cookie("srv", "", "", "", false, false, "");
        return specs.stream()
                .flatMap(spec -> Stream.of(
                        Arguments.of(spec, null, 6), Arguments.of(spec, cookie, 6), Arguments.of(spec, null, 300)));
    }

    @ParameterizedTest
    @MethodSource("methods")
    void noRequestFailsAndNothingIsLeftBehind(MethodSpec method, @Nullable StickyConfig sticky, int servers)
            throws Exception {
        groups.configure(config(method, sticky, servers(new Random(1), servers)));
        UpstreamGroup group = groups.group("g");
        AtomicBoolean done = new AtomicBoolean();
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            Future<Integer> changes = threads.submit(() -> change(method, sticky, servers, done));
            List<Future<Integer>> workers = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                Random random = new Random(i);
                workers.add(threads.submit(() -> work(group, random)));
            }
            for (Future<Integer> worker : workers) {
                assertThat(worker.get()).as("failed requests").isZero();
            }
            done.set(true);
            assertThat(changes.get()).isPositive();
        } finally {
            done.set(true);
            threads.shutdownNow();
        }
        ZoneSnapshot snapshot = group.snapshot();
        assertThat(snapshot.peers()).allSatisfy(p -> assertThat(p.conns()).isZero());
        assertThat(snapshot.zombies()).isZero();
    }

    private static UpstreamConfig config(MethodSpec method, @Nullable StickyConfig sticky, List<ServerConfig> servers) {
        return new UpstreamConfig("g", method, sticky, KeepaliveConfig.DEFAULT, servers);
    }

    /** Three always take requests; of the others, some are there, and some of those drain or are down. */
    private static List<ServerConfig> servers(Random random, int count) {
        List<ServerConfig> servers = new ArrayList<>();
        for (int id = 0; id < count; id++) {
            ServerConfig server =
                    ServerConfig.of(id, "127.0.0.1:" + (9000 + id)).withWeight(1 + random.nextInt(3));
            int dice = id < 3 ? 9 : random.nextInt(10);
            if (dice > 0) {
                servers.add(
                        server.withState(dice == 1 ? AdminState.DRAIN : dice == 2 ? AdminState.DOWN : AdminState.UP));
            }
        }
        return servers;
    }

    private int change(MethodSpec method, @Nullable StickyConfig sticky, int servers, AtomicBoolean done) {
        Random random = new Random(2);
        int changes = 0;
        while (!done.get() || changes == 0) {
            // the first never dies: if the three that are always there had all failed lately, nobody would be left
            int dies = random.nextInt(6);
            dead = dies == 0 ? -1 : dies;
            groups.configure(config(method, sticky, servers(random, servers)));
            groups.ticker.advanceSeconds(random.nextInt(10));
            changes++;
        }
        return changes;
    }

    /** A client that comes back to where it was. */
    private static final class Client implements RequestValues {

        private final Random random;
        private String sid = "";

        Client(Random random) {
            this.random = random;
        }

        @Override
        public String value(Template template) {
            return template.text().equals("$cookie_srv") ? sid : "key" + random.nextInt(1000);
        }

        @Override
        public InetAddress clientAddress() {
            try {
                return InetAddress.getByAddress(
                        new byte[] {10, (byte) random.nextInt(256), (byte) random.nextInt(256), 1});
            } catch (UnknownHostException e) {
                throw new AssertionError(e);
            }
        }
    }

    private int work(UpstreamGroup group, Random random) {
        Client client = new Client(random);
        int failed = 0;
        for (int i = 0; i < REQUESTS; i++) {
            PeerConnection connection = group.open(ProxySettings.DEFAULT, client);
            boolean served = false;
            for (Peer peer = connection.get(); peer != null; peer = connection.get()) {
                if (peer.id() == dead) {
                    connection.free(Outcome.FAILED, FailureReason.CONNECT);
                    if (!connection.mayRetry(NextUpstream.ERROR, false, true, true)) {
                        break;
                    }
                    continue;
                }
                connection.headerReceived(200);
                connection.responseChosen();
                connection.free(Outcome.OK, null);
                client.sid = connection.sid();
                served = true;
                break;
            }
            failed += served ? 0 : 1;
        }
        return failed;
    }
}
