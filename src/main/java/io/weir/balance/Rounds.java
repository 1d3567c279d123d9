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

    /** Where each steady peer of a tier is, by place: in one line of one of the rounds of the tier. */
    static final class Places {

        private final Peer[] peers;
        private final int[] slots;
        private final @Nullable WeightLine[] lines;

        Places(Peer[] peers) {
            this.peers = peers;
            this.slots = new int[peers.length];
            this.lines = new WeightLine[peers.length];
        }

        private WeightLine line(Peer peer) {
            WeightLine line = lines[peer.place()];
            if (line == null) {
                throw new IllegalStateException(peer + " does not take part");
            }
            return line;
        }
    }

    private final Places places;
    private final long mostRounds;
    private final RoundCount count = new RoundCount();
    private final Map<Integer, WeightLine> byWeight = new HashMap<>();
    private WeightLine[] lines = new WeightLine[1];
    private int lineCount;

    private long totalWeight;
    private int size;

    /**
     * The tournament: node 1 is the root, 2n and 2n + 1 are the children of n, the last half are the leaves, one for each
     * line. Of each node the round in which it has to be played again, and the winner's leaf: two numbers side by side, as
     * this is what costs time in a large group, waiting for memory.
     */
    private long[] nodes = {0, NOBODY, Long.MAX_VALUE, NOBODY};

    /** Of the top of each line its key, and its weight and place in one number. */
    private long[] tops = new long[2];

    Rounds(Places places) {
        this(places, MOST_ROUNDS);
    }

    Rounds(Places places, long mostRounds) {
        this.places = places;
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
        places.lines[peer.place()] = line;
        if (line.add(peer)) {
            replay(line.leaf);
        }
    }

    private WeightLine newLine(int weight) {
        WeightLine line = new WeightLine(weight, lineCount, places.slots);
        byWeight.put(weight, line);
        boolean full = lineCount == lines.length;
        if (full) {
            lines = Arrays.copyOf(lines, 2 * lineCount);
            tops = new long[2 * lines.length];
            nodes = new long[4 * lines.length];
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
        WeightLine line = places.line(peer);
        if (line.remove(peer.place())) {
            replay(line.leaf);
        }
        peer.leaveRounds();
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
            lines[i].forEach(place -> places.peers[place].leaveRounds());
        }
        count.reset();
        for (int i = 0; i < lineCount; i++) {
            lines[i].forEach(place -> places.peers[place].joinRounds(count));
            lines[i].rekey(places.peers);
        }
        playAll();
    }

    /** The peer with the greatest current weight, the first of equals; null if nobody takes part. */
    @Nullable
    Peer best() {
        refresh(1);
        int winner = winner(1);
        return winner == NOBODY ? null : places.peers[(int) tops[2 * winner + 1]];
    }

    /** A peer that takes part pays for the round. */
    void pay(Peer peer, long total) {
        peer.payWeight(total);
        WeightLine line = places.line(peer);
        if (line.update(peer)) {
            replay(line.leaf);
        }
    }

    // ---- the tournament ----

    private int winner(int node) {
        return (int) nodes[2 * node + 1];
    }

    private long end(int node) {
        return nodes[2 * node];
    }

    private void set(int node, int winner, long end) {
        nodes[2 * node] = end;
        nodes[2 * node + 1] = winner;
    }

    private void refresh(int node) {
        if (end(node) <= count.value()) {
            refresh(2 * node);
            refresh(2 * node + 1);
            play(node);
        }
    }

    /** The top of a line has changed. */
    private void replay(int leaf) {
        enter(leaf);
        for (int node = (lines.length + leaf) >>> 1; node > 0; node >>>= 1) {
            play(node);
        }
    }

    private void playAll() {
        for (int leaf = 0; leaf < lines.length; leaf++) {
            if (leaf < lineCount) {
                enter(leaf);
            } else {
                set(lines.length + leaf, NOBODY, Long.MAX_VALUE);
            }
        }
        for (int node = lines.length - 1; node > 0; node--) {
            play(node);
        }
    }

    private void enter(int leaf) {
        WeightLine line = lines[leaf];
        set(lines.length + leaf, line.isEmpty() ? NOBODY : leaf, Long.MAX_VALUE);
        if (!line.isEmpty()) {
            tops[2 * leaf] = line.topKey();
            tops[2 * leaf + 1] = (long) line.weight << 32 | line.topPlace();
        }
    }

    private void play(int node) {
        int left = winner(2 * node);
        int right = winner(2 * node + 1);
        long end = Math.min(end(2 * node), end(2 * node + 1));
        if (left == NOBODY || right == NOBODY) {
            set(node, left == NOBODY ? right : left, end);
            return;
        }
        long faster = (tops[2 * left + 1] >> 32) - (tops[2 * right + 1] >> 32);
        boolean earlier = (int) tops[2 * left + 1] < (int) tops[2 * right + 1];
        long lead = tops[2 * left] - tops[2 * right] + faster * count.value();
        if (lead > 0 || lead == 0 && earlier) {
            set(node, left, Math.min(end, overtakes(lead, -faster, !earlier)));
        } else {
            set(node, right, Math.min(end, overtakes(-lead, faster, earlier)));
        }
    }

    /**
     * The round in which the other gets past the leader, if neither is moved until then.
     *
     * @param speed what the other gains on the leader in a round
     * @param earlier whether the other has the earlier place, so that being equal is enough
     */
    private long overtakes(long lead, long speed, boolean earlier) {
        if (speed <= 0) {
            return Long.MAX_VALUE;
        }
        // a division of doubles is several times faster; the quotient may come out at the next whole number above
        long rounds = (long) ((double) lead / speed);
        long left = lead - rounds * speed;
        return count.value() + (left > 0 || left == 0 && !earlier ? rounds + 1 : rounds);
    }
}
