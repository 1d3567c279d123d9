package io.weir.balance;

import io.weir.config.MethodSpec;
import io.weir.config.RequestValues;
import io.weir.config.ServerConfig;
import io.weir.config.Template;
import io.weir.zone.Peer;
import io.weir.zone.PeerGroup;
import io.weir.zone.PeerIndex;
import io.weir.zone.PeerSpec;
import io.weir.zone.Zone;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What a pick costs: of the method alone, and as a request sees it, with the lock of the zone, the begin of an attempt and,
 * under the lock again, its end.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
public class PickBenchmark {

    @Param({"round_robin", "least_conn", "least_time", "ip_hash", "hash", "consistent", "random", "random_two"})
    public String method = "";

    @Param({"3", "16", "256", "1000", "10000"})
    public int peers;

    /** One weight, five weights, or all weights different. */
    @Param({"equal", "few", "distinct"})
    public String weights = "";

    /** Whether a large group may have its index; otherwise it is scanned. */
    @Param("true")
    public boolean indexed;

    private Zone zone = new Zone("bench");
    private @Nullable BalancingMethod balancing;

    /** A thread's requests, each with another key. */
    @State(Scope.Thread)
    public static class Client implements RequestValues {

        private final Selection selection = new Selection(this);
        private final InetAddress[] addresses = new InetAddress[64];
        private final String[] keys = new String[64];
        private int request;

        @Setup
        public void setup() throws Exception {
            for (int i = 0; i < keys.length; i++) {
                keys[i] = "/some/path/of/usual/length/" + i * 7919;
                addresses[i] = InetAddress.getByAddress(new byte[] {10, (byte) (i * 31), (byte) (i * 7), 1});
            }
        }

        @Override
        public String value(Template template) {
            return keys[request & 63];
        }

        @Override
        public InetAddress clientAddress() {
            return addresses[request & 63];
        }

        Selection next(BalancingMethod method) {
            request++;
            selection.forget();
            method.begin(selection);
            return selection;
        }
    }

    @Setup
    public void setup() throws Exception {
        MethodSpec spec = switch (method) {
            case "least_time" -> new MethodSpec(method, Map.of("by", "header"));
            case "hash" -> new MethodSpec(method, Map.of("key", "$request_uri"));
            case "consistent" -> new MethodSpec("hash", Map.of("key", "$request_uri", "consistent", true));
            case "random_two" -> new MethodSpec("random", Map.of("two", true));
            default -> new MethodSpec(method, Map.of());
        };
        BalancingMethod made = BalancingMethods.create(spec, new SplittableRandom(1));
        SplittableRandom random = new SplittableRandom(2);
        List<PeerSpec> specs = new ArrayList<>();
        for (int i = 0; i < peers; i++) {
            int weight = switch (weights) {
                case "equal" -> 1;
                case "few" -> 1 + i % 5;
                default -> 1 + random.nextInt(method.equals("consistent") ? 10 : 10 * peers);
            };
            InetSocketAddress address = new InetSocketAddress(
                    InetAddress.getByAddress(new byte[] {10, 1, (byte) (i >> 8), (byte) i}), 80);
            specs.add(new PeerSpec(ServerConfig.of(i, PeerSpec.print(address)).withWeight(weight), address));
        }
        PeerIndex.Maker maker = indexed ? made::indexes : PeerIndex.Maker.NONE;
        zone = new Zone("bench");
        zone.prepare(specs, maker, 0).apply();
        balancing = made;
    }

    private Peer attempt(Client client) {
        BalancingMethod used = balancing;
        Selection selection = client.next(used);
        Peer peer;
        zone.lock();
        try {
            PeerGroup group = zone.primary();
            selection.begin(0, Selection.NOBODY);
            peer = used.select(group, selection);
            zone.acquire(peer, 0);
        } finally {
            zone.unlock();
        }
        zone.lock();
        try {
            zone.release(peer, 0, null);
        } finally {
            zone.unlock();
        }
        return peer;
    }

    /** The method alone, with the lock held throughout. */
    @Benchmark
    @Threads(1)
    public Peer select(Client client) {
        BalancingMethod used = balancing;
        Selection selection = client.next(used);
        selection.begin(0, Selection.NOBODY);
        return used.select(zone.primary(), selection);
    }

    /** Pick and release of one thread. */
    @Benchmark
    @Threads(1)
    public Peer request(Client client) {
        return attempt(client);
    }

    /** Pick and release while another thread does the same in the same group. */
    @Benchmark
    @Threads(2)
    public Peer contended(Client client) {
        return attempt(client);
    }
}
