package io.weir.balance;

import io.weir.config.ServerConfig;
import io.weir.zone.Peer;
import io.weir.zone.PeerGroup;
import io.weir.zone.PeerIndex;
import io.weir.zone.Standing;
import java.util.Arrays;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Parts the peers of a large tier into those that a pick must look at one by one, and the steady ones, which play a
 * {@link Tournament} so that it need not. On a quiet day all are steady.
 *
 * <p>Made without the lock; everything else under the zone lock.
 */
abstract class SteadyIndex implements PeerIndex {

    /** Below, a plain scan is as fast; see docs/performance.md. */
    static final int LEAST_PEERS = 64;

    /** Where a peer is. */
    private enum Part {
        /** May not be picked. */
        OUT,
        /** Has failed; waits for its second. */
        ASLEEP,
        /** Looked at in each pick. */
        WATCHED,
        STEADY,
        /** Steady, but the request that is being served has tried it. */
        ASIDE
    }

    /** No second of any ticker. */
    private static final long NEVER = Long.MIN_VALUE;

    private record Sleeper(long second, int place) {}

    private final Peer[] peers;
    private final Part[] parts;
    private final Tournament steady;
    private final PriorityQueue<Sleeper> sleepers = new PriorityQueue<>((a, b) -> Long.compare(a.second, b.second));

    /** Until when a peer sleeps, by place; tells which of its entries among the sleepers holds. */
    private final long[] wakes;

    private final Peer[] watched;
    private int watchedCount;

    /** Where a peer is among the watched, by place. */
    private final int[] watchedAt;

    SteadyIndex(List<Peer> peers, List<ServerConfig> servers) {
        int size = peers.size();
        this.peers = peers.toArray(Peer[]::new);
        this.parts = new Part[size];
        this.steady = new Tournament(peers, servers);
        this.wakes = new long[size];
        this.watched = new Peer[size];
        this.watchedAt = new int[size];
        Arrays.fill(parts, Part.OUT);
        Arrays.fill(wakes, NEVER);
    }

    @Override
    public final void begin(PeerGroup group) {
        for (Peer peer : peers) {
            enter(peer);
        }
    }

    @Override
    public final void end() {
        for (Peer peer : peers) {
            peer.leaveRounds();
        }
    }

    @Override
    public final void changed(Peer peer) {
        if (parts[peer.place()] == Part.STEADY && peer.standing() == Standing.STEADY) {
            play(peer);
            return;
        }
        leave(peer);
        enter(peer);
    }

    private void enter(Peer peer) {
        int place = peer.place();
        switch (peer.standing()) {
            case OUT -> parts[place] = Part.OUT;
            case FAILED -> sleep(peer);
            case UNSTEADY -> watch(peer);
            case STEADY -> play(peer);
        }
    }

    private void play(Peer peer) {
        parts[peer.place()] = Part.STEADY;
        steady.put(peer, load(peer.conns(), peer.weight()));
    }

    private void leave(Peer peer) {
        Part part = parts[peer.place()];
        if (part == Part.STEADY) {
            steady.remove(peer);
        } else if (part == Part.WATCHED) {
            int at = watchedAt[peer.place()];
            Peer last = watched[--watchedCount];
            watched[at] = last;
            watchedAt[last.place()] = at;
        }
        parts[peer.place()] = Part.OUT;
    }

    private void sleep(Peer peer) {
        int place = peer.place();
        parts[place] = Part.ASLEEP;
        if (wakes[place] != peer.retrySecond()) {
            wakes[place] = peer.retrySecond();
            sleepers.add(new Sleeper(wakes[place], place));
        }
    }

    private void watch(Peer peer) {
        parts[peer.place()] = Part.WATCHED;
        watchedAt[peer.place()] = watchedCount;
        watched[watchedCount++] = peer;
    }

    /** Before a pick: wakes who may have become eligible, and puts steady peers that the request has tried aside. */
    final void open(Selection selection) {
        for (Sleeper first = sleepers.peek(); first != null; first = sleepers.peek()) {
            if (first.second > selection.second()) {
                break;
            }
            sleepers.remove();
            if (wakes[first.place] == first.second) {
                wakes[first.place] = NEVER;
                if (parts[first.place] == Part.ASLEEP) {
                    watch(peers[first.place]);
                }
            }
        }
        List<Peer> tried = selection.tried();
        for (int i = 0; i < tried.size(); i++) {
            Peer peer = tried.get(i);
            if (isHere(peer) && parts[peer.place()] == Part.STEADY) {
                steady.remove(peer);
                parts[peer.place()] = Part.ASIDE;
            }
        }
    }

    /** After a pick: puts back who was aside, and lets go of who has all its weight again. */
    final void close(Selection selection) {
        List<Peer> tried = selection.tried();
        for (int i = 0; i < tried.size(); i++) {
            Peer peer = tried.get(i);
            if (isHere(peer) && parts[peer.place()] == Part.ASIDE) {
                play(peer);
            }
        }
        for (int i = watchedCount - 1; i >= 0; i--) {
            Peer peer = watched[i];
            if (peer.standing() == Standing.STEADY) {
                leave(peer);
                enter(peer);
            }
        }
    }

    private boolean isHere(Peer peer) {
        int place = peer.place();
        return place >= 0 && place < peers.length && peers[place] == peer;
    }

    // ---- the choice ----

    /** How good it is to pick a peer: only those of the least load take turns. */
    abstract long load(int conns, int weight);

    /** The least load of the steady peers, {@link Tournament#NOBODY} if there are none. */
    final long leastSteadyLoad() {
        return steady.leastLoad();
    }

    /** Whether several steady peers have their least load. */
    final boolean isSteadyTie() {
        return steady.leastRounds().size() > 1;
    }

    /** The first of the steady peers of the least load; null if there are no steady peers. */
    final @Nullable Peer bestSteady() {
        return steady.leastLoad() == Tournament.NOBODY ? null : steady.best();
    }

    /** How many peers have to be looked at; which of them are eligible, the selection says. */
    final int watchedCount() {
        return watchedCount;
    }

    final Peer watched(int index) {
        return watched[index];
    }

    /**
     * One round of smooth weighted round robin among the peers of one load, which no steady one falls below; who wins it
     * pays for it, unless {@code payer} does.
     */
    final @Nullable Peer round(Selection selection, long load, @Nullable Peer payer) {
        long now = selection.now();
        Peer best = null;
        long total = 0;
        if (steady.leastLoad() == load) {
            steady.advance();
            best = steady.best();
            total = steady.leastRounds().totalWeight();
        }
        for (int i = 0; i < watchedCount; i++) {
            Peer peer = watched[i];
            if (selection.isEligible(peer) && load(peer.conns(), peer.ceiling(now)) == load) {
                total += peer.gainWeight(now);
                if (best == null || isBefore(peer, best)) {
                    best = peer;
                }
            }
        }
        Peer pays = payer == null ? best : payer;
        if (pays != null && parts[pays.place()] == Part.STEADY) {
            steady.pay(pays, total);
        } else if (pays != null) {
            pays.payWeight(total);
        }
        return best;
    }

    private static boolean isBefore(Peer a, Peer b) {
        long lead = a.currentWeight() - b.currentWeight();
        return lead > 0 || lead == 0 && a.place() < b.place();
    }
}
