package io.weir.zone;

import static io.weir.zone.Servers.address;
import static io.weir.zone.Servers.down;
import static io.weir.zone.Servers.server;
import static io.weir.zone.Servers.specs;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.config.AdminState;
import io.weir.config.ServerConfig;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What a change of the configuration keeps: spec zone-and-dynamic sections 3 and 5.1. */
class ZoneTest {

    private final FakeTicker ticker = new FakeTicker();
    private final Zone zone = new Zone("g");

    private List<Peer> reconcile(ServerConfig... servers) {
        return zone.reconcile(specs(servers), ticker.nanos());
    }

    private PeerSnapshot snapshot(int index) {
        return zone.snapshot(ticker.nanos()).peers().get(index);
    }

    private void fail(Peer peer) {
        zone.acquire(peer, ticker.nanos());
        zone.release(peer, ticker.nanos(), FailureReason.RESET);
    }

    @Test
    void peersThatStayKeepEverything() {
        reconcile(server('a', 2).withFails(2, "10s"), server('b'));
        Peer a = zone.primary().peer(0);
        zone.acquire(a, ticker.nanos());
        fail(a);
        a.gainWeight(ticker.nanos());

        assertThat(reconcile(server('c'), server('b'), server('a', 2).withFails(2, "10s")))
                .isEmpty();
        assertThat(zone.primary().peer(2)).isSameAs(a);
        assertThat(a.conns()).isEqualTo(1);
        assertThat(a.currentWeight()).isEqualTo(1);
        assertThat(snapshot(2).fails()).isEqualTo(1);
        assertThat(snapshot(2).effectiveWeight()).isEqualTo(2);
        assertThat(snapshot(2).totals().requests()).isEqualTo(2);
    }

    @Test
    void anotherAddressIsAnotherPeer() {
        reconcile(server('a'), server('b'));
        Peer a = zone.primary().peer(0);
        assertThat(reconcile(ServerConfig.of(0, "127.0.0.1:7777"), server('b'))).containsExactly(a);
        assertThat(a.isRemoved()).isTrue();
        assertThat(zone.primary().peer(0).name()).isEqualTo("127.0.0.1:7777");
    }

    @Test
    void theLoadOfAServerIsThatOfAllItsPeers() {
        PeerSpec first = new PeerSpec(server('a'), address("127.0.0.1", 9000));
        PeerSpec second = new PeerSpec(server('a'), address("127.0.0.2", 9000));
        zone.reconcile(
                List.of(first, second, new PeerSpec(server('b').withBackup(true), address("127.0.0.1", 9001))),
                ticker.nanos());
        assertThat(zone.load(0)).isEqualTo(ServerLoad.NONE);
        zone.acquire(zone.primary().peer(0), ticker.nanos());
        zone.acquire(zone.primary().peer(1), ticker.nanos());
        zone.acquire(zone.backup().peer(0), ticker.nanos());
        zone.release(zone.primary().peer(0), ticker.nanos(), null);
        assertThat(zone.load(0)).isEqualTo(new ServerLoad(1, 2));
        assertThat(zone.load(1)).isEqualTo(new ServerLoad(1, 1));
        assertThat(zone.load(7)).isEqualTo(ServerLoad.NONE);
    }

    @Test
    void anotherIdIsAnotherPeer() {
        reconcile(server('a'), server('b'));
        Peer a = zone.primary().peer(0);
        reconcile(ServerConfig.of(9, "127.0.0.1:9000"), server('b'));
        assertThat(a.isRemoved()).isTrue();
        assertThat(zone.primary().peer(0)).isNotSameAs(a);
    }

    @Test
    void textMayChangeWithoutTheAddress() {
        ServerConfig before = ServerConfig.of(0, "LOCALHOST");
        ServerConfig after = ServerConfig.of(0, "localhost:80");
        zone.reconcile(List.of(new PeerSpec(before, address("127.0.0.1", 80))), ticker.nanos());
        Peer peer = zone.primary().peer(0);
        zone.reconcile(List.of(new PeerSpec(after, address("127.0.0.1", 80))), ticker.nanos());
        assertThat(zone.primary().peer(0)).isSameAs(peer);
        assertThat(peer.server()).isEqualTo("localhost:80");
    }

