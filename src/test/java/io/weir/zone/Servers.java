package io.weir.zone;

import io.weir.config.AdminState;
import io.weir.config.ServerConfig;
import io.weir.config.TimeSpan;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;

/** Servers for tests, called a, b, c and so on; a has id 0 and port 9000. */
public final class Servers {

    private static final int FIRST_PORT = 9000;

    private Servers() {}

    /** A server with nginx's defaults. */
    public static ServerConfig server(char letter) {
        int id = letter - 'a';
        return ServerConfig.of(id, "127.0.0.1:" + (FIRST_PORT + id));
    }

    public static ServerConfig server(char letter, int weight) {
        return server(letter).withWeight(weight);
    }

    /** a, b, c and so on, of these weights. */
    public static List<ServerConfig> weights(int... weights) {
        List<ServerConfig> servers = new ArrayList<>();
        for (int weight : weights) {
            int id = servers.size();
            servers.add(ServerConfig.of(id, "127.0.0.1:" + (FIRST_PORT + id)).withWeight(weight));
        }
        return servers;
    }

    public static ServerConfig slowStart(ServerConfig s, String time) {
        return new ServerConfig(
                s.id(),
                s.address(),
                s.weight(),
                s.maxConns(),
                s.maxFails(),
                s.failTimeout(),
                TimeSpan.parse(time),
                s.backup(),
                s.state(),
                s.route());
    }

    public static ServerConfig down(ServerConfig server) {
        return server.withState(AdminState.DOWN);
    }

    /** One peer for each server, which has an IPv4 address. */
    public static List<PeerSpec> specs(List<ServerConfig> servers) {
        return servers.stream()
                .map(s ->
                        new PeerSpec(s, address(s.address().host(), s.address().port())))
                .toList();
    }

    public static List<PeerSpec> specs(ServerConfig... servers) {
        return specs(List.of(servers));
    }

    public static InetSocketAddress address(String ip, int port) {
        try {
            return new InetSocketAddress(InetAddress.getByName(ip), port);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    /** The letter of a peer or server id. */
    public static char letter(int id) {
        return (char) ('a' + id);
    }

    /** Bytes that this thread has allocated so far. */
    public static long allocated() {
        return ((com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
    }
}
