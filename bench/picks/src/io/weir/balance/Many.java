package io.weir.balance;

import io.weir.config.GroupProtocol;
import io.weir.config.MethodSpec;
import io.weir.config.ServerConfig;
import io.weir.zone.PeerSpec;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** Peers and methods by the names that the benchmarks give them. */
public final class Many {

    private Many() {}

    /** @param weights equal, few (five of them) or distinct (nearly all differ, in no order) */
    public static List<PeerSpec> peers(int count, String weights, String method) throws UnknownHostException {
        SplittableRandom random = new SplittableRandom(2);
        // a ring has 160 points for each unit of weight, and a limit
        int most = method.equals("consistent") ? 10 : 10 * count;
        List<PeerSpec> specs = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int weight =
                    switch (weights) {
                        case "equal" -> 1;
                        case "few" -> 1 + i % 5;
                        default -> 1 + random.nextInt(most);
                    };
            byte[] ip = {10, 1, (byte) (i >> 8), (byte) i};
            InetSocketAddress address = new InetSocketAddress(InetAddress.getByAddress(ip), 80);
            specs.add(new PeerSpec(ServerConfig.of(i, PeerSpec.print(address)).withWeight(weight), address));
        }
        return specs;
    }

    public static BalancingMethod method(String name) {
        MethodSpec spec =
                switch (name) {
                    case "least_time" -> new MethodSpec(name, Map.of("by", "header"));
                    case "hash" -> new MethodSpec(name, Map.of("key", "$request_uri"));
                    case "consistent" -> new MethodSpec("hash", Map.of("key", "$request_uri", "consistent", true));
                    case "random_two" -> new MethodSpec("random", Map.of("two", true));
                    default -> new MethodSpec(name, Map.of());
                };
        return BalancingMethods.create(spec, GroupProtocol.HTTP, new SplittableRandom(1));
    }
}
