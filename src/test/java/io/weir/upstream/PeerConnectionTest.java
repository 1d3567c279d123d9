package io.weir.upstream;

import static io.weir.upstream.Requests.REFUSES;
import static io.weir.zone.Servers.down;
import static io.weir.zone.Servers.server;
import static io.weir.zone.Servers.weights;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.config.NextUpstream;
import io.weir.zone.Counts;
import io.weir.zone.FailureReason;
import io.weir.zone.GroupTotals;
import io.weir.zone.Peer;
import io.weir.zone.PeerTotals;
import io.weir.zone.Servers;
import io.weir.zone.ZoneSnapshot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** get, free, tries, the lone peer, backups, and changes of the group in between: spec sections 4.1 to 7. */
class PeerConnectionTest {

    private static char letter(@Nullable Peer peer) {
        return peer == null ? '-' : Servers.letter(peer.id());
    }

    private static void fail(PeerConnection connection) {
        connection.status(502);
        connection.free(Outcome.FAILED, FailureReason.CONNECT);
    }

    @Test
    void connsCountFromGetToFree() {
        Requests requests = new Requests(weights(1, 1));
        PeerConnection one = requests.open();
        assertThat(requests.peer('a').conns()).isZero();
        assertThat(letter(one.get())).isEqualTo('a');
        assertThat(requests.peer('a').conns()).isEqualTo(1);
        one.free(Outcome.OK, null);
        requests.assertAtRest();
    }

    /** Spec of streams, section 4: a session may last for days, so its connection alone clears what its peer has failed. */
    @Test
    void connectionOfASessionClearsFailuresBeforeItsEnd() {
        Requests requests = new Requests(weights(1, 1));
        PeerConnection failing = requests.open();
        failing.get();
        fail(failing);
        assertThat(requests.peer('a').fails()).isEqualTo(1);
        requests.ticker.advance(Duration.ofSeconds(11));
        List<PeerConnection> sessions = new ArrayList<>();
        do {
            sessions.add(requests.open());
        } while (letter(sessions.get(sessions.size() - 1).get()) != 'a');
        assertThat(requests.peer('a').fails()).as("before it is connected").isEqualTo(1);
        sessions.get(sessions.size() - 1).sessionConnected();
        assertThat(requests.peer('a').fails()).isZero();
        sessions.forEach(session -> session.free(Outcome.OK, null));
        requests.assertAtRest();
    }

    @Test
    void getWhileOpenAndFreeWithoutGetAreRefused() {
        Requests requests = new Requests(weights(1, 1));
        PeerConnection one = requests.open();
        assertThatThrownBy(() -> one.free(Outcome.OK, null)).isInstanceOf(IllegalStateException.class);
        one.get();
        assertThatThrownBy(one::get).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(one::refundTry).isInstanceOf(IllegalStateException.class);
        one.free(Outcome.OK, null);
        assertThatThrownBy(() -> one.free(Outcome.OK, null)).isInstanceOf(IllegalStateException.class);
        requests.assertAtRest();
    }

    @Test
    void failureNeedsAReasonAndLeavesTheAttemptOpenWithoutOne() {
        Requests requests = new Requests(weights(1, 1));
        PeerConnection one = requests.open();
        one.get();
        assertThatThrownBy(() -> one.free(Outcome.FAILED, null)).isInstanceOf(NullPointerException.class);
        one.free(Outcome.FAILED, FailureReason.TLS);
        requests.assertAtRest();
        assertThat(requests.peer('a').totals().failures(FailureReason.TLS)).isEqualTo(1);
    }

