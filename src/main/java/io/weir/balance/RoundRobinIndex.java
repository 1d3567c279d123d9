package io.weir.balance;

import io.weir.zone.Peer;
import org.jspecify.annotations.Nullable;

/** Round robin of a large tier: the picks of {@link RoundRobin#among}, without looking at all peers. */
final class RoundRobinIndex extends SteadyIndex {

    private @Nullable Rounds rounds;

    @Override
    void start(Peer[] all) {
        rounds = new Rounds(new Rounds.Places(all));
    }

    private Rounds rounds() {
        Rounds started = rounds;
        if (started == null) {
            throw new IllegalStateException("no peers yet");
        }
        return started;
    }

    @Override
    void steadyComes(Peer peer) {
        rounds().add(peer);
    }

    @Override
    void steadyGoes(Peer peer) {
        rounds().remove(peer);
    }

    @Override
    void steadyChanged(Peer peer) {}

    @Nullable
    Peer select(Selection selection) {
        open(selection);
        Peer best = round(selection, null);
        close(selection);
        return best;
    }

    /** A round that a bound request takes from its peer. */
    void bound(Peer peer, Selection selection) {
        open(selection);
        round(selection, peer);
        close(selection);
    }

    /** One round; who wins it pays for it, unless {@code payer} does. */
    private @Nullable Peer round(Selection selection, @Nullable Peer payer) {
        Rounds steady = rounds();
        steady.advance();
        Peer best = steady.best();
        long total = steady.totalWeight();
        for (int i = 0; i < watchedCount(); i++) {
            Peer peer = watched(i);
            if (selection.isEligible(peer)) {
                total += peer.gainWeight(selection.now());
                if (best == null || isBefore(peer, best)) {
                    best = peer;
                }
            }
        }
        Peer pays = payer == null ? best : payer;
        if (pays != null && isSteady(pays)) {
            steady.pay(pays, total);
        } else if (pays != null) {
            pays.payWeight(total);
        }
        return best;
    }
}
