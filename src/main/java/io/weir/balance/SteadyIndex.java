package io.weir.balance;

import io.weir.zone.Peer;
import io.weir.zone.PeerGroup;
import io.weir.zone.PeerIndex;
import io.weir.zone.Standing;
import java.util.Arrays;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Parts the peers of a large tier into those that a pick must look at one by one, and the steady ones, which a subclass
 * arranges so that it need not. On a quiet day all are steady.
 *
 * <p>Caller holds the zone lock.
 */
abstract class SteadyIndex implements PeerIndex {

    /** Below, a plain scan is as fast; see docs/performance.md. */
    static final int LEAST_PEERS = 256;

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

    private Peer[] peers = {};
    private Part[] parts = {};
    private final PriorityQueue<Sleeper> sleepers = new PriorityQueue<>((a, b) -> Long.compare(a.second, b.second));

    /** Until when a peer sleeps, by place; tells which of its entries among the sleepers holds. */
    private long[] wakes = {};

    private Peer[] watched = {};
    private int watchedCount;

    /** Where a peer is among the watched, by place. */
    private int[] watchedAt = {};

    @Override
    public final void begin(PeerGroup group) {
        peers = group.peers();
        int size = peers.length;
        parts = new Part[size];
        wakes = new long[size];
        Arrays.fill(wakes, NEVER);
        watched = new Peer[size];
        watchedAt = new int[size];
        start(peers);
        for (Peer peer : peers) {
            parts[peer.place()] = Part.OUT;
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
            steadyChanged(peer);
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
            case STEADY -> {
                parts[place] = Part.STEADY;
                steadyComes(peer);
            }
        }
    }

    private void leave(Peer peer) {
        Part part = parts[peer.place()];
        if (part == Part.STEADY) {
            steadyGoes(peer);
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
                steadyGoes(peer);
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
                parts[peer.place()] = Part.STEADY;
                steadyComes(peer);
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

    final boolean isSteady(Peer peer) {
        return parts[peer.place()] == Part.STEADY;
    }

    /** How many peers have to be looked at; which of them are eligible, the selection says. */
    final int watchedCount() {
        return watchedCount;
    }

    final Peer watched(int index) {
        return watched[index];
    }

    /** Whether one of two peers is to be preferred by smooth round robin. */
    static boolean isBefore(Peer a, Peer b) {
        long lead = a.currentWeight() - b.currentWeight();
        return lead > 0 || lead == 0 && a.place() < b.place();
    }

    /** The tier has these peers. */
    abstract void start(Peer[] all);

    abstract void steadyComes(Peer peer);

    abstract void steadyGoes(Peer peer);

    /** Its connections or failures have changed, and it is as steady as before. */
    abstract void steadyChanged(Peer peer);
}
