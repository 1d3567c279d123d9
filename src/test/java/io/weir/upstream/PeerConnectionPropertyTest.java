package io.weir.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.config.AdminState;
import io.weir.config.NextUpstream;
import io.weir.config.ServerConfig;
import io.weir.zone.FailureReason;
import io.weir.zone.Peer;
import io.weir.zone.PeerSnapshot;
import io.weir.zone.PeerState;
import io.weir.zone.Servers;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.jspecify.annotations.Nullable;

/** Whatever requests and operators do, in whatever order, the books balance. */
class PeerConnectionPropertyTest {

    private static final int MOST_CONNS = 3;

    /** A request under way and the peers it has tried. */
    private static final class Client {

        private final PeerConnection connection;
        private final Set<Peer> tried = new HashSet<>();
        private @Nullable Peer peer;

        private Client(PeerConnection connection) {
            this.connection = connection;
        }
    }

    @Property(tries = 400)
    void theBooksBalance(
            @ForAll long seed, @ForAll @IntRange(min = 1, max = 300) int steps, @ForAll boolean leastConn) {
        Random random = new Random(seed);
        Requests requests = new Requests();
        if (leastConn) {
            requests.method("least_conn");
        }
        requests.configure(servers(random));
        List<Client> clients = new ArrayList<>();
        for (int step = 0; step < steps; step++) {
            switch (random.nextInt(8)) {
                case 0, 1, 2 -> get(new Client(requests.open()), clients, requests);
                case 3, 4, 5 -> end(clients, random, requests);
                case 6 -> requests.ticker.advanceSeconds(random.nextInt(6) / 2.0);
                default -> requests.configure(servers(random));
            }
            assertLimits(requests, clients);
        }
        while (!clients.isEmpty()) {
            end(clients, random, requests);
        }
        requests.assertAtRest();
    }

    private static List<ServerConfig> servers(Random random) {
        List<ServerConfig> servers = new ArrayList<>();
        for (char letter = 'a'; letter <= 'f'; letter++) {
            if (random.nextInt(3) > 0) {
                servers.add(random.nextInt(servers.size() + 1), server(letter, random));
            }
        }
        return servers;
    }

    /** {@code max_conns} depends on the letter alone, so that it is never lowered under a peer's connections. */
    private static ServerConfig server(char letter, Random random) {
        ServerConfig server = Servers.server(letter, 1 + random.nextInt(5))
                .withMaxConns(letter % 2 == 0 ? MOST_CONNS : 0)
                .withFails(random.nextInt(3), random.nextInt(4) + "s")
                .withBackup(random.nextInt(4) == 0)
                .withState(
                        random.nextInt(5) == 0
                                ? random.nextBoolean() ? AdminState.DOWN : AdminState.DRAIN
                                : AdminState.UP);
        return random.nextInt(3) == 0 ? Servers.slowStart(server, "3s") : server;
    }

    private static void get(Client client, List<Client> clients, Requests requests) {
        boolean single = requests.group().snapshot().single();
        client.peer = client.connection.get();
        if (client.peer == null) {
            return;
        }
        assertThat(client.peer.isRemoved()).isFalse();
        assertThat(client.tried.add(client.peer) || single)
                .as("no request tries a peer twice")
                .isTrue();
        clients.add(client);
    }

    private static void end(List<Client> clients, Random random, Requests requests) {
        if (clients.isEmpty()) {
            return;
        }
        Client client = clients.remove(random.nextInt(clients.size()));
        switch (random.nextInt(3)) {
            case 0 -> client.connection.free(Outcome.OK, null);
            case 1 -> client.connection.free(Outcome.NEXT, null);
            default -> client.connection.free(Outcome.FAILED, FailureReason.RESET);
        }
        if (random.nextBoolean() && client.connection.mayRetry(NextUpstream.ERROR, false, true, true)) {
            get(client, clients, requests);
        }
    }

    private static void assertLimits(Requests requests, List<Client> clients) {
        int inGroup = 0;
        for (PeerSnapshot peer : requests.peers()) {
            inGroup += peer.conns();
            assertThat(peer.conns()).isNotNegative();
            assertThat(peer.maxConns() == 0 || peer.conns() <= peer.maxConns()).isTrue();
            assertThat(peer.effectiveWeight()).isBetween(0, peer.weight());
            assertThat(peer.eligible() && peer.state() == PeerState.DOWN).isFalse();
        }
        Set<Peer> zombies = new HashSet<>();
        int onZombies = 0;
        for (Client client : clients) {
            Peer peer = client.peer;
            if (peer != null && peer.isRemoved()) {
                zombies.add(peer);
                onZombies++;
            }
        }
        assertThat(inGroup + onZombies).isEqualTo(clients.size());
        assertThat(requests.group().snapshot().zombies()).isEqualTo(zombies.size());
    }
}
