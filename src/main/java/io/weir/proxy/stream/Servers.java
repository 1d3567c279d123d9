package io.weir.proxy.stream;

import io.weir.config.AdminState;
import io.weir.config.ProxyConfig;
import io.weir.config.ServerConfig;
import io.weir.config.UpstreamConfig;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Which servers a configuration has that are not down. Immutable. */
final class Servers {

    private final Map<String, Set<Integer>> byUpstream = new HashMap<>();

    Servers(ProxyConfig config) {
        for (UpstreamConfig upstream : config.upstreams()) {
            Set<Integer> ids = new HashSet<>();
            for (ServerConfig server : upstream.servers()) {
                if (server.state() != AdminState.DOWN) {
                    ids.add(server.id());
                }
            }
            byUpstream.put(upstream.name(), ids);
        }
    }

    boolean hasUp(String upstream, int serverId) {
        Set<Integer> ids = byUpstream.get(upstream);
        return ids != null && ids.contains(serverId);
    }
}
