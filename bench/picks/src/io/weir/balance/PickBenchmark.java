package io.weir.balance;

import io.weir.config.RequestValues;
import io.weir.config.Template;
import io.weir.zone.Peer;
import io.weir.zone.PeerIndex;
import io.weir.zone.Zone;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What a pick costs. With {@code -t 2} two threads do it in one group at the same time; the figure is the time of one
 * operation of one thread.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 10, time = 200, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 20, time = 100, timeUnit = TimeUnit.MILLISECONDS)
public class PickBenchmark {

    /** Requests of a thread that are in progress at the same time, where a pick and a free are measured apart. */
    private static final int BATCH = 500;

    @Param({"round_robin", "least_conn", "least_time", "ip_hash", "hash", "consistent", "random", "random_two"})
    public String method = "";

    @Param({"3", "16", "256", "1000", "10000"})
    public int peers;

    /** See {@link Many#peers}. */
    @Param({"equal", "few", "distinct"})
    public String weights = "";

    /** As the method wants it, or, for round_robin and least_conn, always a scan or always an index. */
    @Param({"usual"})
    public String form = "";

    private Zone zone = new Zone("bench");
    private @Nullable BalancingMethod balancing;

    @Setup
    public void setup() throws UnknownHostException {
        BalancingMethod made = Many.method(method);
        balancing = made;
        PeerIndex.Maker maker =
                switch (form) {
                    case "scan" -> PeerIndex.Maker.NONE;
                    case "index" -> (all, servers, before) -> List.of(
                            method.equals("round_robin")
                                    ? new RoundRobinIndex(all, servers)
                                    : new LeastConnIndex(all, servers));
                    default -> made::indexes;
                };
        zone = new Zone("bench");
        zone.prepare(Many.peers(peers, weights, method), maker, 0).apply(0);
    }

    private BalancingMethod balancing() {
        return Objects.requireNonNull(balancing);
    }

    private Peer select(Client client) {
        BalancingMethod used = balancing();
        Selection selection = client.next(used);
        selection.begin(0, Selection.NOBODY);
        return Objects.requireNonNull(used.select(zone.primary(), selection));
    }

    private Peer get(Client client) {
        zone.lock();
        try {
            Peer peer = select(client);
            zone.acquire(peer, 0);
            return peer;
        } finally {
            zone.unlock();
        }
    }

    private void free(Peer peer) {
        zone.lock();
        try {
            zone.release(peer, 0, null);
        } finally {
            zone.unlock();
        }
    }

    /** A thread's requests, each with another key. */
    @State(Scope.Thread)
    public static class Client implements RequestValues {

        private final Selection selection = new Selection(this);
        private final InetAddress[] addresses = new InetAddress[64];
        private final String[] keys = new String[64];
        private int request;

        @Setup
        public void setup() throws UnknownHostException {
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

    /** Requests that are to end outside the measurement. */
    @State(Scope.Thread)
    public static class Picked {

        private final Peer[] peers = new Peer[BATCH];

        @TearDown(Level.Invocation)
        public void end(PickBenchmark bench) {
            for (Peer peer : peers) {
                bench.free(peer);
            }
        }
    }

    /** Requests that have begun outside the measurement. */
    @State(Scope.Thread)
    public static class Running {

        private final Peer[] peers = new Peer[BATCH];

        @Setup(Level.Invocation)
        public void begin(PickBenchmark bench, Client client) {
            for (int i = 0; i < peers.length; i++) {
                peers[i] = bench.get(client);
            }
        }
    }

    /** The method alone: which is next? One thread only, as it takes no lock. */
    @Benchmark
    public Peer method(Client client) {
        return select(client);
    }

    /** A pick: takes the lock, chooses, begins an attempt. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void pick(Client client, Picked picked) {
        for (int i = 0; i < BATCH; i++) {
            picked.peers[i] = get(client);
        }
    }

    /** The end of an attempt, under the lock again. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void free(Running running) {
        for (Peer peer : running.peers) {
            free(peer);
        }
    }

    /** A pick that is ended at once. */
    @Benchmark
    public Peer pickAndFree(Client client) {
        Peer peer = get(client);
        free(peer);
        return peer;
    }
}
