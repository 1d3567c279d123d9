package io.weir.proxy;

import static io.weir.proxy.Proxy.group;
import static io.weir.proxy.RouteSpec.to;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.weir.config.NextUpstream;
import io.weir.config.RouteConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** proxy_request_buffering on: proxying.md sections 1 and 5.1, and client_body_buffer_size. */
@ExtendWith(Leaks.class)
class BufferedRequestTest {

    private static final String ANSWER = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

    private static RouteSpec app() {
        return to("app").maxBodySize("0").telling();
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    private static String post(long length) {
        return "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: " + length + "\r\n\r\n";
    }

    /** Answers with what it got: its framing, its length and its checksum. */
    private static Backend summing() {
        return Backend.with(connection -> {
            for (String head = connection.readHead(); head != null; head = connection.readHead()) {
                String length = HttpText.field(head, "Content-Length");
                String got = HttpText.field(head, "Transfer-Encoding") + " " + length + " "
                        + HttpText.checksum(connection.in(), Long.parseLong(length));
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: " + got.length() + "\r\n\r\n" + got);
            }
        });
    }

    private static long checksum(byte[] bytes) {
        CRC32 crc = new CRC32();
        crc.update(bytes);
        return crc.getValue();
    }

    /** A body that fits the buffer makes no file; 65536 bytes do. */
    @ParameterizedTest
    @CsvSource({"1,0", "65536,0", "65537,1", "3000000,1"})
    void bodyArrivesWhole(int length, int files) throws Exception {
        byte[] body = random(length);
        try (Backend backend = summing();
                Proxy proxy = Proxy.start(List.of(group("app", backend.address())), app().route());
                Client client = Client.to(proxy.port())) {
            for (int i = 1; i <= 2; i++) {
                client.send(post(length)).send(body);
                assertThat(client.read().body()).isEqualTo("null " + length + " " + checksum(body));
                assertThat(proxy.disk().files()).isEqualTo(files * i);
            }
            assertThat(backend.connections()).isEqualTo(1);
        }
    }

    /** proxying.md 6: a buffered chunked body is sent with Content-Length. */
    @ParameterizedTest
    @ValueSource(ints = {0, 5, 40_000, 300_000})
    void chunkedBodyArrivesWithItsLength(int length) throws Exception {
        byte[] body = random(length);
        try (Backend backend = summing();
                Proxy proxy = Proxy.start(List.of(group("app", backend.address())), app().route());
                Client client = Client.to(proxy.port())) {
            client.send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
            for (int from = 0; from < length; from += 1000) {
                byte[] piece = java.util.Arrays.copyOfRange(body, from, Math.min(length, from + 1000));
                client.send(Integer.toHexString(piece.length) + "\r\n")
                        .send(piece)
                        .send("\r\n");
            }
            client.send("0\r\nX-Trailer: t\r\n\r\n");
            assertThat(client.read().body()).isEqualTo("null " + length + " " + checksum(body));
        }
    }

    /** proxying.md 1.2: the whole body is read before any peer is chosen. */
    @ParameterizedTest
    @ValueSource(ints = {10, 500_000})
    void slowUploadOpensNoConnectionBeforeItsEnd(int length) throws Exception {
        byte[] body = random(length);
        try (Backend backend = summing();
                Proxy proxy = Proxy.start(List.of(group("app", backend.address())), app().route());
                Client client = Client.to(proxy.port())) {
            client.send(post(length)).send(java.util.Arrays.copyOf(body, length - 1));
            await().until(() -> length < 100_000 || proxy.disk().written() > 100_000);
            Thread.sleep(100);
            assertThat(backend.connections()).isZero();
            assertThat(proxy.peers("app").get(0).conns()).isZero();
            client.send(new byte[] {body[length - 1]});
            assertThat(client.read().body()).endsWith(" " + checksum(body));
        }
    }

    /** A client that sends byte by byte must not pin a buffer with each byte. */
    @Test
    void bytesThatTrickleAreGathered() throws Exception {
        byte[] body = random(2000);
        try (Backend backend = summing();
                Proxy proxy = Proxy.start(List.of(group("app", backend.address())), app().route());
                Client client = Client.to(proxy.port())) {
            client.send(post(body.length));
            for (byte b : body) {
                client.send(new byte[] {b});
            }
            assertThat(client.read().body()).endsWith(" " + checksum(body));
        }
    }

    /** What the buffer cannot hold is sent again too: a 5 MB POST whose first peer dies in the middle of it. */
    @ParameterizedTest
    @ValueSource(ints = {30_000, 5_000_000})
    void bodyIsSentAgainToTheNextPeerWhateverItsSize(int length) throws Exception {
        byte[] body = random(length);
        try (Backend dying = Backend.with(connection -> {
                    connection.readHead();
                    connection.in().readNBytes(length / 2);
                    connection.reset();
                });
                Backend backend = summing();
                Proxy proxy = Proxy.start(
                        List.of(group("app", dying.address(), backend.address())),
                        app().proxy(Proxy.settings("5s", "5s", "5s", NextUpstream.ERROR, NextUpstream.NON_IDEMPOTENT))
                                .route());
                Client client = Client.to(proxy.port())) {
            client.send(post(length)).send(body);
            Client.Response response = client.read();
            assertThat(response.field("X-Attempts")).isEqualTo("502, 200");
            assertThat(response.body()).endsWith(" " + checksum(body));
        }
    }

    /** proxying.md 5.1 rule 3: a POST whose sending had begun is not sent twice unless that is allowed. */
    @Test
    void bodyIsNotSentAgainAgainstTheRules() throws Exception {
        try (Backend dying = Backend.with(Backend.Connection::readHead);
                Backend backend = summing();
                Proxy proxy = Proxy.start(List.of(group("app", dying.address(), backend.address())), app().route());
                Client client = Client.to(proxy.port())) {
            client.send(post(500_000)).send(random(500_000));
            Client.Response response = client.read();
            assertThat(response.status()).isEqualTo(502);
            assertThat(response.field("X-Attempts")).isEqualTo("502");
            assertThat(backend.connections()).isZero();
            // all of the request is known, so the connection is good for another
            assertThat(response.field("Connection")).isNull();
        }
    }

    /** client_max_body_size with chunks: as soon as the limit is passed, before any peer. */
    @ParameterizedTest
    @CsvSource({"4,64k", "200000,64k"})
    void chunksOverTheLimitAreRefusedBeforeAnyPeer(int limit, String bufferSize) throws Exception {
        try (Backend backend = summing();
                Proxy proxy = Proxy.start(
                        List.of(group("app", backend.address())),
                        app().requestBuffering(true, bufferSize)
                                .maxBodySize("" + limit)
                                .route());
                Client client = Client.to(proxy.port())) {
            client.send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
            client.send(Integer.toHexString(limit) + "\r\n")
                    .send(new byte[limit])
                    .send("\r\n");
            Thread.sleep(50);
            assertThat(client.in().available()).isZero();
            client.send("1\r\na\r\n");
            Client.Response response = client.read();
            assertThat(response.status()).isEqualTo(413);
            assertThat(response.field("X-Attempts")).isNull();
            assertThat(client.isClosed()).isTrue();
            assertThat(backend.connections()).isZero();
        }
    }

    /** proxying.md 6: 100 when the proxy begins to read. */
    @Test
    void expectationIsMetBeforeAPeerIsChosen() throws Exception {
        try (Backend backend = summing();
                Proxy proxy = Proxy.start(List.of(group("app", backend.address())), app().route());
                Client client = Client.to(proxy.port())) {
            client.send("POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
            assertThat(client.read().head()).isEqualTo("HTTP/1.1 100 Continue\r\n\r\n");
            assertThat(backend.connections()).isZero();
            client.send("abc");
            assertThat(client.read().body()).startsWith("null 3 ");
        }
    }

    @ParameterizedTest
    @EnumSource(ClientAbortTest.Leaving.class)
    void clientThatLeavesTouchesNoPeer(ClientAbortTest.Leaving leaving) throws Exception {
        for (int length : new int[] {1000, 500_000}) {
            try (Backend backend = summing();
                    Proxy proxy = Proxy.start(List.of(group("app", backend.address())), app().route());
                    Client client = Client.to(proxy.port())) {
                client.send(post(length)).send(new byte[length - 1]);
                await().until(() -> proxy.disk().files() == (length > 65536 ? 1 : 0));
                await().until(() -> proxy.dataPlane().connections().active() == 1);
                leaving.leave(client);
                await().until(() -> proxy.dataPlane().connections().open() == 0);
                // Proxy.close waits for the file to be gone
                assertThat(backend.connections()).isZero();
                assertThat(proxy.peers("app").get(0).totals().requests()).isZero();
            }
        }
    }

    /** nginx answers 500; nobody else is harmed, and the client can send again once there is room. */
    @ParameterizedTest
    @ValueSource(longs = {0, 1_000_000})
    void diskThatIsFullIsAnswered500(long room) throws Exception {
        try (Backend backend = summing();
                Proxy proxy = Proxy.start(List.of(group("app", backend.address())), app().route())) {
            proxy.disk().takes(room);
            try (Client client = Client.to(proxy.port())) {
                client.send(post(3_000_000)).send(random(3_000_000));
                assertThat(client.read().status()).isEqualTo(500);
            }
            try (Client client = Client.to(proxy.port())) {
                client.send(post(1000)).send(random(1000));
                assertThat(client.read().status()).isEqualTo(200);
                proxy.disk().takes(Long.MAX_VALUE);
                client.send(post(3_000_000)).send(random(3_000_000));
                assertThat(client.read().status()).isEqualTo(200);
            }
            assertThat(backend.connections()).isLessThanOrEqualTo(2);
        }
    }

    @Test
    void fileThatCannotBeReadIsAnswered500() throws Exception {
        try (Backend backend = summing();
                Proxy proxy = Proxy.start(List.of(group("app", backend.address())), app().route());
                Client client = Client.to(proxy.port())) {
            proxy.disk().breakReads();
            client.send(post(500_000)).send(random(500_000));
            assertThat(client.read().status()).isEqualTo(500);
            await().until(() -> backend.open() == 0);
            assertThat(proxy.peers("app").get(0).fails()).isZero();
        }
    }

    /** The response of a server that does not wait for the end of the body. */
    @Test
    void earlyAnswerIsPassedOn() throws Exception {
        try (Backend backend = Backend.with(connection -> {
                    connection.readHead();
                    connection.write(ANSWER);
                    // and reads no more
                    connection.readHead();
                });
                Proxy proxy = Proxy.start(1, List.of(group("app", backend.address())), app().route());
                Client client = Client.to(proxy.port())) {
            for (int i = 1; i <= 3; i++) {
                client.send(post(20 << 20)).send(new byte[20 << 20]);
                assertThat(client.read().body()).isEqualTo("ok");
                assertThat(backend.connections()).isEqualTo(i);
            }
        }
    }

    /** A configuration that changes meanwhile changes nothing for a request that has begun. */
    @Test
    void settingsMayChangeWhileABodyComes() throws Exception {
        byte[] body = random(1_000_000);
        try (Backend backend = summing();
                Proxy proxy = Proxy.start(List.of(group("app", backend.address())), app().route())) {
            AtomicLong round = new AtomicLong();
            CompletableFuture<Void> changes = CompletableFuture.runAsync(() -> {
                for (int i = 0; i < 50; i++) {
                    RouteConfig route =
                            app().requestBuffering(i % 2 == 0, 1 + i + "k").route();
                    proxy.apply(List.of(group("app", backend.address())), route);
                    round.incrementAndGet();
                }
            });
            while (!changes.isDone()) {
                try (Client client = Client.to(proxy.port())) {
                    client.send(post(body.length)).send(body);
                    assertThat(client.read().body()).endsWith(" " + checksum(body));
                }
            }
            changes.get();
        }
    }

    private static long directMemory() {
        return ((ByteBufAllocatorMetricProvider) ByteBufAllocator.DEFAULT)
                .metric()
                .usedDirectMemory();
    }

    /** Memory is bounded by the buffer, not by the body: 1 GiB to a server that reads late. */
    @Test
    void aGibibyteTakesNoMoreMemoryThanTheBuffer() throws Exception {
        long length = 1L << 30;
        AtomicLong most = new AtomicLong();
        CompletableFuture<Long> got = new CompletableFuture<>();
        try (Backend backend = Backend.with(connection -> {
                    connection.readHead();
                    Thread.sleep(300);
                    got.complete(HttpText.checksum(connection.in(), length));
                    connection.write(ANSWER);
                });
                Proxy proxy = Proxy.start(
                        1,
                        List.of(group("app", backend.address())),
                        app().proxy(Proxy.settings("60s", "60s", "60s")).route());
                Client client = Client.to(proxy.port())) {
            long before = directMemory();
            CRC32 crc = new CRC32();
            CompletableFuture<Void> sending = CompletableFuture.runAsync(() -> {
                try {
                    client.send(post(length));
                    byte[] piece = random(1 << 20);
                    for (long sent = 0; sent < length; sent += piece.length) {
                        piece[0]++;
                        crc.update(piece);
                        client.send(piece);
                    }
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            client.socket().setSoTimeout(120_000);
            await().atMost(Duration.ofMinutes(2)).until(() -> {
                most.accumulateAndGet(directMemory(), Math::max);
                return client.in().available() > 0;
            });
            sending.get(10, TimeUnit.SECONDS);
            assertThat(client.read().body()).isEqualTo("ok");
            assertThat(got.get()).isEqualTo(crc.getValue());
            assertThat(proxy.disk().written()).isEqualTo(length);
            // arenas grow by chunks of 4 MiB
            assertThat(most.get() - before).isLessThan(32L << 20);
        }
    }
}
