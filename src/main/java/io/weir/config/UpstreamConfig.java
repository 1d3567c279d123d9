package io.weir.config;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * An upstream group: servers and how requests are spread over them.
 *
 * <p>Whether the method knows its arguments is for the method to say, when the group is prepared.
 */
public record UpstreamConfig(String name, MethodSpec balancing, KeepaliveConfig keepalive, List<ServerConfig> servers) {

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
}
