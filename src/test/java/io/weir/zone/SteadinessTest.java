package io.weir.zone;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.config.AdminState;
import io.weir.config.ServerConfig;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What a peer remembers of its being steady never differs from what its state says. */
class SteadinessTest {

    private final Random random = new Random(7);
    private final FakeTicker ticker = new FakeTicker();
    private final Zone zone = new Zone("g");
    private final List<Peer> held = new ArrayList<>();

    private ServerConfig server(int id) {
        ServerConfig server = Servers.server((char) ('a' + id), 1 + random.nextInt(9))
                .withFails(random.nextInt(4), random.nextInt(4) + "s")
                .withMaxConns(random.nextInt(3))
                .withState(AdminState.values()[random.nextInt(4) == 0 ? random.nextInt(3) : AdminState.UP.ordinal()]);
        return random.nextInt(4) == 0 ? Servers.slowStart(server, "3s") : server;
    }

    private void step() {
        switch (random.nextInt(20)) {
            case 0 -> {
                List<ServerConfig> servers = new ArrayList<>();
                for (int id = random.nextInt(3); id < 6; id++) {
                    servers.add(server(id));
                }
                zone.reconcile(Servers.specs(servers), ticker.nanos());
            }
            case 1, 2, 3 -> ticker.advanceSeconds(random.nextInt(6) / 4.0);
            case 4, 5, 6, 7, 8, 9 -> {
                if (!held.isEmpty()) {
                    Collections.shuffle(held, random);
                    FailureReason failure = random.nextInt(3) == 0 ? FailureReason.RESET : null;
                    zone.release(held.remove(0), ticker.nanos(), failure);
                }
            }
            default -> {
                Peer peer = zone.primary().peer(random.nextInt(zone.primary().size()));
                if (peer.isAvailable(Peer.second(ticker.nanos()))) {
                    zone.acquire(peer, ticker.nanos());
                    held.add(peer);
                }
            }
        }
    }

    @Test
    void availabilityAndGainAreThoseOfTheState() {
        zone.reconcile(Servers.specs(Servers.weights(3, 1, 2, 5)), ticker.nanos());
        EnumSet<PeerReason> keepOut =
                EnumSet.of(PeerReason.ADMIN_DOWN, PeerReason.DRAINING, PeerReason.MAX_FAILS, PeerReason.MAX_CONNS);
        int out = 0;
        for (int i = 0; i < 50_000; i++) {
            step();
            for (Peer peer : zone.primary().peers()) {
                PeerSnapshot state = peer.snapshot(ticker.nanos(), false);
                boolean available = Collections.disjoint(state.reasons(), keepOut);
                assertThat(peer.isAvailable(Peer.second(ticker.nanos()))).isEqualTo(available);
                out += available ? 0 : 1;
                if (available && random.nextInt(4) == 0) {
                    assertThat(peer.gainWeight(ticker.nanos())).isEqualTo(state.effectiveWeight());
                }
            }
        }
        assertThat(out).isGreaterThan(1000);
    }
}
