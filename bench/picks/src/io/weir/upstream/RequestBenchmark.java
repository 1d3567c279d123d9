package io.weir.upstream;

import io.weir.balance.BalancingMethod;
import io.weir.balance.Many;
import io.weir.config.GroupProtocol;
import io.weir.config.KeepaliveConfig;
import io.weir.config.ProxySettings;
import java.net.UnknownHostException;
import java.util.Objects;
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
import org.openjdk.jmh.annotations.Warmup;

/** All that a group does for a request that is answered, but for the network: what the proxy calls, in its order. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 10, time = 200, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 20, time = 100, timeUnit = TimeUnit.MILLISECONDS)
public class RequestBenchmark {

    @Param({"round_robin", "least_conn"})
    public String method = "";

    @Param({"16", "10000"})
    public int peers;

    /** See {@link Many#peers}. */
    @Param({"few", "distinct"})
    public String weights = "";

    private @Nullable UpstreamGroup group;

    @Setup
    public void setup() throws UnknownHostException {
        BalancingMethod balancing = Many.method(method);
        UpstreamGroup made = new UpstreamGroup("bench", GroupProtocol.HTTP, System::nanoTime, balancing, KeepaliveConfig.DEFAULT);
        made.prepare(balancing, null, KeepaliveConfig.DEFAULT, Many.peers(peers, weights, method)).apply();
        group = made;
    }

    @Benchmark
    public PeerConnection request() {
        PeerConnection connection = Objects.requireNonNull(group).open(ProxySettings.DEFAULT);
        connection.get();
        connection.connected();
        connection.headerReceived(200);
        connection.addBytes(200, 600);
        connection.free(Outcome.OK, null);
        return connection;
    }
}
