package io.weir.zone;

import static io.weir.zone.Servers.server;
import static io.weir.zone.Servers.specs;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.config.ServerConfig;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Passive failure and max_conns of one peer: spec section 7. */
class PeerTest {

    private final FakeTicker ticker = new FakeTicker();
    private final Zone zone = new Zone("g");

    private Peer peer(ServerConfig config) {
        // a second peer, so that the rule for a lone one does not apply
        zone.reconcile(specs(config, server('b')), ticker.nanos());
        return zone.primary().peer(0);
    }

    private void succeed(Peer peer) {
        zone.acquire(peer, ticker.nanos());
        zone.release(peer, ticker.nanos(), null);
    }

    private void fail(Peer peer) {
        zone.acquire(peer, ticker.nanos());
        zone.release(peer, ticker.nanos(), FailureReason.CONNECT);
    }

    private boolean isAvailable(Peer peer) {
        return peer.isAvailable(Peer.second(ticker.nanos()));
    }

    private PeerSnapshot snapshot() {
        return zone.snapshot(ticker.nanos()).peers().get(0);
    }

    @Test
    void failedPeerReturnsAfterFailTimeout() {
        Peer peer = peer(server('a').withFails(1, "10s"));
        assertThat(isAvailable(peer)).isTrue();
        fail(peer);
        // 0.7 s into a second of the ticker
        assertThat(isAvailable(peer)).isFalse();
        ticker.advanceSeconds(10.29);
        assertThat(isAvailable(peer)).isFalse();
        ticker.advanceSeconds(0.02);
        assertThat(isAvailable(peer)).isTrue();
    }

    @Test
    void secondsAreThoseBelowAlsoBelowZero() {
        assertThat(Peer.second(-1)).isEqualTo(-1);
        assertThat(Peer.second(-1_000_000_000)).isEqualTo(-1);
        assertThat(Peer.second(-1_000_000_001)).isEqualTo(-2);
        assertThat(Peer.second(999_999_999)).isZero();
        assertThat(Peer.second(1_000_000_000)).isEqualTo(1);
    }

    @Test
    void onlyOneProbeInEachWindow() {
        Peer peer = peer(server('a').withFails(1, "10s"));
        fail(peer);
        ticker.advanceSeconds(11);
        assertThat(isAvailable(peer)).isTrue();
        zone.acquire(peer, ticker.nanos());
        assertThat(isAvailable(peer)).isFalse();
        ticker.advanceSeconds(10);
        assertThat(isAvailable(peer)).isFalse();
        // the probe hangs: after another window there is another
        ticker.advanceSeconds(1);
        assertThat(isAvailable(peer)).isTrue();
        zone.release(peer, ticker.nanos(), null);
        assertThat(snapshot().fails()).isZero();
    }

    @Test
    void failedProbeStartsTheWindowAnew() {
        Peer peer = peer(server('a').withFails(1, "10s"));
        fail(peer);
        ticker.advanceSeconds(11);
        fail(peer);
        assertThat(isAvailable(peer)).isFalse();
        assertThat(snapshot().fails()).isEqualTo(2);
        ticker.advanceSeconds(11);
        succeed(peer);
        assertThat(isAvailable(peer)).isTrue();
        assertThat(snapshot().fails()).isZero();
    }

    @Test
    void failuresAddUpWhileTheGapsAreNotLongerThanFailTimeout() {
        Peer peer = peer(server('a').withFails(3, "10s"));
        fail(peer);
        ticker.advanceSeconds(8);
        fail(peer);
        assertThat(isAvailable(peer)).isTrue();
        ticker.advanceSeconds(8);
        fail(peer);
        assertThat(isAvailable(peer)).isFalse();
    }

    @Test
    void successBetweenTwoFailuresDoesNotClearThem() {
        Peer peer = peer(server('a').withFails(2, "3s"));
        fail(peer);
        ticker.advanceSeconds(1);
        succeed(peer);
        ticker.advanceSeconds(1.2);
        fail(peer);
        assertThat(isAvailable(peer)).isFalse();
    }

    @Test
    void successLaterThanFailTimeoutClears() {
        Peer peer = peer(server('a').withFails(2, "3s"));
        fail(peer);
        ticker.advanceSeconds(4);
        succeed(peer);
        assertThat(snapshot().fails()).isZero();
        fail(peer);
        assertThat(isAvailable(peer)).isTrue();
    }

    @Test
    void maxFailsZeroNeverTakesItOutNorLowersItsWeight() {
        Peer peer = peer(server('a', 4).withFails(0, "10s"));
        for (int i = 0; i < 5; i++) {
            fail(peer);
        }
        assertThat(isAvailable(peer)).isTrue();
        assertThat(snapshot().effectiveWeight()).isEqualTo(4);
        assertThat(snapshot().state()).isEqualTo(PeerState.UP);
    }

    @Test
    void failTimeoutZeroLeavesItOutForTheRestOfTheSecond() {
        Peer peer = peer(server('a').withFails(1, "0s"));
        fail(peer);
        assertThat(isAvailable(peer)).isFalse();
        ticker.advanceSeconds(1);
        assertThat(isAvailable(peer)).isTrue();
    }

