package io.weir.balance;

import io.weir.zone.Peer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Least connections of a large tier: the picks of {@link LeastConn}, without looking at all peers. Steady peers stand in
 * one {@link Rounds} for each load that there is, as only peers of equal load take turns.
 */
final class LeastConnIndex extends SteadyIndex {

    /** Rounds that are kept for the next new load. */
    private static final int MOST_SPARE = 8;

    /** Weights that rounds may have had to be worth keeping. */
    private static final int MOST_SPARE_LINES = 64;

    private Rounds.Places places = new Rounds.Places(new Peer[0]);

    /** The rounds of each steady peer, by place. */
    private @Nullable Rounds[] roundsOf = {};

    /** The load of each steady peer, by place. */
    private double[] loads = {};

    private final TreeMap<Double, Rounds> byLoad = new TreeMap<>();
    private final Deque<Rounds> spare = new ArrayDeque<>(MOST_SPARE);

    @Override
    void start(Peer[] all) {
        places = new Rounds.Places(all);
        roundsOf = new Rounds[all.length];
        loads = new double[all.length];
    }

    /**
     * Connections per weight. Exact as far as it matters: two quotients differ by more than a rounding while connections
     * times weight stay below 2^52.
     */
    private static double load(int conns, int weight) {
        return (double) conns / weight;
    }

    @Override
    void steadyComes(Peer peer) {
        Double load = load(peer.conns(), peer.weight());
        Rounds rounds = byLoad.get(load);
        if (rounds == null) {
            rounds = spare.isEmpty() ? new Rounds(places) : spare.pop();
            byLoad.put(load, rounds);
        }
        rounds.add(peer);
        roundsOf[peer.place()] = rounds;
        loads[peer.place()] = load;
    }

    @Override
    void steadyGoes(Peer peer) {
        Rounds rounds = roundsOf[peer.place()];
        if (rounds == null) {
            throw new IllegalStateException(peer + " is not steady");
        }
        roundsOf[peer.place()] = null;
        rounds.remove(peer);
        if (rounds.size() == 0) {
            byLoad.remove(loads[peer.place()]);
            if (spare.size() < MOST_SPARE && rounds.lineCount() <= MOST_SPARE_LINES) {
                spare.push(rounds);
            }
        }
    }

    @Override
    void steadyChanged(Peer peer) {
        if (loads[peer.place()] != load(peer.conns(), peer.weight())) {
            steadyGoes(peer);
            steadyComes(peer);
        }
    }

    @Nullable
    Peer select(Selection selection) {
        open(selection);
        Peer best = least(selection);
        close(selection);
        return best;
    }

    private @Nullable Peer least(Selection selection) {
        long now = selection.now();
        var first = byLoad.firstEntry();
        double least = first == null ? Double.POSITIVE_INFINITY : first.getKey();
        int many = first == null ? 0 : first.getValue().size();
        Peer only = null;
        for (int i = 0; i < watchedCount(); i++) {
            Peer peer = watched(i);
            if (!selection.isEligible(peer)) {
                continue;
            }
            double load = load(peer.conns(), peer.ceiling(now));
            if (load < least) {
                least = load;
                many = 1;
                only = peer;
            } else if (load == least) {
                many++;
            }
        }
        Rounds steady = first != null && first.getKey() == least ? first.getValue() : null;
        if (many == 1) {
            return steady == null ? only : steady.best();
        }
        return many == 0 ? null : round(selection, steady, least);
    }

    /** A round of smooth round robin among those of equal load. */
    private @Nullable Peer round(Selection selection, @Nullable Rounds steady, double load) {
        long now = selection.now();
        Peer best = null;
        long total = 0;
        if (steady != null) {
            steady.advance();
            best = steady.best();
            total = steady.totalWeight();
        }
        for (int i = 0; i < watchedCount(); i++) {
            Peer peer = watched(i);
            if (selection.isEligible(peer) && load(peer.conns(), peer.ceiling(now)) == load) {
                total += peer.gainWeight(now);
                if (best == null || isBefore(peer, best)) {
                    best = peer;
                }
            }
        }
        if (best != null && steady != null && isSteady(best)) {
            steady.pay(best, total);
        } else if (best != null) {
            best.payWeight(total);
        }
        return best;
    }
}
