package io.weir.balance;

import io.weir.config.RequestValues;
import io.weir.config.ServerConfig;
import io.weir.zone.FailureReason;
import io.weir.zone.FakeTicker;
import io.weir.zone.Peer;
import io.weir.zone.Servers;
import io.weir.zone.Zone;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Picks of one method from the primaries of a zone, told by the letters of {@link Servers}; "-" is nobody. */
final class Picks {

    final FakeTicker ticker = new FakeTicker();
    final Zone zone = new Zone("g");
    private final BalancingMethod method;
    private Selection selection = new Selection(RequestValues.NONE);
    private final List<Peer> held = new ArrayList<>();

    Picks(BalancingMethod method, List<ServerConfig> servers) {
        this.method = method;
        configure(servers);
    }

    void configure(List<ServerConfig> servers) {
        zone.prepare(Servers.specs(servers), method::indexes, ticker.nanos()).apply(ticker.nanos());
    }

    /** A request with this key, or from this client; the picks that follow are its attempts. */
    Picks request(RequestValues values) {
        selection = new Selection(values);
        method.begin(selection);
        return this;
    }

    /** The next attempt of the request. */
    String attempt() {
        selection.begin(ticker.nanos(), zone.nextMark());
        Peer peer = method.select(zone.primary(), selection);
        if (peer != null) {
            selection.addTried(peer);
        }
        return String.valueOf(letter(peer));
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

    /** What became of an attempt. */
    record Times(long connectNanos, long headerNanos, long responseNanos) implements AttemptTimes {}

    /** A request that takes its peer so many seconds to connect and to the response head, and as many again to the end. */
    String timed(Map<Character, Double> seconds) {
        Peer peer = Objects.requireNonNull(pick());
        long begin = ticker.nanos();
        zone.acquire(peer, begin);
        method.begun(peer, begin);
        ticker.advanceSeconds(seconds.getOrDefault(letter(peer), 0.0));
        long answered = ticker.nanos() - begin;
        for (Milestone milestone : Milestone.values()) {
            if (method.watches(milestone)) {
                method.reached(peer, milestone, answered, ticker.nanos());
            }
        }
        ticker.advanceSeconds(seconds.getOrDefault(letter(peer), 0.0));
        zone.release(peer, ticker.nanos(), null);
        method.ended(peer, true, new Times(answered, answered, ticker.nanos() - begin), ticker.nanos());
        return String.valueOf(letter(peer));
    }

    /** As {@link #hold}, and the method is told of the begin. */
    String holdTold(int count) {
        StringBuilder letters = new StringBuilder();
        for (int i = 0; i < count; i++) {
            letters.append(hold(1));
            method.begun(held.get(held.size() - 1), ticker.nanos());
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
        selection = new Selection(RequestValues.NONE);
        method.begin(selection);
        tried.chars().forEach(letter -> selection.addTried(peer((char) letter)));
        selection.begin(ticker.nanos(), zone.nextMark());
        return String.valueOf(letter(method.select(zone.primary(), selection)));
    }

    private @Nullable Peer pick() {
        selection = new Selection(RequestValues.NONE);
        method.begin(selection);
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
