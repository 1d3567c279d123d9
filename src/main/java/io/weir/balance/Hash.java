package io.weir.balance;

import io.weir.config.Template;
import io.weir.zone.Peer;
import io.weir.zone.PeerGroup;
import org.jspecify.annotations.Nullable;

/**
 * By the hash of a key that the operator composes of variables; without a key (it is empty for this request) by round
 * robin. Which peer that is depends on the weights and places of all peers: adding or removing one moves most keys,
 * marking one down moves only its own. {@link ConsistentHash} moves fewer.
 *
 * <p>Example: with three peers of weight 1, the key {@code user1} goes to the first, and {@code alpha} to the second.
 *
 * <p>Caller holds the zone lock. Never blocks, reads no clock. O(log peers).
 *
 * @see <a href="https://nginx.org/en/docs/http/ngx_http_upstream_module.html#hash">hash</a>
 */
final class Hash extends Probing {

    private static final long UNSIGNED = 0xffff_ffffL;

    // Each probe adds 15 bits of the CRC of the key to a sum that is kept from attempt to attempt; from the second
    // probe
    // on the number of probes so far stands before the key.
    private static final class State extends Probes {

        private final String key;
        private long sum;
        private int probes;

        State(String key) {
            this.key = key;
        }

        long next() {
            int crc = probes == 0 ? Crc32.START : Crc32.add(Crc32.START, Integer.toString(probes));
            probes++;
            sum = sum + (Crc32.value(Crc32.add(crc, key)) >>> 16 & 0x7fff) & UNSIGNED;
            return sum;
        }
    }

    private final Template key;

    Hash(Template key) {
        super("hash");
        this.key = key;
    }

    static BalancingMethod create(Arguments arguments) {
        Template key = arguments.template("key");
        boolean consistent = arguments.flag("consistent");
        arguments.end();
        return consistent ? new ConsistentHash(key) : new Hash(key);
    }

    @Override
    public void begin(Selection selection) {
        String value = selection.request().value(key);
        if (!value.isEmpty()) {
            selection.memo(new State(value));
        }
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
