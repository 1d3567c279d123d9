package io.weir.proxy;

import static io.weir.proxy.Proxy.group;
import static io.weir.proxy.RouteSpec.to;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.weir.config.ByteSize;
import io.weir.config.ResponseBuffering;
import io.weir.config.RouteConfig;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** proxy_buffering and what belongs to it: proxying.md section 8. */
@ExtendWith(Leaks.class)
class BufferedResponseTest {

    /** More than both kernels' buffers on two loopback connections take. */
    private static final int LENGTH = 48 << 20;

    private static final String GET = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

    private static ResponseBuffering buffering(boolean enabled, String maxTempFileSize, String limitRate) {
        return ResponseBuffering.of(
                enabled,
                ByteSize.parse("8k"),
                new ResponseBuffering.Buffers(8, ByteSize.parse("8k")),
                null,
                ByteSize.parse(maxTempFileSize),
                ByteSize.parse(limitRate));
    }

    private static RouteConfig app(ResponseBuffering buffering) {
        return to("app").buffering(buffering).route();
    }

    /** A sender of one response, the same bytes each time; tells how much it could send, and the checksum. */
    private static final class Sender implements AutoCloseable {

        final AtomicLong sent = new AtomicLong();
        final CompletableFuture<Long> checksum = new CompletableFuture<>();
        final Backend backend;

        Sender(String fields, long length) {
            this(fields, length, length);
        }

        /** Breaks off after {@code really} bytes. */
        Sender(String fields, long length, long really) {
            boolean chunked = fields.contains("chunked");
            boolean closes = fields.contains("close");
            backend = Backend.with(connection -> {
                while (connection.readRequest() != null) {
                    connection.write("HTTP/1.1 200 OK\r\n" + fields
                            + (chunked || closes ? "" : "Content-Length: " + length + "\r\n") + "\r\n");
                    byte[] piece = new byte[50_000];
                    new Random(7).nextBytes(piece);
                    CRC32 crc = new CRC32();
                    for (long left = really; left > 0; ) {
                        int n = (int) Math.min(left, piece.length);
                        byte[] now = java.util.Arrays.copyOf(piece, n);
                        now[0] = (byte) left;
                        connection.write(chunked ? Integer.toHexString(n) + "\r\n" : "");
                        connection.write(now);
                        connection.write(chunked ? "\r\n" : "");
                        crc.update(now);
                        left -= n;
                        sent.addAndGet(n);
                    }
                    connection.write(chunked && really == length ? "0\r\n\r\n" : "");
                    checksum.complete(crc.getValue());
                    if (closes || really < length) {
                        return;
                    }
                }
            });
        }

        String address() {
            return backend.address();
        }

        @Override
        public void close() {
            backend.close();
        }
    }

    private static void awaitStandstill(AtomicLong counter) {
        AtomicLong last = new AtomicLong(-1);
        AtomicInteger same = new AtomicInteger();
        await().atMost(Duration.ofSeconds(30))
                .pollInterval(Duration.ofMillis(50))
                .until(() -> {
                    same.set(counter.get() > 0 && last.getAndSet(counter.get()) == counter.get() ? same.get() + 1 : 0);
                    return same.get() == 10;
                });
    }

    /** proxying.md 1: the peer is released as soon as its side is complete, even if the client is still downloading. */
    @ParameterizedTest
    @ValueSource(strings = {"", "Transfer-Encoding: chunked\r\n", "Connection: close\r\n"})
    void peerIsFreedWhileTheClientStillDownloads(String fields) throws Exception {
        try (Sender sender = new Sender(fields, LENGTH);
                Proxy proxy = Proxy.start(1, List.of(group("app", sender.address())), app(buffering(true, "1g", "0")));
                Client client = Client.to(proxy.port())) {
            client.send(GET);
            long checksum = sender.checksum.get(30, TimeUnit.SECONDS);
            proxy.assertAtRest();
            assertThat(proxy.disk().openFiles()).isEqualTo(1);
            assertThat(proxy.dataPlane().connections().active()).isEqualTo(1);
            if (!fields.startsWith("Connection")) {
                assertThat(proxy.peers("app").get(0).idle()).isEqualTo(1);
            }
            // the body in whole; the next request on the connection is served
            if (fields.isEmpty()) {
                HttpText.readHead(client.in());
                assertThat(HttpText.checksum(client.in(), LENGTH)).isEqualTo(checksum);
            } else {
                CRC32 crc = new CRC32();
                crc.update(client.read().content());
                assertThat(crc.getValue()).isEqualTo(checksum);
            }
            await().until(() -> proxy.disk().openFiles() == 0);
        }
    }

