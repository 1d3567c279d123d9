package io.weir.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.config.ActiveConfig;
import io.weir.config.KeepaliveConfig;
import io.weir.config.MethodSpec;
import io.weir.config.NextUpstream;
import io.weir.config.ProxyConfig;
import io.weir.config.ProxySettings;
import io.weir.config.RequestValues;
import io.weir.config.ServerConfig;
import io.weir.config.StickyConfig;
import io.weir.config.UpstreamConfig;
import io.weir.zone.FailureReason;
import io.weir.zone.FakeTicker;
import io.weir.zone.Peer;
import io.weir.zone.PeerSnapshot;
import io.weir.zone.Servers;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * Requests to one group, as a proxy with nginx's defaults sends them, to servers that answer as the test says; peers are
 * told by the letters of {@link Servers}.
 */
final class Requests {

    /** Instead of a status: the server refuses connections. */
    static final int REFUSES = 0;

    final FakeTicker ticker = new FakeTicker();
    final Upstreams upstreams = new Upstreams(ticker, host -> {
        throw new UnknownHostException(host);
    });
    private final ActiveConfig active = new ActiveConfig(List.of(upstreams));
    private final Map<Character, Integer> answers = new HashMap<>();
    private MethodSpec method = MethodSpec.ROUND_ROBIN;
    private @Nullable StickyConfig sticky;
    private ProxySettings settings = ProxySettings.DEFAULT;
    private boolean idempotent = true;

    Requests(List<ServerConfig> servers) {
        configure(servers);
    }

    Requests(ServerConfig... servers) {
        this(List.of(servers));
    }

    Requests method(String name) {
        return method(new MethodSpec(name, Map.of()));
    }

    /** Holds from the next configuration on. */
    Requests method(MethodSpec spec) {
        method = spec;
        return this;
    }

    /** Holds from the next configuration on. */
    Requests sticky(@Nullable StickyConfig config) {
        sticky = config;
        return this;
    }

    /** The conditions of {@code proxy_next_upstream}, and its tries. */
    Requests next(int tries, NextUpstream... conditions) {
        settings = settings(tries, conditions);
        return this;
    }

    static ProxySettings settings(int tries, NextUpstream... conditions) {
        ProxySettings d = ProxySettings.DEFAULT;
        return new ProxySettings(
                d.connectTimeout(),
                d.sendTimeout(),
                d.readTimeout(),
                Set.of(conditions),
                tries,
                d.nextUpstreamTimeout());
    }

    Requests post() {
        idempotent = false;
        return this;
    }

    void configure(List<ServerConfig> servers) {
        ProxyConfig current = active.current();
        active.prepare(new ProxyConfig(
                        current.revision() + 1,
                        List.of(new UpstreamConfig("g", method, sticky, KeepaliveConfig.DEFAULT, servers)),
                        List.of()))
                .commit();
    }

    void configure(ServerConfig... servers) {
        configure(List.of(servers));
    }

    UpstreamGroup group() {
        return Objects.requireNonNull(upstreams.group("g"));
    }

    PeerConnection open() {
        return group().open(settings);
    }

    PeerConnection open(RequestValues values) {
        return group().open(settings, values);
    }

    /** From now on {@code server} answers with this status, or {@link #REFUSES}; 200 unless told. */
    void answer(char server, int status) {
        answers.put(server, status);
    }

    /** One request; its attempts as {@code $upstream_addr} and {@code $upstream_status} show them: "a 502, b 200". */
    String request() {
        PeerConnection connection = open();
        for (Peer peer = connection.get(); peer != null; peer = connection.get()) {
            if (!attempt(connection, answers.getOrDefault(Servers.letter(peer.id()), 200))) {
                break;
            }
        }
        return attempts(connection);
    }

    /** Whether the request moves on. */
    private boolean attempt(PeerConnection connection, int status) {
        if (status == REFUSES) {
            connection.status(502);
            connection.free(Outcome.FAILED, FailureReason.CONNECT);
            return connection.mayRetry(NextUpstream.ERROR, false, true, idempotent);
        }
        connection.connected();
        connection.headerReceived(status);
        if (!connection.mayRetryStatus(status, true, true, idempotent)) {
            connection.free(Outcome.OK, null);
            return false;
        }
        boolean fault = status != 403 && status != 404;
        connection.free(fault ? Outcome.FAILED : Outcome.NEXT, fault ? FailureReason.HTTP_STATUS : null);
        return true;
    }

    static String attempts(PeerConnection connection) {
        StringJoiner text = new StringJoiner(", ");
        for (int i = 0; i < connection.attempts(); i++) {
            Attempt attempt = connection.attempt(i);
            String name = attempt.peerName();
            int port = name.indexOf(':');
            text.add((port < 0 ? name : Servers.letter(Integer.parseInt(name.substring(port + 1)) - 9000)) + " "
                    + attempt.status());
        }
        return text.toString();
    }

    /** So many requests; the letters of the peers that they went to last. */
    String served(int count) {
        StringBuilder letters = new StringBuilder();
        for (int i = 0; i < count; i++) {
            String request = request();
            letters.append(request.charAt(request.lastIndexOf(' ') - 1));
        }
        return letters.toString();
    }

    List<PeerSnapshot> peers() {
        return group().snapshot().peers();
    }

    PeerSnapshot peer(char letter) {
        return peers().stream()
                .filter(p -> Servers.letter(p.id()) == letter)
                .findFirst()
                .orElseThrow();
    }

    /** Current weight, effective weight and fails of each peer: {@code a -4,4,0; b 4,4,0}. */
    String state() {
        List<String> states = new ArrayList<>();
        for (PeerSnapshot p : peers()) {
            states.add(Servers.letter(p.id()) + " " + p.currentWeight() + "," + p.effectiveWeight() + "," + p.fails());
        }
        return String.join("; ", states);
    }

    void assertAtRest() {
        assertThat(peers()).allSatisfy(p -> assertThat(p.conns()).isZero());
        assertThat(group().snapshot().zombies()).isZero();
    }
}
