package io.weir.upstream;

import io.weir.config.ServerAddress;
import io.weir.config.ServerConfig;
import io.weir.zone.PeerSpec;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Which addresses the servers of one group have, by server id. For control threads, one at a time. */
final class ServerAddresses {

    private record Known(ServerAddress server, List<SocketAddress> addresses) {

        boolean isFor(ServerConfig config) {
            return server.host().equals(config.address().host())
                    && server.port() == config.address().port();
        }
    }

    private final Map<Integer, Known> byId = new HashMap<>();

    void put(ServerConfig server, List<SocketAddress> addresses) {
        byId.put(server.id(), new Known(server.address(), List.copyOf(addresses)));
    }

    /** Whether {@code server} is there and has had the same address so far. */
    boolean knows(ServerConfig server) {
        Known known = byId.get(server.id());
        return known != null && known.isFor(server);
    }

    /** What the server has; empty if its name could not be resolved, or if it is not known with this address. */
    List<SocketAddress> of(ServerConfig server) {
        Known known = byId.get(server.id());
        return known != null && known.isFor(server) ? known.addresses : List.of();
    }

    boolean sameAs(ServerAddresses other) {
        return byId.equals(other.byId);
    }

    /** One peer for each address of each server, in the order of the servers. */
    List<PeerSpec> peers(List<ServerConfig> servers) {
        List<PeerSpec> peers = new ArrayList<>(servers.size());
        for (ServerConfig server : servers) {
            for (SocketAddress address : of(server)) {
                peers.add(new PeerSpec(server, address));
            }
        }
        return peers;
    }
}
