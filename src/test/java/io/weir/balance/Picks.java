package io.weir.balance;

import io.weir.config.ServerConfig;
import io.weir.zone.FailureReason;
import io.weir.zone.FakeTicker;
import io.weir.zone.Peer;
import io.weir.zone.Servers;
import io.weir.zone.Zone;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Picks of one method from the primaries of a zone, told by the letters of {@link Servers}; "-" is nobody. */
final class Picks {

    final FakeTicker ticker = new FakeTicker();
    final Zone zone = new Zone("g");
    private final BalancingMethod method;
    private final Selection selection = new Selection();
    private final List<Peer> held = new ArrayList<>();

    Picks(BalancingMethod method, List<ServerConfig> servers) {
        this.method = method;
        configure(servers);
    }

    void configure(List<ServerConfig> servers) {
        zone.reconcile(Servers.specs(servers), ticker.nanos());
    }

    /** So many requests, one after the other, all of which succeed. */
    String sequence(int count) {
        StringBuilder letters = new StringBuilder();
        for (int i = 0; i < count; i++) {
            Peer peer = pick();
            letters.append(letter(peer));
            if (peer != null) {
                zone.acquire(peer, ticker.nanos());
                zone.release(peer, ticker.nanos(), null);
            }
        }
        return letters.toString();
    }

    /** So many requests that do not end. */
    String hold(int count) {
        StringBuilder letters = new StringBuilder();
        for (int i = 0; i < count; i++) {
            Peer peer = pick();
            letters.append(letter(peer));
            if (peer != null) {
                zone.acquire(peer, ticker.nanos());
                held.add(peer);
            }
        }
        return letters.toString();
    }

    /** The oldest held request at {@code letter} ends. */
    void release(char letter) {
        Peer peer = held.stream().filter(p -> letter(p) == letter).findFirst().orElseThrow();
        held.remove(peer);
        zone.release(peer, ticker.nanos(), null);
    }

    void fail(char letter) {
        Peer peer = peer(letter);
        zone.acquire(peer, ticker.nanos());
        zone.release(peer, ticker.nanos(), FailureReason.CONNECT);
    }

    Peer peer(char letter) {
        for (int i = 0; i < zone.primary().size(); i++) {
            if (letter(zone.primary().peer(i)) == letter) {
                return zone.primary().peer(i);
            }
        }
        throw new AssertionError("no peer " + letter);
    }

    /** A pick by a request that has tried some already. */
    String pickAfter(String tried) {
        long mark = zone.nextMark();
        tried.chars().forEach(letter -> peer((char) letter).mark(mark));
        selection.begin(ticker.nanos(), mark);
        return String.valueOf(letter(method.select(zone.primary(), selection)));
    }

    private @Nullable Peer pick() {
        selection.begin(ticker.nanos(), Selection.NOBODY);
        return method.select(zone.primary(), selection);
    }

    private static char letter(@Nullable Peer peer) {
        return peer == null ? '-' : Servers.letter(peer.id());
    }

    /** Current weights in order: {@code -2,1,1}. */
    String currentWeights() {
        List<String> weights = new ArrayList<>();
        for (int i = 0; i < zone.primary().size(); i++) {
            weights.add(String.valueOf(zone.primary().peer(i).currentWeight()));
        }
        return String.join(",", weights);
    }
}