    @Test
    void sameAddressTwiceIsTwoPeersThatBothStay() {
        ServerConfig one = ServerConfig.of(0, "127.0.0.1:9000");
        PeerSpec spec = new PeerSpec(one, address("127.0.0.1", 9000));
        zone.reconcile(List.of(spec, spec), ticker.nanos());
        Peer first = zone.primary().peer(0);
        Peer second = zone.primary().peer(1);
        assertThat(zone.reconcile(List.of(spec, spec), ticker.nanos())).isEmpty();
        assertThat(zone.primary().peer(0)).isSameAs(first);
        assertThat(zone.primary().peer(1)).isSameAs(second);
        assertThat(zone.reconcile(List.of(spec), ticker.nanos())).containsExactly(second);
    }

    @Test
    void removedPeerIsAZombieUntilItsLastAttemptEnds() {
        reconcile(server('a'), server('b'));
        Peer a = zone.primary().peer(0);
        zone.acquire(a, ticker.nanos());
        zone.acquire(a, ticker.nanos());
        reconcile(server('b'));
        assertThat(zone.snapshot(ticker.nanos()).zombies()).isEqualTo(1);
        zone.release(a, ticker.nanos(), null);
        assertThat(zone.snapshot(ticker.nanos()).zombies()).isEqualTo(1);
        zone.release(a, ticker.nanos(), FailureReason.RESET);
        assertThat(zone.snapshot(ticker.nanos()).zombies()).isZero();
        assertThat(a.conns()).isZero();
        reconcile(server('a'), server('b'));
        assertThat(zone.primary().peer(0)).as("comes back as a new one").isNotSameAs(a);
        assertThat(snapshot(0).totals().requests()).isZero();
    }

    @Test
    void weightChangeOfAHealthyPeer() {
        reconcile(server('a', 4), server('b'));
        zone.primary().peer(0).gainWeight(ticker.nanos());
        reconcile(server('a', 9), server('b'));
        assertThat(snapshot(0).weight()).isEqualTo(9);
        assertThat(snapshot(0).effectiveWeight()).isEqualTo(9);
        assertThat(snapshot(0).currentWeight()).isEqualTo(4);
        assertThat(zone.primary().totalWeight()).isEqualTo(10);
    }

    @Test
    void weightChangeOfAPeerWithFailures() {
        ServerConfig a = server('a', 9).withFails(3, "10s");
        reconcile(a, server('b'));
        fail(zone.primary().peer(0));
        assertThat(snapshot(0).effectiveWeight()).isEqualTo(6);
        reconcile(a.withWeight(20), server('b'));
        assertThat(snapshot(0).effectiveWeight()).isEqualTo(6);
        reconcile(a.withWeight(2), server('b'));
        assertThat(snapshot(0).effectiveWeight()).isEqualTo(2);
    }

    @Test
    void triesCountWhatTheOperatorWantsUp() {
        reconcile(
                server('a'),
                down(server('b')),
                server('c').withState(AdminState.DRAIN),
                server('d').withBackup(true),
                down(server('e').withBackup(true)));
        assertThat(zone.tries()).isEqualTo(2);
        assertThat(zone.primary().size()).isEqualTo(3);
        assertThat(zone.backup().size()).isEqualTo(2);
        assertThat(zone.primary().totalWeight())
                .as("those that are down keep their slots")
                .isEqualTo(3);
        fail(zone.primary().peer(0));
        assertThat(zone.tries()).as("failures do not change it").isEqualTo(2);
    }

    @Test
    void singleIsOnePrimaryAndNothingElse() {
        reconcile(server('a'));
        assertThat(zone.isSingle()).isTrue();
        reconcile(server('a'), server('b').withBackup(true));
        assertThat(zone.isSingle()).isFalse();
        reconcile(server('b').withBackup(true));
        assertThat(zone.isSingle()).isFalse();
        reconcile(server('a'), server('b'));
        assertThat(zone.isSingle()).isFalse();
        reconcile();
        assertThat(zone.isSingle()).isFalse();
    }

    @Test
    void failuresAreIgnoredOnceThePeerIsAlone() {
        reconcile(server('a'), server('b').withBackup(true));
        Peer a = zone.primary().peer(0);
        fail(a);
        assertThat(a.isAvailable(Peer.second(ticker.nanos()))).isFalse();
        reconcile(server('a'));
        assertThat(a.isAvailable(Peer.second(ticker.nanos()))).isTrue();
        assertThat(snapshot(0).state()).isEqualTo(PeerState.UP);
    }

