package io.weir.config;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An upstream group: servers and how requests or sessions are spread over them.
 *
 * @param protocol what the servers are sent
 * @param sticky how requests of one client are kept at one server; null if they are not. HTTP only
 * @param keepalive its cache of idle connections; {@link KeepaliveConfig#NONE} for streams, whose connections end with
 *     their sessions
 *
 * <p>Whether the method knows its arguments is for the method to say, when the group is prepared.
 */
public record UpstreamConfig(
        String name,
        GroupProtocol protocol,
        MethodSpec balancing,
        @Nullable StickyConfig sticky,
        KeepaliveConfig keepalive,
        List<ServerConfig> servers) {

    private static final int MOST_SERVERS = 20_000;

    public UpstreamConfig {
        servers = List.copyOf(servers);
        Checks checks = new Checks()
                .name("name", name)
                .check(servers.size() <= MOST_SERVERS, "servers", "must be at most " + MOST_SERVERS)
                .check(protocol == GroupProtocol.HTTP || sticky == null, "sticky", "goes with protocol http only")
                .check(
                        protocol == GroupProtocol.HTTP || keepalive.connections() == 0,
                        "keepalive",
                        "goes with protocol http only");
        Set<Integer> ids = new HashSet<>();
        for (int i = 0; i < servers.size(); i++) {
            String at = "servers[" + i + "].";
            ServerConfig server = servers.get(i);
            checks.check(ids.add(server.id()), at + "id", "stands twice in this group");
            if (protocol == GroupProtocol.STREAM) {
                checks.check(server.address().namesPort(), at + "address", "must have a port: streams have no default")
                        .check(server.route().isEmpty(), at + "route", "goes with protocol http only");
            }
        }
        checks.done();
    }

    public UpstreamConfig withServers(List<ServerConfig> servers) {
        return new UpstreamConfig(name, protocol, balancing, sticky, keepalive, servers);
    }

    /** A group of HTTP servers. */
    public UpstreamConfig(
            String name,
            MethodSpec balancing,
            @Nullable StickyConfig sticky,
            KeepaliveConfig keepalive,
            List<ServerConfig> servers) {
        this(name, GroupProtocol.HTTP, balancing, sticky, keepalive, servers);
    }

    /** A group of HTTP servers without affinity. */
    public UpstreamConfig(String name, MethodSpec balancing, KeepaliveConfig keepalive, List<ServerConfig> servers) {
        this(name, balancing, null, keepalive, servers);
    }

    /** A group of servers of streams. */
    public static UpstreamConfig ofStream(String name, MethodSpec balancing, List<ServerConfig> servers) {
        return new UpstreamConfig(name, GroupProtocol.STREAM, balancing, null, KeepaliveConfig.NONE, servers);
    }
}
