package io.weir.upstream;

import static io.weir.zone.Servers.server;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.config.GroupProtocol;
import io.weir.config.MethodSpec;
import io.weir.config.ProxySettings;
import io.weir.config.RequestValues;
import io.weir.config.ServerConfig;
import io.weir.config.StreamSettings;
import io.weir.config.UpstreamConfig;
import io.weir.zone.FailureReason;
import io.weir.zone.PeerTotals;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Sessions of streams at groups of theirs. */
class SessionTest {

    private final Groups groups = new Groups();

    private static UpstreamConfig streams(MethodSpec method, ServerConfig... servers) {
        return UpstreamConfig.ofStream("x", method, List.of(servers));
    }

    private PeerConnection open() {
        return groups.group("x").open(StreamSettings.DEFAULT, RequestValues.NONE);
    }

    private PeerTotals totals(int peer) {
        return groups.group("x").snapshot().peers().get(peer).totals();
    }

    @Test
    void sessionCountsWithItsTimesAndNoResponse() {
        groups.configure(streams(MethodSpec.ROUND_ROBIN, server('a'), server('b')));
        PeerConnection session = open();
        session.get();
        groups.ticker.advanceSeconds(1);
        session.connected();
        groups.ticker.advanceSeconds(2);
        session.firstByteReceived();
        session.addBytes(10, 20);
        groups.ticker.advanceSeconds(3);
        session.status(200);
        session.free(Outcome.OK, null);
        PeerTotals a = totals(0);
        assertThat(a.requests()).isEqualTo(1);
        assertThat(a.connects()).isEqualTo(1);
        assertThat(a.connectNanos()).isEqualTo(1_000_000_000L);
        assertThat(a.headers()).isEqualTo(1);
        assertThat(a.headerNanos()).isEqualTo(3_000_000_000L);
        assertThat(a.responseTimes().count()).isEqualTo(1);
        assertThat(a.responseTimes().sumNanos()).isEqualTo(6_000_000_000L);
        assertThat(a.responses().sum()).isZero();
        assertThat(a.sentBytes()).isEqualTo(10);
        assertThat(a.receivedBytes()).isEqualTo(20);
    }

    @Test
    void silentPeerHasASessionTimeAndNoFirstByte() {
        groups.configure(streams(MethodSpec.ROUND_ROBIN, server('a'), server('b')));
        PeerConnection session = open();
        session.get();
        session.connected();
        groups.ticker.advanceSeconds(2);
        session.status(200);
        session.free(Outcome.OK, null);
        assertThat(totals(0).headers()).isZero();
        assertThat(totals(0).responseTimes().sumNanos()).isEqualTo(2_000_000_000L);
    }

    @Test
    void attemptThatDidNotConnectHasNoTimes() {
        groups.configure(streams(MethodSpec.ROUND_ROBIN, server('a'), server('b')));
        PeerConnection session = open();
        session.get();
        session.status(502);
        session.free(Outcome.FAILED, FailureReason.CONNECT);
        session.get();
        session.connected();
        session.status(200);
        session.free(Outcome.OK, null);
        assertThat(totals(0).connects()).isZero();
        assertThat(totals(0).responseTimes().count()).isZero();
        assertThat(totals(0).failures(FailureReason.CONNECT)).isEqualTo(1);
        assertThat(totals(1).connects()).isEqualTo(1);
        assertThat(groups.group("x").snapshot().totals().retriesSucceeded())
                .as("a session has got what it wants once it is connected")
                .isEqualTo(1);
    }

    @Test
    void leastTimeByConnectLearnsWhenTheConnectionIsThere() {
        groups.configure(streams(
                new MethodSpec("least_time", Map.of("by", "connect", "inflight", true)), server('a'), server('b')));
        PeerConnection slow = open();
        slow.get();
        groups.ticker.advanceSeconds(1);
        slow.connected();
        assertThat(groups.peer("x", 0).times().connectMillis()).isEqualTo(1000);
        slow.free(Outcome.OK, null);
        assertThat(groups.peer("x", 0).times().connectMillis())
                .as("counted once")
                .isEqualTo(1000);
        for (int i = 0; i < 3; i++) {
            PeerConnection session = open();
            assertThat(session.get()).isSameAs(groups.peer("x", 1));
            session.connected();
            session.free(Outcome.OK, null);
        }
    }

    @Test
    void anotherProtocolMakesAnotherGroup() {
        groups.configure(Groups.config("x", server('a')));
        UpstreamGroup http = groups.group("x");
        PeerConnection request = http.open(ProxySettings.DEFAULT);
        request.get();
        groups.configure(streams(MethodSpec.ROUND_ROBIN, server('a')));
        UpstreamGroup stream = groups.group("x");
        assertThat(stream).isNotSameAs(http);
        assertThat(stream.protocol()).isEqualTo(GroupProtocol.STREAM);
        assertThat(stream.snapshot().protocol()).isEqualTo(GroupProtocol.STREAM);
        assertThat(stream.snapshot().peers().get(0).totals().requests()).isZero();
        assertThat(http.isClosed()).isTrue();
        request.free(Outcome.OK, null);
        assertThat(http.snapshot().peers().get(0).conns()).isZero();
    }
}