    /** max_temp_file_size 0, and buffering off: the upstream waits, and there is no file. */
    @ParameterizedTest
    @CsvSource({"true,0", "false,1g"})
    void withoutAFileTheUpstreamWaitsForTheClient(boolean enabled, String maxTempFileSize) throws Exception {
        try (Sender sender = new Sender("", LENGTH);
                Proxy proxy = Proxy.start(
                        1, List.of(group("app", sender.address())), app(buffering(enabled, maxTempFileSize, "0")));
                Client client = Client.to(proxy.port())) {
            client.send(GET);
            awaitStandstill(sender.sent);
            assertThat(sender.sent.get()).isLessThan(16 << 20);
            assertThat(proxy.peers("app").get(0).conns()).isEqualTo(1);
            HttpText.readHead(client.in());
            long got = HttpText.checksum(client.in(), LENGTH);
            assertThat(got).isEqualTo(sender.checksum.get());
            assertThat(proxy.disk().files()).isZero();
        }
    }

    /** max_temp_file_size: once the file is full, the upstream waits until the client has got what is in it. */
    @Test
    void fileIsNotMuchLargerThanItMayBe() throws Exception {
        try (Sender sender = new Sender("", LENGTH);
                Proxy proxy = Proxy.start(1, List.of(group("app", sender.address())), app(buffering(true, "1m", "0")));
                Client client = Client.to(proxy.port())) {
            client.send(GET);
            awaitStandstill(sender.sent);
            assertThat(sender.sent.get()).isLessThan(17 << 20);
            assertThat(proxy.disk().written()).isBetween(1L << 20, (1L << 20) + (128 << 10));
            HttpText.readHead(client.in());
            assertThat(HttpText.checksum(client.in(), LENGTH)).isEqualTo(sender.checksum.get());
        }
    }

    /** The peer of an unbuffered response is released when the last byte was handed to the client's socket. */
    @Test
    void unbufferedPeerIsFreedWithTheLastByte() throws Exception {
        int length = 12 << 20;
        try (Sender sender = new Sender("", length);
                Proxy proxy =
                        Proxy.start(1, List.of(group("app", sender.address())), app(buffering(false, "1g", "0")));
                Client client = Client.to(proxy.port())) {
            for (int i = 1; i <= 3; i++) {
                client.send(GET);
                awaitStandstill(sender.sent);
                HttpText.readHead(client.in());
                assertThat(HttpText.checksum(client.in(), length)).isEqualTo(sender.checksum.get());
                proxy.assertAtRest();
                await().until(() -> proxy.peers("app").get(0).idle() == 1);
            }
            assertThat(sender.backend.connections()).isEqualTo(1);
        }
    }

    /** X-Accel-Buffering of the response counts for more than the route. */
    @ParameterizedTest
    @CsvSource({"true,no", "false,yes", "true,NO"})
    void responseMayTurnBufferingOffAndOn(boolean enabled, String accel) throws Exception {
        try (Sender sender = new Sender("X-Accel-Buffering: " + accel + "\r\n", LENGTH);
                Proxy proxy =
                        Proxy.start(1, List.of(group("app", sender.address())), app(buffering(enabled, "1g", "0")));
                Client client = Client.to(proxy.port())) {
            client.send(GET);
            if (accel.equals("yes")) {
                sender.checksum.get(30, TimeUnit.SECONDS);
                proxy.assertAtRest();
                assertThat(proxy.disk().files()).isEqualTo(1);
            } else {
                awaitStandstill(sender.sent);
                assertThat(proxy.peers("app").get(0).conns()).isEqualTo(1);
                assertThat(proxy.disk().files()).isZero();
            }
            assertThat(HttpText.readHead(client.in())).doesNotContain("X-Accel");
            assertThat(HttpText.checksum(client.in(), LENGTH)).isEqualTo(sender.checksum.get());
        }
    }

    /** What an upstream has left behind goes out in pieces, the smaller of which the rate has no pause for. */
    @Test
    void piecesKeepTheirOrderWithoutPauses() throws Exception {
        try (Sender sender = new Sender("Connection: close\r\n", 1_000_000);
                Proxy proxy =
                        Proxy.start(1, List.of(group("app", sender.address())), app(buffering(true, "1g", "16m")))) {
            for (int i = 0; i < 5; i++) {
                CRC32 crc = new CRC32();
                crc.update(Client.get(proxy.port(), "/").content());
                assertThat(crc.getValue()).isEqualTo(sender.checksum.get());
            }
        }
    }