    @Test
    void failureLowersTheEffectiveWeightByWholeShares() {
        Peer peer = peer(server('a', 10).withFails(3, "10s"));
        fail(peer);
        assertThat(snapshot().effectiveWeight()).isEqualTo(7);
        fail(peer);
        fail(peer);
        assertThat(snapshot().effectiveWeight()).isEqualTo(1);
        fail(peer);
        assertThat(snapshot().effectiveWeight()).isZero();
    }

    @Test
    void maxConnsCountsAttemptsInProgress() {
        Peer peer = peer(server('a').withMaxConns(2));
        zone.acquire(peer, ticker.nanos());
        assertThat(isAvailable(peer)).isTrue();
        zone.acquire(peer, ticker.nanos());
        assertThat(isAvailable(peer)).isFalse();
        assertThat(snapshot().reasons()).isEqualTo(Set.of(PeerReason.MAX_CONNS));
        zone.release(peer, ticker.nanos(), null);
        assertThat(isAvailable(peer)).isTrue();
    }

    @Test
    void lonePeerIsNeverTakenOut() {
        zone.reconcile(specs(server('a', 3)), ticker.nanos());
        Peer peer = zone.primary().peer(0);
        fail(peer);
        assertThat(isAvailable(peer)).isTrue();
        assertThat(snapshot().fails()).isZero();
        assertThat(snapshot().effectiveWeight()).isEqualTo(3);
        assertThat(snapshot().totals().failures(FailureReason.CONNECT)).isEqualTo(1);
    }

    @Test
    void unavailableIsAStateThatEndsWithASuccess() {
        Peer peer = peer(server('a').withFails(2, "10s"));
        fail(peer);
        assertThat(snapshot().state()).isEqualTo(PeerState.UP);
        ticker.advanceSeconds(1);
        fail(peer);
        assertThat(snapshot().state()).isEqualTo(PeerState.UNAVAIL);
        assertThat(snapshot().reasons()).isEqualTo(Set.of(PeerReason.MAX_FAILS));
        assertThat(snapshot().eligible()).isFalse();
        assertThat(snapshot().totals().unavailable()).isEqualTo(1);

        ticker.advanceSeconds(20);
        assertThat(snapshot().state()).isEqualTo(PeerState.UNAVAIL);
        assertThat(snapshot().eligible()).isTrue();
        assertThat(snapshot().reasons()).isEmpty();
        assertThat(snapshot().totals().downNanos())
                .isEqualTo(Duration.ofSeconds(20).toNanos());
        fail(peer);
        assertThat(snapshot().totals().unavailable())
                .as("a failed probe is the same outage")
                .isEqualTo(1);

        ticker.advanceSeconds(11);
        succeed(peer);
        ticker.advanceSeconds(5);
        assertThat(snapshot().state()).isEqualTo(PeerState.UP);
        assertThat(snapshot().totals().downNanos())
                .isEqualTo(Duration.ofSeconds(31).toNanos());
        assertThat(snapshot().stateChangedAgoNanos())
                .isEqualTo(Duration.ofSeconds(5).toNanos());
    }

    @Test
    void tellsHowLongItIsLeftAlone() {
        Peer peer = peer(server('a').withFails(1, "10s"));
        assertThat(snapshot().unavailableForNanos()).isZero();
        fail(peer);
        long left = snapshot().unavailableForNanos();
        assertThat(left).isEqualTo(Duration.ofMillis(10_300).toNanos());
        ticker.advance(Duration.ofNanos(left - 1));
        assertThat(isAvailable(peer)).isFalse();
        ticker.advance(Duration.ofNanos(1));
        assertThat(isAvailable(peer)).isTrue();
        assertThat(snapshot().unavailableForNanos()).isZero();
    }

    @Test
    void tellsWhenItWasPicked() {
        Peer peer = peer(server('a'));
        assertThat(snapshot().selectedAgoNanos()).isEqualTo(-1);
        succeed(peer);
        ticker.advanceSeconds(3);
        assertThat(snapshot().selectedAgoNanos())
                .isEqualTo(Duration.ofSeconds(3).toNanos());
        assertThat(snapshot().totals().requests()).isEqualTo(1);
    }

    @Test
    void countsResponsesAndTransfer() {
        Peer peer = peer(server('a'));
        peer.countTransfer(10, 200);
        peer.countResponse(204, 3_000_000, 7_000_000);
        peer.countResponse(503, 1_000_000, 20_000_000_000L);
        peer.countResponse(999, 1_000_000, 5_000_000);
        PeerTotals totals = snapshot().totals();
        assertThat(totals.responses()).isEqualTo(Counts.copyOf(new long[] {0, 1, 0, 0, 2}));
        assertThat(totals.sentBytes()).isEqualTo(10);
        assertThat(totals.receivedBytes()).isEqualTo(200);
        assertThat(totals.headers()).isEqualTo(3);
        assertThat(totals.headerNanos()).isEqualTo(5_000_000);
        assertThat(totals.responseTimes().buckets())
                .isEqualTo(Counts.copyOf(new long[] {1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}));
        assertThat(totals.responseTimes().sumNanos()).isEqualTo(20_012_000_000L);
        assertThat(totals.responseTimes().count()).isEqualTo(3);
    }
}