    @Test
    void attemptTellsWhatHappened() {
        Requests requests = new Requests(weights(1, 1));
        PeerConnection one = requests.open();
        one.get();
        Attempt attempt = one.attempt(0);
        assertThat(attempt.peerName()).isEqualTo("127.0.0.1:9000");
        assertThat(attempt.connectNanos()).isEqualTo(-1);
        assertThat(attempt.responseNanos()).isEqualTo(-1);
        requests.ticker.advanceSeconds(1);
        one.connected();
        requests.ticker.advanceSeconds(1);
        one.headerReceived(404);
        one.addBytes(100, 2000);
        one.addBytes(0, 500);
        one.addBodyBytes(2300);
        requests.ticker.advanceSeconds(1);
        one.free(Outcome.OK, null);

        assertThat(attempt.status()).isEqualTo(404);
        assertThat(Duration.ofNanos(attempt.connectNanos())).isEqualTo(Duration.ofSeconds(1));
        assertThat(Duration.ofNanos(attempt.headerNanos())).isEqualTo(Duration.ofSeconds(2));
        assertThat(Duration.ofNanos(attempt.responseNanos())).isEqualTo(Duration.ofSeconds(3));
        assertThat(attempt.bytesSent()).isEqualTo(100);
        assertThat(attempt.bytesReceived()).isEqualTo(2500);
        assertThat(attempt.bodyBytes()).isEqualTo(2300);

        PeerTotals totals = requests.peer('a').totals();
        assertThat(totals.requests()).isEqualTo(1);
        assertThat(totals.responses()).isEqualTo(Counts.copyOf(new long[] {0, 0, 0, 1, 0}));
        assertThat(totals.sentBytes()).isEqualTo(100);
        assertThat(totals.receivedBytes()).isEqualTo(2500);
        assertThat(totals.headerNanos()).isEqualTo(Duration.ofSeconds(2).toNanos());
        assertThat(totals.responseTimes().sumNanos())
                .isEqualTo(Duration.ofSeconds(3).toNanos());
    }

    @Test
    void statusThatStandsForAnErrorIsNotAResponse() {
        Requests requests = new Requests(weights(1, 1));
        requests.answer('a', REFUSES);
        assertThat(requests.request()).isEqualTo("a 502, b 200");
        PeerTotals totals = requests.peer('a').totals();
        assertThat(totals.responses().sum()).isZero();
        assertThat(totals.responseTimes().count()).isZero();
        assertThat(totals.failures(FailureReason.CONNECT)).isEqualTo(1);
    }