    /** proxying.md 8.3: what lies above one second's worth of bytes takes its time. */
    @ParameterizedTest
    @CsvSource({
        "20k,'',100000,4",
        "20k,'Connection: close\r\n',100000,4",
        "0,'X-Accel-Limit-Rate: 20480\r\n',100000,4",
        "20k,'X-Accel-Limit-Rate: 0\r\n',100000,0",
        "20k,'X-Accel-Buffering: no\r\n',100000,0"
    })
    void rateIsLimited(String rate, String fields, int length, int seconds) throws Exception {
        try (Sender sender = new Sender(fields.replace("\\r\\n", "\r\n"), length);
                Proxy proxy = Proxy.start(
                        1,
                        List.of(group("app", sender.address())),
                        to("app")
                                // a pause is no silence of the server
                                .proxy(Proxy.settings("1s", "1s", "500ms"))
                                .buffering(buffering(true, "1g", rate))
                                .route());
                Client client = Client.to(proxy.port())) {
            long start = System.nanoTime();
            client.send(GET);
            client.socket().setSoTimeout(3000);
            long checksum;
            if (fields.contains("close")) {
                CRC32 crc = new CRC32();
                crc.update(client.read().content());
                checksum = crc.getValue();
            } else {
                HttpText.readHead(client.in());
                checksum = HttpText.checksum(client.in(), length);
            }
            assertThat(checksum).isEqualTo(sender.checksum.get());
            // the clock has whole seconds, so the first may be short
            assertThat(System.nanoTime() - start).isGreaterThan((seconds - 1) * 1_000_000_000L);
        }
    }

    @Test
    void clientThatLeavesFreesTheFile() throws Exception {
        try (Sender sender = new Sender("", LENGTH);
                Proxy proxy =
                        Proxy.start(1, List.of(group("app", sender.address())), app(buffering(true, "1g", "0")))) {
            for (boolean afterTheUpstream : new boolean[] {true, false}) {
                try (Client client = Client.to(proxy.port())) {
                    client.send(GET);
                    if (afterTheUpstream) {
                        sender.checksum.get(30, TimeUnit.SECONDS);
                        proxy.assertAtRest();
                    } else {
                        await().until(() -> proxy.disk().files() == 2);
                    }
                }
                await().until(() -> proxy.disk().openFiles() == 0);
                proxy.assertAtRest();
            }
        }
    }

    /** A disk that fails costs the early release of the peer and nothing else. */
    @ParameterizedTest
    @ValueSource(longs = {0, 3 << 20})
    void diskThatIsFullOnlyHoldsTheUpstream(long room) throws Exception {
        try (Sender sender = new Sender("", LENGTH);
                Proxy proxy = Proxy.start(1, List.of(group("app", sender.address())), app(buffering(true, "1g", "0")));
                Client client = Client.to(proxy.port())) {
            proxy.disk().takes(room);
            client.send(GET);
            awaitStandstill(sender.sent);
            assertThat(sender.sent.get()).isLessThan(24 << 20);
            HttpText.readHead(client.in());
            assertThat(HttpText.checksum(client.in(), LENGTH)).isEqualTo(sender.checksum.get());
        }
    }

    /** What is in the file is lost, and the client can see that. */
    @Test
    void fileThatCannotBeReadEndsTheResponse() throws Exception {
        try (Sender sender = new Sender("", LENGTH);
                Proxy proxy = Proxy.start(1, List.of(group("app", sender.address())), app(buffering(true, "1g", "0")));
                Client client = Client.to(proxy.port())) {
            proxy.disk().breakReads();
            client.send(GET);
            sender.checksum.get(30, TimeUnit.SECONDS);
            HttpText.readHead(client.in());
            assertThatThrownBy(() -> HttpText.checksum(client.in(), LENGTH)).isInstanceOf(java.io.EOFException.class);
        }
    }

    /** proxying.md 8.4: what came before the end is the client's all the same. */
    @Test
    void whatIsStoredOfABrokenResponseIsDelivered() throws Exception {
        try (Sender sender = new Sender("", LENGTH, LENGTH - 1);
                Proxy proxy = Proxy.start(1, List.of(group("app", sender.address())), app(buffering(true, "1g", "0")));
                Client client = Client.to(proxy.port())) {
            client.send(GET);
            sender.checksum.get(30, TimeUnit.SECONDS);
            proxy.assertAtRest();
            HttpText.readHead(client.in());
            assertThat(HttpText.checksum(client.in(), LENGTH - 1)).isEqualTo(sender.checksum.get());
            assertThat(client.isClosed()).isTrue();
        }
    }