    @Test
    void peerThatChangesItsTierBeginsThereAtZero() {
        reconcile(server('a'), server('b'));
        Peer b = zone.primary().peer(1);
        b.gainWeight(ticker.nanos());
        reconcile(server('a'), server('b').withBackup(true));
        assertThat(zone.backup().peer(0)).isSameAs(b);
        assertThat(b.currentWeight()).isZero();
    }

    @Test
    void statesAndReasons() {
        reconcile(
                server('a'),
                down(server('b')),
                server('c').withState(AdminState.DRAIN),
                server('d').withBackup(true));
        ZoneSnapshot snapshot = zone.snapshot(ticker.nanos());
        assertThat(snapshot.peers())
                .extracting(PeerSnapshot::state)
                .containsExactly(PeerState.UP, PeerState.DOWN, PeerState.DRAINING, PeerState.UP);
        assertThat(snapshot.peers())
                .extracting(PeerSnapshot::reasons)
                .containsExactly(
                        Set.of(),
                        Set.of(PeerReason.ADMIN_DOWN),
                        Set.of(PeerReason.DRAINING),
                        Set.of(PeerReason.BACKUP_STANDBY));
        assertThat(snapshot.peers()).extracting(PeerSnapshot::eligible).containsExactly(true, false, false, true);

        fail(zone.primary().peer(0));
        assertThat(snapshot(3).reasons()).as("the backup serves now").isEmpty();
    }

    @Test
    void downOutranksUnavailable() {
        reconcile(server('a'), server('b'));
        fail(zone.primary().peer(0));
        reconcile(down(server('a')), server('b'));
        assertThat(snapshot(0).state()).isEqualTo(PeerState.DOWN);
        reconcile(server('a').withState(AdminState.DRAIN), server('b'));
        assertThat(snapshot(0).state()).isEqualTo(PeerState.UNAVAIL);
        assertThat(snapshot(0).reasons()).isEqualTo(Set.of(PeerReason.DRAINING, PeerReason.MAX_FAILS));
    }

    @Test
    void higherMaxFailsLetsAFailedPeerBackIn() {
        reconcile(server('a'), server('b'));
        fail(zone.primary().peer(0));
        reconcile(server('a').withFails(3, "10s"), server('b'));
        assertThat(snapshot(0).eligible()).isTrue();
        assertThat(snapshot(0).state()).isEqualTo(PeerState.UP);
        assertThat(snapshot(0).fails()).isEqualTo(1);
    }

    @Test
    void snapshotHoldsEveryPeerOfALargeGroupInOrder() {
        zone.reconcile(
                IntStream.range(0, 1_000)
                        .mapToObj(i -> new PeerSpec(
                                ServerConfig.of(i, "10.0.0.1:" + (1000 + i)).withBackup(i >= 900),
                                address("10.0.0.1", 1000 + i)))
                        .toList(),
                ticker.nanos());
        zone.revision(7);
        ZoneSnapshot snapshot = zone.snapshot(ticker.nanos());
        assertThat(snapshot.peers()).extracting(PeerSnapshot::id).containsExactlyElementsOf(range(1_000));
        assertThat(snapshot.revision()).isEqualTo(7);
        assertThat(snapshot.group()).isEqualTo("g");
    }

    private static List<Integer> range(int end) {
        return IntStream.range(0, end).boxed().toList();
    }

    @Test
    void groupCounters() {
        zone.counters().request(200, 30_000_000);
        zone.counters().request(499, 30_000_000);
        zone.counters().request(0, 1);
        zone.counters().retried(true);
        zone.counters().retried(false);
        zone.counters().noPeer();
        GroupTotals totals = zone.snapshot(ticker.nanos()).totals();
        assertThat(totals.requests()).isEqualTo(Counts.copyOf(new long[] {0, 1, 0, 1, 0}));
        assertThat(totals.durations().count()).isEqualTo(3);
        assertThat(totals.durations().sumNanos()).isEqualTo(60_000_001);
        assertThat(totals.retriesSucceeded()).isEqualTo(1);
        assertThat(totals.retriesExhausted()).isEqualTo(1);
        assertThat(totals.noPeer()).isEqualTo(1);
    }
}
