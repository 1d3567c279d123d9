package io.weir.balance;

import io.weir.config.ServerConfig;
import io.weir.zone.Peer;
import io.weir.zone.Rounds;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Finds, among peers that take part with all their weight, the one whose turn it is, without looking at all of them: the
 * least load first; among equal loads the greatest current weight of smooth weighted round robin; then the first place.
 * Only those of the least load take turns, so there are {@link Rounds} for each load.
 *
 * <p>Made without the lock; everything else under the zone lock.
 */
final class Tournament {

    // In each round every peer gains its weight: over the number of rounds its current weight is a line, and only the
    // line of the peer that is picked is moved, down by what all have gained. Which line is on top, a kinetic
    // tournament
    // knows [1]: each node of a binary tree has the better of its two children, and the round in which that ends if no
    // line is moved until then. Two kinds of nodes are played again: after a round those whose time is up; and after a
    // change of a peer those between it and the root.
    //
    // The peers stand in the order of their weights. Peers of one weight never overtake each other, those of similar
    // weights seldom do, so that time is up only near the root: for 10,000 peers of different weights once in two
    // picks,
    // against sixteen times in each pick if they stand anyhow.
    //
    // The first of equals wins: a line is the current weight times the number of peers, less the place. In round 0,
    // which
    // may be long ago, that may be out of range, which does no harm: what counts are the differences in the present
    // round,
    // which are small and come out right modulo 2^64.
    //
    // [1] J. Basch, L. Guibas, J. Hershberger: Data Structures for Mobile Data, SODA 1997.

    /** The load of who does not take part: more than any other. */
    static final long NOBODY = Long.MAX_VALUE;

    private static final long NEVER = Long.MAX_VALUE;

    /** In the place of a leaf: no node has to be played again, or all of them. */
    private static final int NONE = -1;

    private static final int ALL = -2;

    // Of each peer its load, its line in round 0 and what that gains in a round; side by side, as waiting for memory is
    // what costs time in a large group, and with a fourth number that is not used, so that they share a cache line.
    private static final int FIELDS = 4;
    private static final int LOAD = 0;
    private static final int LINE = 1;
    private static final int GAIN = 2;

    private final Supplier<Rounds> maker;
    private final int size;

    /** Leaves of the tree: the next power of two. */
    private final int width;

    private final long[] leaves;
    private final Peer[] peers;

    /** The rounds that each leaf's peer takes part in. */
    private final @Nullable Rounds[] rounds;

    /** The leaf of each place. */
    private final int[] leafOf;

    private final Map<Long, Rounds> byLoad = new HashMap<>();

    /**
     * Node 1 is the root, 2n and 2n + 1 are the children of n; from {@code width} on they are the leaves, which have nothing
     * here. Of each node the round in which it has to be played again, of the rounds of its winner; and its winner's leaf.
     */
    private final long[] nodes;

    /** The leaf that has changed and is not played yet. A pick and the begin of its attempt change the same one. */
    private int changed = ALL;

    /**
     * Nobody takes part yet.
     *
     * @param servers the server of each peer
     */
    Tournament(List<Peer> all, List<ServerConfig> servers) {
        this(all, servers, Rounds::new);
    }

    Tournament(List<Peer> all, List<ServerConfig> servers, Supplier<Rounds> maker) {
        this.maker = maker;
        size = all.size();
        width = Integer.highestOneBit(Math.max(1, 2 * size - 1));
        leaves = new long[FIELDS * width];
        peers = new Peer[size];
        rounds = new Rounds[size];
        leafOf = new int[size];
        nodes = new long[2 * width];
        int[] places = IntStream.range(0, size)
                .boxed()
                .sorted(Comparator.comparingInt(place -> servers.get(place).weight()))
                .mapToInt(place -> place)
                .toArray();
        for (int leaf = 0; leaf < width; leaf++) {
            leaves[FIELDS * leaf + LOAD] = NOBODY;
        }
        for (int leaf = 0; leaf < size; leaf++) {
            int place = places[leaf];
            leafOf[place] = leaf;
            peers[leaf] = all.get(place);
            leaves[FIELDS * leaf + GAIN] = (long) size * servers.get(place).weight();
        }
    }

    // ---- who takes part ----