    @Test
    void nobodyEligibleIsAnAttemptThatBearsTheGroupsName() {
        Requests requests = new Requests(down(server('a')), down(server('b')));
        PeerConnection one = requests.open();
        assertThat(one.get()).isNull();
        assertThat(Requests.attempts(one)).isEqualTo("g 502");
        assertThat(one.attempt(0).responseNanos()).isZero();
        assertThat(requests.group().snapshot().totals().noPeer()).isEqualTo(1);
        assertThatThrownBy(() -> one.free(Outcome.OK, null)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void emptyGroupIsBusy() {
        assertThat(new Requests(List.of()).request()).isEqualTo("g 502");
    }

    // ---- the lone peer ----

    @Test
    void lonePeerIsNeverTakenOutAndNeverRetried() {
        Requests requests = new Requests(server('a'));
        requests.answer('a', REFUSES);
        for (int i = 0; i < 3; i++) {
            assertThat(requests.request()).isEqualTo("a 502");
        }
        assertThat(requests.peer('a').fails()).isZero();
        requests.assertAtRest();
    }

    @Test
    void lonePeerStillObeysMaxConnsAndDown() {
        Requests requests = new Requests(server('a').withMaxConns(1));
        PeerConnection one = requests.open();
        one.get();
        assertThat(requests.request()).isEqualTo("g 502");
        one.free(Outcome.OK, null);
        assertThat(requests.request()).isEqualTo("a 200");
        requests.configure(down(server('a')));
        assertThat(requests.request()).isEqualTo("g 502");
    }

    @Test
    void backupTurnsTheRuleForALonePeerOff() {
        Requests requests = new Requests(server('a'), server('b').withBackup(true));
        requests.answer('a', REFUSES);
        assertThat(requests.request()).isEqualTo("a 502, b 200");
        assertThat(requests.request()).isEqualTo("b 200");
        requests.configure(server('a'));
        assertThat(requests.request()).as("single again").isEqualTo("a 502");
    }

    @Test
    void staleCachedConnectionToALonePeerIsTriedAgain() {
        Requests requests = new Requests(server('a'));
        PeerConnection one = requests.open();
        for (int stale = 0; stale < 3; stale++) {
            assertThat(letter(one.get())).isEqualTo('a');
            fail(one);
            one.refundTry();
            assertThat(one.mayRetry(NextUpstream.ERROR, true, true, true)).isTrue();
        }
        assertThat(letter(one.get())).isEqualTo('a');
        one.headerReceived(200);
        one.free(Outcome.OK, null);
        assertThat(Requests.attempts(one)).isEqualTo("a 502, a 502, a 502, a 200");
        assertThat(requests.peer('a').fails()).isZero();
    }

    @Test
    void staleCachedConnectionsToTwoPeersTakeBothOut() {
        Requests requests = new Requests(weights(1, 1));
        PeerConnection one = requests.open();
        for (char expected : new char[] {'a', 'b'}) {
            assertThat(letter(one.get())).isEqualTo(expected);
            fail(one);
            one.refundTry();
            assertThat(one.mayRetry(NextUpstream.ERROR, true, true, true)).isTrue();
        }
        assertThat(one.get()).isNull();
        assertThat(Requests.attempts(one)).isEqualTo("a 502, b 502, g 502");
        assertThat(requests.request()).isEqualTo("g 502");
    }

    // ---- backups ----

    @Test
    void backupsTakeOverWhenNoPrimaryIsLeftAndAreBalanced() {
        Requests requests = new Requests(
                server('a'), server('b').withBackup(true), server('c').withBackup(true));
        assertThat(requests.served(3)).isEqualTo("aaa");
        requests.answer('a', REFUSES);
        assertThat(requests.request()).isEqualTo("a 502, b 200");
        assertThat(requests.served(4)).isEqualTo("cbcb");
    }

    @Test
    void requestOnTheBackupsStaysThere() {
        Requests requests = new Requests(
                server('a').withMaxConns(1),
                server('b').withBackup(true),
                server('c').withBackup(true));
        PeerConnection holder = requests.open();
        holder.get();
        PeerConnection one = requests.open();
        assertThat(letter(one.get())).isEqualTo('b');
        holder.free(Outcome.OK, null);
        fail(one);
        assertThat(letter(one.get())).as("a is free again").isEqualTo('c');
        fail(one);
        assertThat(one.get()).isNull();
    }

    @Test
    void backupsAreUsedByLeastConnToo() {
        Requests requests = new Requests().method("least_conn");
        requests.configure(
                down(server('a')), server('b').withBackup(true), server('c').withBackup(true));
        List<PeerConnection> held = new ArrayList<>();
        StringBuilder letters = new StringBuilder();
        for (int i = 0; i < 4; i++) {
            held.add(requests.open());
            letters.append(letter(held.get(i).get()));
        }
        assertThat(letters.toString()).isEqualTo("bccb");
        held.forEach(c -> c.free(Outcome.OK, null));
        requests.assertAtRest();
    }

    // ---- probing ----

    @Test
    void ofOverlappingRequestsOneProbes() {
        Requests requests = new Requests(weights(1, 1));
        requests.answer('a', REFUSES);
        assertThat(requests.request()).isEqualTo("a 502, b 200");
        requests.ticker.advanceSeconds(11);
        StringBuilder letters = new StringBuilder();
        List<PeerConnection> overlapping = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            PeerConnection one = requests.open();
            overlapping.add(one);
            letters.append(letter(one.get()));
        }
        assertThat(letters.chars().filter(c -> c == 'a')).hasSize(1);
        overlapping.forEach(c -> c.free(Outcome.OK, null));
        requests.answer('a', 200);
        assertThat(requests.served(4)).isEqualTo("baba");
        requests.assertAtRest();
    }

    // ---- the group changes ----

    @Test
    void retryAfterAChangeGoesOnAmongTheNewPeers() {
        Requests requests = new Requests(weights(1, 1));
        PeerConnection one = requests.open();
        assertThat(letter(one.get())).isEqualTo('a');
        requests.configure(server('c'), server('a'), server('d'));
        fail(one);
        assertThat(one.mayRetry(NextUpstream.ERROR, false, true, true)).isTrue();
        assertThat(letter(one.get()))
                .as("a has been tried and stands elsewhere now")
                .isEqualTo('c');
        one.free(Outcome.OK, null);
        requests.assertAtRest();
    }

    @Test
    void requestOnARemovedPeerEndsThereOrMovesOn() {
        Requests requests = new Requests(weights(1, 1));
        PeerConnection one = requests.open();
        PeerConnection two = requests.open();
        Peer a = Objects.requireNonNull(one.get());
        two.get();
        requests.configure(server('c'));
        ZoneSnapshot snapshot = requests.group().snapshot();
        assertThat(snapshot.zombies()).isEqualTo(2);
        assertThat(snapshot.single()).isTrue();
        assertThat(a.isRemoved()).isTrue();

        fail(one);
        assertThat(one.mayRetry(NextUpstream.ERROR, true, true, true)).isTrue();
        assertThat(letter(one.get())).isEqualTo('c');
        one.free(Outcome.OK, null);
        two.free(Outcome.OK, null);
        requests.assertAtRest();
        assertThat(requests.peer('c').totals().requests()).isEqualTo(1);
    }

    @Test
    void downAndDrainLeaveRequestsInProgressAlone() {
        Requests requests = new Requests(weights(1, 1));
        PeerConnection one = requests.open();
        assertThat(letter(one.get())).isEqualTo('a');
        requests.configure(down(server('a')), server('b'));
        assertThat(requests.served(3)).isEqualTo("bbb");
        assertThat(requests.peer('a').conns()).isEqualTo(1);
        one.headerReceived(200);
        one.free(Outcome.OK, null);
        requests.assertAtRest();
        assertThat(requests.peer('a').totals().responses().sum()).isEqualTo(1);
    }

    @Test
    void loweredMaxConnsCutsNobody() {
        Requests requests = new Requests(weights(1, 1));
        List<PeerConnection> held = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            held.add(requests.open());
            held.get(i).get();
        }
        requests.configure(server('a').withMaxConns(1), server('b'));
        assertThat(requests.peer('a').conns()).isEqualTo(3);
        assertThat(requests.served(3)).isEqualTo("bbb");
        held.forEach(c -> c.free(Outcome.OK, null));
        assertThat(requests.served(2)).contains("a");
        requests.assertAtRest();
    }

    // ---- what is counted for the group ----

    @Test
    void retriesAreCountedByHowTheyEnd() {
        Requests requests = new Requests(weights(1, 1, 1));
        requests.answer('a', REFUSES);
        assertThat(requests.request()).isEqualTo("a 502, b 200");
        assertThat(requests.group().snapshot().totals().retriesSucceeded()).isEqualTo(1);

        requests.answer('b', REFUSES);
        requests.answer('c', REFUSES);
        assertThat(requests.request()).isEqualTo("c 502, b 502, g 502");
        GroupTotals totals = requests.group().snapshot().totals();
        assertThat(totals.retriesSucceeded()).isEqualTo(1);
        assertThat(totals.retriesExhausted()).isEqualTo(1);
        assertThat(totals.noPeer()).isEqualTo(1);
    }

    @Test
    void requestsThatWereNotRetriedCountAsNeither() {
        Requests requests = new Requests(server('a'));
        requests.request();
        requests.answer('a', REFUSES);
        requests.request();
        GroupTotals totals = requests.group().snapshot().totals();
        assertThat(totals.retriesSucceeded()).isZero();
        assertThat(totals.retriesExhausted()).isZero();
    }
}
