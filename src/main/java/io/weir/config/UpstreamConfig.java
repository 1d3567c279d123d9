package io.weir.config;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An upstream group: servers and how requests are spread over them.
 *
 * @param sticky how requests of one client are kept at one server; null if they are not
 *
 * <p>Whether the method knows its arguments is for the method to say, when the group is prepared.
 */
public record UpstreamConfig(
        String name,
        MethodSpec balancing,
        @Nullable StickyConfig sticky,
        KeepaliveConfig keepalive,
        List<ServerConfig> servers) {

    private static final int MOST_SERVERS = 20_000;

    public UpstreamConfig {
        servers = List.copyOf(servers);
        Checks checks = new Checks()
                .name("name", name)
                .check(servers.size() <= MOST_SERVERS, "servers", "must be at most " + MOST_SERVERS);
        Set<Integer> ids = new HashSet<>();
        for (int i = 0; i < servers.size(); i++) {
            checks.check(ids.add(servers.get(i).id()), "servers[" + i + "].id", "stands twice in this group");
        }
        checks.done();
    }

    public UpstreamConfig withServers(List<ServerConfig> servers) {
        return new UpstreamConfig(name, balancing, sticky, keepalive, servers);
    }

    /** A group without affinity. */
    public UpstreamConfig(String name, MethodSpec balancing, KeepaliveConfig keepalive, List<ServerConfig> servers) {
        this(name, balancing, null, keepalive, servers);
    }
}