    /** A peer takes part with a load, from the next round of that load on; if it has another one, it leaves that. */
    void put(Peer peer, long load) {
        int leaf = leafOf[peer.place()];
        if (leaves[FIELDS * leaf + LOAD] != load) {
            change(leaf);
            leave(leaf);
            Rounds joined = byLoad.computeIfAbsent(load, key -> maker.get());
            peer.joinRounds(joined);
            rounds[leaf] = joined;
            leaves[FIELDS * leaf + LOAD] = load;
            leaves[FIELDS * leaf + LINE] = line(peer);
        }
    }

    /** A peer takes part no more. */
    void remove(Peer peer) {
        int leaf = leafOf[peer.place()];
        change(leaf);
        leave(leaf);
        leaves[FIELDS * leaf + LOAD] = NOBODY;
    }

    private long line(Peer peer) {
        return size * peer.weightApartFromRounds() - peer.place();
    }

    private void leave(int leaf) {
        Rounds left = rounds[leaf];
        if (left != null) {
            peers[leaf].leaveRounds();
            rounds[leaf] = null;
            if (left.size() == 0) {
                byLoad.remove(leaves[FIELDS * leaf + LOAD]);
            }
        }
    }

    /** A peer that takes part pays for a round. */
    void pay(Peer peer, long total) {
        int leaf = leafOf[peer.place()];
        change(leaf);
        peer.payWeight(total);
        leaves[FIELDS * leaf + LINE] = line(peer);
    }

    /** What is known of a peer is about to change; it will be played when that matters. */
    private void change(int leaf) {
        if (changed != leaf && changed != ALL) {
            settle();
            changed = leaf;
        }
    }

    // ---- whose turn it is ----

    /** The least load of those who take part, {@link #NOBODY} if there are none. */
    long leastLoad() {
        settle();
        return load(winner(1));
    }

    /** The rounds of those who have the least load; there is somebody. */
    Rounds leastRounds() {
        settle();
        return roundsOf(winner(1));
    }

    /** The first of those who have the least load; there is somebody. */
    Peer best() {
        settle();
        return peers[winner(1)];
    }

    /** Counts a round of those who have the least load; there is somebody. */
    void advance() {
        Rounds least = leastRounds();
        least.advance();
        refresh(1, load(winner(1)), least.count());
    }

    // Other loads stand still, so the time of a node that has another one is not up.
    private void refresh(int node, long load, long count) {
        if (end(node) <= count && load(winner(node)) == load) {
            refresh(2 * node, load, count);
            refresh(2 * node + 1, load, count);
            play(node);
        }
    }

    private void settle() {
        if (changed == NONE) {
            return;
        }
        if (changed == ALL) {
            for (int node = width - 1; node > 0; node--) {
                play(node);
            }
        } else {
            int node = (width + changed) >>> 1;
            while (node > 0 && (play(node) || winner(node) == changed)) {
                node >>>= 1;
            }
        }
        changed = NONE;
    }

    /** True if it has another winner or end than before. */
    private boolean play(int node) {
        int left = winner(2 * node);
        int right = winner(2 * node + 1);
        long load = load(left);
        if (load != load(right)) {
            boolean less = load < load(right);
            return set(node, less ? left : right, end(less ? 2 * node : 2 * node + 1));
        }
        if (load == NOBODY) {
            return set(node, left, NEVER);
        }
        long end = Math.min(end(2 * node), end(2 * node + 1));
        long count = roundsOf(left).count();
        // what the right one gains on the left one in a round: they stand in the order of their weights
        long gain = leaves[FIELDS * right + GAIN] - leaves[FIELDS * left + GAIN];
        long lead = leaves[FIELDS * left + LINE] - leaves[FIELDS * right + LINE] - gain * count;
        if (lead < 0) {
            return set(node, right, end);
        }
        return set(node, left, gain == 0 ? end : Math.min(end, count + lead / gain + 1));
    }

    private boolean set(int node, int winner, long end) {
        if (nodes[2 * node] == end && nodes[2 * node + 1] == winner) {
            return false;
        }
        nodes[2 * node] = end;
        nodes[2 * node + 1] = winner;
        return true;
    }

    private int winner(int node) {
        return node < width ? (int) nodes[2 * node + 1] : node - width;
    }

    private long end(int node) {
        return node < width ? nodes[2 * node] : NEVER;
    }

    private long load(int leaf) {
        return leaves[FIELDS * leaf + LOAD];
    }

    private Rounds roundsOf(int leaf) {
        Rounds of = rounds[leaf];
        if (of == null) {
            throw new IllegalStateException(peers[leaf] + " does not take part");
        }
        return of;
    }
}
