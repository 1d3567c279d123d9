package io.weir.upstream;

import static io.weir.config.NextUpstream.ERROR;
import static io.weir.config.NextUpstream.HTTP_404;
import static io.weir.config.NextUpstream.HTTP_503;
import static io.weir.config.NextUpstream.NON_IDEMPOTENT;
import static io.weir.config.NextUpstream.OFF;
import static io.weir.config.NextUpstream.TIMEOUT;
import static io.weir.upstream.Requests.REFUSES;
import static io.weir.zone.Servers.weights;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.config.NextUpstream;
import io.weir.config.ProxySettings;
import io.weir.config.TimeSpan;
import io.weir.zone.FailureReason;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whether a request moves on: proxying spec, section 5. */
class NextUpstreamTest {

    private Requests requests = new Requests(weights(1, 1));

    /** A request whose first attempt has just been freed as failed. */
    private PeerConnection failedOnce() {
        PeerConnection connection = requests.open();
        connection.get();
        connection.free(Outcome.FAILED, FailureReason.RESET);
        return connection;
    }

    // ---- 5.1 ----

    @ParameterizedTest
    @CsvSource({
        // condition, sending began, replayable, idempotent, moves on
        "ERROR, false, true, true, true",
        "ERROR, true, true, true, true",
        "TIMEOUT, true, true, true, true",
        "INVALID_HEADER, true, true, true, false",
        "ERROR, false, true, false, true",
        "ERROR, true, true, false, false",
        "ERROR, false, false, true, true",
        "ERROR, true, false, true, false"
    })
    void errorAndTimeoutAreListedByDefault(
            NextUpstream condition, boolean sendingBegan, boolean replayable, boolean idempotent, boolean moves) {
        assertThat(failedOnce().mayRetry(condition, sendingBegan, replayable, idempotent))
                .isEqualTo(moves);
    }

    @Test
    void nonIdempotentLetsAPostMoveOn() {
        requests.next(0, ERROR, NON_IDEMPOTENT);
        assertThat(failedOnce().mayRetry(ERROR, true, true, false)).isTrue();
        assertThat(failedOnce().mayRetry(TIMEOUT, true, true, false)).isFalse();
        requests.next(0, ERROR);
        requests.ticker.advanceSeconds(11);
        assertThat(failedOnce().mayRetry(ERROR, true, true, false)).isFalse();
    }

    @Test
    void methodsThatMayBeSentTwice() {
        assertThat(PeerConnection.isIdempotent("GET")).isTrue();
        assertThat(PeerConnection.isIdempotent("PUT")).isTrue();
        assertThat(PeerConnection.isIdempotent("DELETE")).isTrue();
        assertThat(PeerConnection.isIdempotent("BREW")).isTrue();
        assertThat(PeerConnection.isIdempotent("POST")).isFalse();
        assertThat(PeerConnection.isIdempotent("LOCK")).isFalse();
        assertThat(PeerConnection.isIdempotent("PATCH")).isFalse();
    }

    @Test
    void offMovesNobodyButTheFailureCounts() {
        requests.next(0, OFF);
        assertThat(failedOnce().mayRetry(ERROR, false, true, true)).isFalse();
        assertThat(requests.peer('a').fails()).isEqualTo(1);
    }

    @Test
    void noMoreAttemptsOnceTheTimeIsUp() {
        ProxySettings d = ProxySettings.DEFAULT;
        ProxySettings limited = new ProxySettings(
                d.connectTimeout(), d.sendTimeout(), d.readTimeout(), Set.of(TIMEOUT), 0, TimeSpan.parse("1500ms"));
        requests = new Requests(weights(1, 1, 1));
        PeerConnection connection = requests.group().open(limited);
        connection.get();
        requests.ticker.advanceSeconds(1);
        connection.free(Outcome.FAILED, FailureReason.READ_TIMEOUT);
        assertThat(connection.mayRetry(TIMEOUT, true, true, true)).isTrue();
        connection.get();
        requests.ticker.advanceSeconds(1);
        connection.free(Outcome.FAILED, FailureReason.READ_TIMEOUT);
        assertThat(connection.mayRetry(TIMEOUT, true, true, true)).isFalse();
    }

    @Test
    void triesCapTheAttempts() {
        requests = new Requests(weights(1, 1, 1)).next(2, ERROR);
        requests.answer('a', REFUSES);
        requests.answer('b', REFUSES);
        assertThat(requests.request()).isEqualTo("a 502, b 502");
    }

    @Test
    void refundedTryDoesNotUseUpTheCap() {
        requests = new Requests(weights(1, 1, 1)).next(1, ERROR);
        PeerConnection connection = failedOnce();
        assertThat(connection.mayRetry(ERROR, true, true, true)).isFalse();
        connection.refundTry();
        assertThat(connection.mayRetry(ERROR, true, true, true)).isTrue();
    }

    // ---- 5.2 and 5.3 ----

    @Test
    void bothReturnAListedStatus() {
        requests.next(0, HTTP_503);
        requests.answer('a', 503);
        requests.answer('b', 503);
        assertThat(requests.request()).isEqualTo("a 503, b 503");
        assertThat(requests.peer('a').fails()).isEqualTo(1);
        assertThat(requests.peer('b').fails()).as("the last is not counted").isZero();
        assertThat(requests.group().snapshot().totals().retriesExhausted()).isEqualTo(1);

        // a is out, but counts among the tries, so b's answer is dropped for nothing
        assertThat(requests.request()).isEqualTo("b 503, g 502");
        assertThat(requests.peer('b').fails()).isEqualTo(1);
        assertThat(requests.request()).isEqualTo("g 502");
    }

    @Test
    void listed404DoesNotCountAsAFailure() {
        requests.next(0, ERROR, HTTP_404);
        requests.answer('a', REFUSES);
        requests.answer('b', 404);
        assertThat(requests.request()).isEqualTo("a 502, b 404");
        assertThat(requests.request()).isEqualTo("b 404, g 502");
        assertThat(requests.peer('b').fails()).isZero();
    }

    @Test
    void unlistedStatusIsDelivered() {
        requests.answer('a', 503);
        assertThat(requests.request()).isEqualTo("a 503");
        assertThat(requests.peer('a').fails()).isZero();
        assertThat(requests.peer('a').totals().responses().get(4)).isEqualTo(1);
    }

    @Test
    void listedStatusToAPostIsDelivered() {
        requests.next(0, HTTP_503).post();
        requests.answer('a', 503);
        assertThat(requests.request()).isEqualTo("a 503");
        assertThat(requests.peer('a').fails()).isZero();
    }

    @Test
    void listedStatusOnTheOnlyTryIsDelivered() {
        requests.next(1, HTTP_503);
        requests.answer('a', 503);
        assertThat(requests.request()).isEqualTo("a 503");
        assertThat(requests.peer('a').fails()).isZero();
    }

    @Test
    void failureAfterTheHeadIsNotHeldAgainstThePeer() {
        PeerConnection connection = requests.open();
        connection.get();
        connection.connected();
        connection.headerReceived(200);
        connection.free(Outcome.OK, FailureReason.RESET);
        assertThat(requests.peer('a').fails()).isZero();
        assertThat(requests.peer('a').totals().failures().sum()).isZero();
    }
}
