package io.weir.balance;

import io.weir.config.Checks;
import io.weir.config.ServerConfig;
import io.weir.config.Template;
import io.weir.zone.Peer;
import io.weir.zone.PeerGroup;
import io.weir.zone.PeerIndex;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * By the hash of a key on a ring: the key belongs to the server whose point comes next. A server that is added or removed
 * moves the keys of its own share, and no key between two others. Peers of one server text share its keys by round robin.
 *
 * <p>Differs from nginx: the weights of a group may add up to 32,000 and not more, see docs/adr/0003-nginx-as-reference.md.
 *
 * <p>Example: a fourth server of equal weight takes about a quarter of all keys, and the rest stays where it was.
 *
 * <p>Caller holds the zone lock. Never blocks, reads no clock. O(log of the number of points).
 *
 * @see <a href="https://nginx.org/en/docs/http/ngx_http_upstream_module.html#hash">hash</a>
 */
final class ConsistentHash extends Probing {

    /**
     * 5.12 million points of 8 bytes: the ring that runs and the one that is to follow it take 82 MB together, a third of a
     * heap of 256 MB.
     */
    private static final int MOST_WEIGHT = 32_000;

    /** Where the request is on the ring; kept from attempt to attempt. */
    private static final class State extends Probes {

        private final int hash;

        /** The ring that {@code index} counts on; null before the first attempt. */
        private @Nullable HashRing ring;

        private long index;

        State(int hash) {
            this.hash = hash;
        }

        /** The index of the point, on from where the request stopped unless the ring is another one meanwhile. */
        int at(HashRing now) {
            if (ring != now) {
                ring = now;
                index = now.find(hash);
            }
            return (int) (index % now.size());
        }

        void step() {
            index++;
        }
    }

    /** The ring, and the peers of each of its names. */
    private static final class Index implements PeerIndex {

        private final HashRing ring;
        private final Peer[][] peers;

        private Index(HashRing ring, Peer[][] peers) {
            this.ring = ring;
            this.peers = peers;
        }

        static Index of(HashRing ring, List<Peer> peers, List<ServerConfig> servers) {
            Map<String, List<Peer>> byName = new HashMap<>();
            for (int i = 0; i < peers.size(); i++) {
                byName.computeIfAbsent(servers.get(i).address().text(), name -> new ArrayList<>(1))
                        .add(peers.get(i));
            }
            return new Index(
                    ring,
                    ring.names().stream()
                            .map(name -> byName.getOrDefault(name, List.of()).toArray(Peer[]::new))
                            .toArray(Peer[][]::new));
        }
    }

    private final Template key;

    ConsistentHash(Template key) {
        super("hash");
        this.key = key;
    }

    @Override
    public void check(List<ServerConfig> servers, Checks checks) {
        super.check(servers, checks);
        checks.check(
                servers.stream().mapToLong(ServerConfig::weight).sum() <= MOST_WEIGHT,
                "servers[*].weight",
                "must not add up to more than " + MOST_WEIGHT + " with a consistent hash");
    }

    @Override
    public List<PeerIndex> indexes(List<Peer> peers, List<ServerConfig> servers, PeerGroup before) {
        Index old = before.index(Index.class);
        HashRing ring = old != null && old.ring.isOf(servers) ? old.ring : HashRing.of(servers);
        return List.of(Index.of(ring, peers, servers));
    }

    @Override
    public void begin(Selection selection) {
        String value = selection.request().value(key);
        if (!value.isEmpty()) {
            selection.memo(new State(Crc32.value(Crc32.add(Crc32.START, value))));
        }
    }

    @Override
    @Nullable
    Peer probe(PeerGroup group, Selection selection, Probes probes) {
        State state = (State) probes;
        Index index = index(group);
        do {
            Peer peer = RoundRobin.among(index.peers[index.ring.owner(state.at(index.ring))], selection);
            if (peer != null) {
                return peer;
            }
            state.step();
        } while (!state.reject());
        return null;
    }

    /** The ring of a tier. */
    static HashRing ring(PeerGroup group) {
        return index(group).ring;
    }

    private static Index index(PeerGroup group) {
        Index index = group.index(Index.class);
        if (index == null) {
            throw new IllegalStateException("the peers came without their ring");
        }
        return index;
    }
}
