package io.weir.balance;

import io.weir.zone.Peer;
import io.weir.zone.RoundCount;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Steady peers that take part in smooth weighted round robin together: finds the one with the greatest current weight, the
 * first of equals, without looking at all of them.
 *
 * <p>Caller holds the zone lock.
 */
final class Rounds {

    // In each round every peer gains its weight: over the number of rounds T its current weight is a line, a + w * T,
    // and
    // only the line of a picked peer is moved, down by the total. Peers of one weight keep their order, so a heap for
    // each
    // weight will do [1]. Between the tops of the heaps runs a kinetic tournament [2]: each node of a binary tree knows
    // the better of its two children, and until which round that will stay so if no line is moved; only nodes whose
    // time
    // is up are played again.
    //
    // A pick is O(log peers) for one weight, and amortized O(log^2 weights) on top for many; measured, it is nearer to
    // the former.
    //
    // [1] The order of equal ones by place is kept by the heap too.
    // [2] J. Basch, L. Guibas, J. Hershberger: Data Structures for Mobile Data, SODA 1997.

    /** Keys stay below 2^60: weights are at most 10^6. Reached after weeks at a million picks a second. */
    private static final long MOST_ROUNDS = 1L << 40;

    private static final int NOBODY = -1;

    private final Peer[] peers;
    private final int[] slots;
    private final long mostRounds;
    private final RoundCount count = new RoundCount();
    private final Map<Integer, WeightLine> byWeight = new HashMap<>();
    private WeightLine[] lines = new WeightLine[1];
    private int lineCount;

    /** Of the top of each line, as the tournament needs them: all close together. */
    private long[] keys = new long[1];

    private int[] weights = new int[1];
    private int[] places = new int[1];

    private long totalWeight;
    private int size;

    /** The tournament: node 1 is the root, nodes 2n and 2n + 1 are the children of n, the last half are the leaves. */
    private int[] winners = {NOBODY, NOBODY};

    /** The round in which a node has to be played again. */
    private long[] ends = {Long.MAX_VALUE, Long.MAX_VALUE};

    /**
     * @param peers of the tier, by place
     * @param slots for all the rounds of a tier together, one for each peer
     */
    Rounds(Peer[] peers, int[] slots) {
        this(peers, slots, MOST_ROUNDS);
    }

    Rounds(Peer[] peers, int[] slots, long mostRounds) {
        this.peers = peers;
        this.slots = slots;
        this.mostRounds = mostRounds;
    }

    int size() {
        return size;
    }

    /** How many distinct weights it has had. */
    int lineCount() {
        return lineCount;
    }

    long totalWeight() {
        return totalWeight;
    }

    /** A peer takes part from the next round on. */
    void add(Peer peer) {
        peer.joinRounds(count);
        size++;
        totalWeight += peer.weight();
        WeightLine line = byWeight.get(peer.weight());
        if (line == null) {
            line = newLine(peer.weight());
        }
        if (line.add(peer)) {
            replay(line.leaf);
        }
    }

    private WeightLine newLine(int weight) {
        WeightLine line = new WeightLine(weight, lineCount, slots);
        byWeight.put(weight, line);
        boolean full = lineCount == lines.length;
        if (full) {
            lines = Arrays.copyOf(lines, 2 * lineCount);
            keys = new long[lines.length];
            weights = new int[lines.length];
            places = new int[lines.length];
            winners = new int[2 * lines.length];
            ends = new long[2 * lines.length];
        }
        lines[lineCount++] = line;
        if (full) {
            playAll();
        }
        return line;
    }

    /** A peer takes part no more. */
    void remove(Peer peer) {
        size--;
        totalWeight -= peer.weight();
        WeightLine line = line(peer);
        if (line.remove(peer.place())) {
            replay(line.leaf);
        }
        peer.leaveRounds();
    }

    private WeightLine line(Peer peer) {
        WeightLine line = byWeight.get(peer.weight());
        if (line == null) {
            throw new IllegalStateException(peer + " does not take part");
        }
        return line;
    }

    /** All gain their weight. */
    void advance() {
        count.advance();
        if (count.value() >= mostRounds) {
            beginAnew();
        }
    }

    private void beginAnew() {
        for (int i = 0; i < lineCount; i++) {
            lines[i].forEach(place -> peers[place].leaveRounds());
        }
        count.reset();
        for (int i = 0; i < lineCount; i++) {
            lines[i].forEach(place -> peers[place].joinRounds(count));
            lines[i].rekey(peers);
        }
        playAll();
    }

    /** The peer with the greatest current weight, the first of equals; null if nobody takes part. */
    @Nullable
    Peer best() {
        refresh(1);
        int winner = winners[1];
        return winner == NOBODY ? null : peers[places[winner]];
    }

    /** A peer that takes part pays for the round. */
    void pay(Peer peer, long total) {
        peer.payWeight(total);
        WeightLine line = line(peer);
        if (line.update(peer)) {
            replay(line.leaf);
        }
    }

    // ---- the tournament ----

    private void refresh(int node) {
        if (ends[node] <= count.value()) {
            refresh(2 * node);
            refresh(2 * node + 1);
            play(node);
        }
    }

    /** The top of a line has changed. */
    private void replay(int leaf) {
        int node = lines.length + leaf;
        enter(leaf, node);
        for (node >>= 1; node > 0; node >>= 1) {
            play(node);
        }
    }

    private void playAll() {
        Arrays.fill(ends, Long.MAX_VALUE);
        for (int leaf = 0; leaf < lines.length; leaf++) {
            winners[lines.length + leaf] = NOBODY;
        }
        for (int leaf = 0; leaf < lineCount; leaf++) {
            enter(leaf, lines.length + leaf);
        }
        for (int node = lines.length - 1; node > 0; node--) {
            play(node);
        }
    }

    private void enter(int leaf, int node) {
        WeightLine line = lines[leaf];
        winners[node] = line.isEmpty() ? NOBODY : leaf;
        if (!line.isEmpty()) {
            keys[leaf] = line.topKey();
            weights[leaf] = line.weight;
            places[leaf] = line.topPlace();
        }
    }

    private void play(int node) {
        int left = winners[2 * node];
        int right = winners[2 * node + 1];
        long end = Math.min(ends[2 * node], ends[2 * node + 1]);
        if (left == NOBODY || right == NOBODY) {
            winners[node] = left == NOBODY ? right : left;
            ends[node] = end;
            return;
        }
        long lead = keys[left] - keys[right] + ((long) weights[left] - weights[right]) * count.value();
        boolean first = lead > 0 || lead == 0 && places[left] < places[right];
        winners[node] = first ? left : right;
        ends[node] = Math.min(end, first ? overtakes(left, right, lead) : overtakes(right, left, -lead));
    }

    /** The round in which the other gets past the leader, if neither is moved until then. */
    private long overtakes(int leader, int other, long lead) {
        long speed = (long) weights[other] - weights[leader];
        if (speed <= 0) {
            return Long.MAX_VALUE;
        }
        // being equal is enough for an earlier place
        long rounds = places[other] < places[leader] ? (lead + speed - 1) / speed : lead / speed + 1;
        return count.value() + rounds;
    }
}
