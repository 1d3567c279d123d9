package io.weir.upstream;

import io.weir.config.ActiveConfig;
import io.weir.config.KeepaliveConfig;
import io.weir.config.MethodSpec;
import io.weir.config.ProxyConfig;
import io.weir.config.ServerConfig;
import io.weir.config.TimeSpan;
import io.weir.config.UpstreamConfig;
import io.weir.zone.FakeTicker;
import io.weir.zone.Peer;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Groups as a configuration makes them, with names that resolve as the test says. */
final class Groups {

    final FakeTicker ticker = new FakeTicker();
    final Map<String, List<InetAddress>> names = new HashMap<>();
    final List<String> asked = new ArrayList<>();
    final Upstreams upstreams = new Upstreams(ticker, this::resolve);
    final ActiveConfig active = new ActiveConfig(List.of(upstreams));

    private List<InetAddress> resolve(String host) throws UnknownHostException {
        asked.add(host);
        List<InetAddress> addresses = names.get(host);
        if (addresses == null) {
            throw new UnknownHostException(host);
        }
        return addresses;
    }

    void name(String host, String... addresses) {
        names.put(
                host,
                Arrays.stream(addresses)
                        .map(a -> {
                            try {
                                return InetAddress.getByName(a);
                            } catch (UnknownHostException e) {
                                throw new AssertionError(e);
                            }
                        })
                        .toList());
    }

    static UpstreamConfig config(String name, ServerConfig... servers) {
        return config(name, KeepaliveConfig.DEFAULT, servers);
    }

    static UpstreamConfig config(String name, KeepaliveConfig keepalive, ServerConfig... servers) {
        return new UpstreamConfig(name, MethodSpec.ROUND_ROBIN, keepalive, List.of(servers));
    }

    static KeepaliveConfig keepalive(int connections, boolean local) {
        return new KeepaliveConfig(connections, local, 1000, TimeSpan.parse("1h"), TimeSpan.parse("60s"));
    }

    ActiveConfig.Change prepare(UpstreamConfig... groups) {
        return active.prepare(new ProxyConfig(active.current().revision() + 1, List.of(groups), List.of()));
    }

    void configure(UpstreamConfig... groups) {
        prepare(groups).commit();
    }

    UpstreamGroup group(String name) {
        return Objects.requireNonNull(upstreams.group(name));
    }

    /** The primary at {@code index}. */
    Peer peer(String group, int index) {
        return group(group).zone().primary().peer(index);
    }

    List<String> addresses(String group) {
        return group(group).snapshot().peers().stream().map(p -> p.address()).toList();
    }
}
