package io.weir.proxy;

import static io.weir.proxy.Proxy.group;
import static io.weir.proxy.RouteSpec.to;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Many clients that send a byte now and then and keep their connections ("slowloris"): others do not notice, and each of the
 * slow ones is answered 408 when its time is over. {@code -Dweir.slow.clients=5000} takes more of them.
 */
@ExtendWith(Leaks.class)
class SlowSendersTest {

    private static final int SLOW = Integer.getInteger("weir.slow.clients", 300);
    private static final String GET = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

    /** A client that is driven by the test's own thread, since there are many. */
    private static final class Slow implements AutoCloseable {

        private final SocketChannel channel;
        private final byte[] bytes;
        private final StringBuilder answer = new StringBuilder();
        private int sent;
        private boolean ended;

        Slow(int port, String bytes) throws IOException {
            channel = SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            channel.configureBlocking(false);
            this.bytes = bytes.getBytes(StandardCharsets.ISO_8859_1);
        }

        /** Sends the next byte, if there is anybody to take it. */
        void trickle() {
            try {
                if (!ended && answer.isEmpty() && sent < bytes.length) {
                    channel.write(ByteBuffer.wrap(bytes, sent++, 1));
                }
            } catch (IOException e) {
                ended = true;
            }
        }

        /** Reads what there is; returns whether the proxy has closed. */
        boolean hasEnded() {
            ByteBuffer piece = ByteBuffer.allocate(1024);
            try {
                int n = ended ? -1 : channel.read(piece);
                if (n > 0) {
                    answer.append(new String(piece.array(), 0, n, StandardCharsets.ISO_8859_1));
                }
                ended = n < 0;
            } catch (IOException e) {
                ended = true;
            }
            return ended;
        }

        String answer() {
            return answer.toString();
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }

    /** The time of a head is that of all of it, so bytes that come do not put it off. */
    @Test
    void headsThatTrickleEndWithTheirTime() throws Exception {
        MovableTicker ticker = new MovableTicker();
        try (Backend backend = Backend.saying("a");
                Proxy proxy = Proxy.start(
                        2,
                        ticker,
                        List.of(group("app", backend.address())),
                        to("app").route());
                Client other = Client.to(proxy.port())) {
            List<Slow> slow = open(proxy, "GET / HTTP/1.1\r\nHost: x\r\nX: " + "a".repeat(1_000));
            try {
                for (int second = 0; second < 30; second++) {
                    slow.forEach(Slow::trickle);
                    ticker.skip(Duration.ofSeconds(1));
                    assertThat(other.request(GET).body()).isEqualTo("a");
                }
                assertThat(proxy.dataPlane().connections().open()).isEqualTo(SLOW + 1);
                awaitAnswers(
                        ticker,
                        slow,
                        () -> assertThat(other.request(GET).body()).isEqualTo("a"));
            } finally {
                close(slow);
            }
            await().until(() -> proxy.dataPlane().connections().open() <= 1);
            assertThat(backend.requests()).allMatch(head -> !head.contains("X: "));
        }
    }

    /** Between two reads of a body, so one that trickles goes on, and one that stops does not. */
    @Test
    void bodiesThatTrickleGoOnAndThoseThatStopEnd() throws Exception {
        MovableTicker ticker = new MovableTicker();
        try (Backend backend = Backend.saying("a");
                Proxy proxy = Proxy.start(
                        1,
                        ticker,
                        List.of(group("app", backend.address())),
                        to("app").requestBuffering(true, "64k").route());
                Client other = Client.to(proxy.port())) {
            String head = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n";
            List<Slow> slow = open(proxy, head + "a".repeat(500));
            try {
                slow.forEach(client -> {
                    for (int i = 0; i < head.length(); i++) {
                        client.trickle();
                    }
                });
                // more than the time in all
                for (int i = 0; i < 4; i++) {
                    slow.forEach(Slow::trickle);
                    settle(other);
                    ticker.skip(Duration.ofSeconds(25));
                    settle(other);
                    assertThat(proxy.dataPlane().connections().open()).isEqualTo(SLOW + 1);
                }
                awaitAnswers(ticker, slow, () -> settle(other));
            } finally {
                close(slow);
            }
            await().until(() -> proxy.dataPlane().connections().open() <= 1);
            // a body that is read whole first never got to a server
            assertThat(backend.requests()).noneMatch(request -> request.startsWith("POST"));
        }
    }

    private interface Between {
        void run() throws IOException;
    }

    /** Some turns of the loop of the client beside them; what slow ones sent before is read within. */
    private static void settle(Client other) throws IOException {
        for (int i = 0; i < 20; i++) {
            assertThat(other.request(GET).body()).isEqualTo("a");
        }
    }

    private static List<Slow> open(Proxy proxy, String bytes) throws IOException {
        List<Slow> slow = new ArrayList<>();
        for (int i = 0; i < SLOW; i++) {
            slow.add(new Slow(proxy.port(), bytes));
        }
        await().until(() -> proxy.dataPlane().connections().open() == SLOW + 1);
        return slow;
    }

    private static void awaitAnswers(MovableTicker ticker, List<Slow> slow, Between between) {
        await().atMost(Duration.ofMinutes(2))
                .pollInterval(Duration.ofMillis(50))
                .until(() -> {
                    ticker.skip(Duration.ofSeconds(10));
                    between.run();
                    return slow.stream().filter(client -> !client.hasEnded()).count() == 0;
                });
        assertThat(slow).allSatisfy(client -> assertThat(client.answer()).startsWith("HTTP/1.1 408 "));
    }

    private static void close(List<Slow> slow) throws IOException {
        for (Slow client : slow) {
            client.close();
        }
    }
}