    /** proxying.md 8.4: no last chunk for HTTP/1.1, no orderly close for HTTP/1.0. */
    @ParameterizedTest
    @ValueSource(strings = {GET, "GET / HTTP/1.0\r\n\r\n"})
    void storedResponseThatBreaksOffNeverLooksComplete(String request) throws Exception {
        try (Sender sender = new Sender("Transfer-Encoding: chunked\r\n", LENGTH, LENGTH - 1);
                Proxy proxy = Proxy.start(1, List.of(group("app", sender.address())), app(buffering(true, "1g", "0")));
                Client client = Client.to(proxy.port())) {
            client.send(request);
            sender.checksum.get(30, TimeUnit.SECONDS);
            proxy.assertAtRest();
            assertThatThrownBy(() -> {
                        Client.Response got = client.read();
                        throw new AssertionError("looks complete: " + got.head() + got.content().length);
                    })
                    .isInstanceOf(IOException.class);
        }
    }

    /** A client that takes what comes never has a file, whatever the size. */
    @ParameterizedTest
    @ValueSource(ints = {100_000, 1_000_000})
    void clientThatKeepsUpNeedsNoFile(int length) throws Exception {
        try (Sender sender = new Sender("", length);
                Proxy proxy = Proxy.start(1, List.of(group("app", sender.address())), app(ResponseBuffering.DEFAULT));
                Client client = Client.to(proxy.port())) {
            for (int i = 0; i < 50; i++) {
                client.send(GET);
                HttpText.readHead(client.in());
                assertThat(HttpText.checksum(client.in(), length)).isEqualTo(sender.checksum.get());
            }
            assertThat(proxy.disk().files()).isZero();
        }
    }

    @Test
    void settingsMayChangeUnderLoad() throws Exception {
        int length = 5 << 20;
        try (Sender sender = new Sender("", length);
                Proxy proxy = Proxy.start(List.of(group("app", sender.address())), app(buffering(true, "1g", "0")))) {
            CompletableFuture<Void> changes = CompletableFuture.runAsync(() -> {
                for (int i = 0; i < 40; i++) {
                    ResponseBuffering next = ResponseBuffering.of(
                            i % 3 != 0,
                            ByteSize.parse(1 + i % 5 + "k"),
                            new ResponseBuffering.Buffers(4 + i, ByteSize.parse("2k")),
                            ByteSize.parse("6k"),
                            ByteSize.parse(i % 4 == 0 ? "0" : "100k"),
                            ByteSize.parse("0"));
                    proxy.apply(List.of(group("app", sender.address())), app(next));
                    await().pollDelay(Duration.ofMillis(20)).until(() -> true);
                }
            });
            while (!changes.isDone()) {
                try (Client client = Client.to(proxy.port())) {
                    client.send(GET);
                    HttpText.readHead(client.in());
                    Thread.sleep(100);
                    assertThat(HttpText.checksum(client.in(), length)).isEqualTo(sender.checksum.get());
                }
            }
            changes.get();
        }
    }

    /** Memory is bounded by the buffers, not by the response: 1 GiB to a client that begins to read late. */
    @Test
    void aGibibyteTakesNoMoreMemoryThanTheBuffers() throws Exception {
        long length = 1L << 30;
        try (Sender sender = new Sender("", length);
                Proxy proxy = Proxy.start(1, List.of(group("app", sender.address())), app(buffering(true, "2g", "0")));
                Client client = Client.to(proxy.port())) {
            long before = directMemory();
            assertThat(before).as("the allocator counts").isPositive();
            AtomicLong most = new AtomicLong();
            client.send(GET);
            await().atMost(Duration.ofMinutes(2)).until(() -> {
                most.accumulateAndGet(directMemory(), Math::max);
                return sender.checksum.isDone();
            });
            proxy.assertAtRest();
            CompletableFuture<Long> got = CompletableFuture.supplyAsync(() -> {
                try {
                    HttpText.readHead(client.in());
                    return HttpText.checksum(client.in(), length);
                } catch (IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            });
            await().atMost(Duration.ofMinutes(2)).until(() -> {
                most.accumulateAndGet(directMemory(), Math::max);
                return got.isDone();
            });
            assertThat(got.get()).isEqualTo(sender.checksum.get());
            assertThat(proxy.disk().written()).isGreaterThan(length - (32 << 20));
            // arenas grow by chunks of 4 MiB
            assertThat(most.get() - before).isLessThan(32L << 20);
        }
    }

    private static long directMemory() {
        return ((ByteBufAllocatorMetricProvider) ByteBufAllocator.DEFAULT)
                .metric()
                .usedDirectMemory();
    }
}
