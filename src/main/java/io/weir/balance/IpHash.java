package io.weir.balance;

import io.weir.zone.Peer;
import io.weir.zone.PeerGroup;
import java.net.Inet4Address;
import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/**
 * By the client's address: the first three octets of an IPv4 address, all of an IPv6 address, so that the clients of one
 * small network stay together. Which peer that is depends on the weights and places of all peers: adding or removing one
 * moves most clients, marking one down moves only its own.
 *
 * <p>Example: with three peers of weight 1, 10.1.2.3 goes to the second, and to the third while the second is down.
 *
 * <p>Caller holds the zone lock. Never blocks, reads no clock. O(log peers).
 *
 * @see <a href="https://nginx.org/en/docs/http/ngx_http_upstream_module.html#ip_hash">ip_hash</a>
 */
final class IpHash extends Probing {

    private static final int START = 89;
    private static final int FACTOR = 113;
    private static final int MODULUS = 6271;

    /** Of clients without an IP address, such as those on a unix socket. */
    private static final byte[] NO_ADDRESS = new byte[3];

    private static final int NETWORK_OCTETS = 3;

    /** The hash goes on from probe to probe and from attempt to attempt, taking in the same octets again. */
    private static final class State extends Probes {

        private final byte[] octets;
        private final int length;
        private int hash = START;

        State(byte[] octets, int length) {
            this.octets = octets;
            this.length = length;
        }

        int next() {
            for (int i = 0; i < length; i++) {
                hash = (hash * FACTOR + (octets[i] & 0xff)) % MODULUS;
            }
            return hash;
        }
    }

    private IpHash() {
        super("ip_hash");
    }

    static IpHash create(Arguments arguments) {
        arguments.end();
        return new IpHash();
    }

    @Override
    public void begin(Selection selection) {
        InetAddress client = selection.request().clientAddress();
        byte[] octets = client == null ? NO_ADDRESS : client.getAddress();
        boolean network = client == null || client instanceof Inet4Address;
        selection.memo(new State(octets, network ? NETWORK_OCTETS : octets.length));
    }

    @Override
    @Nullable
    Peer probe(PeerGroup group, Selection selection, Probes probes) {
        State state = (State) probes;
        WeightRanges ranges = WeightRanges.of(group);
        do {
            Peer peer = ranges.at(state.next() % ranges.total());
            if (selection.isEligible(peer)) {
                return peer;
            }
        } while (!state.reject());
        return null;
    }
}
