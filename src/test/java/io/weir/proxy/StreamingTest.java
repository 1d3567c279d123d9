package io.weir.proxy;

import static io.weir.proxy.Proxy.group;
import static io.weir.proxy.RouteSpec.to;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.config.ByteSize;
import io.weir.config.ResponseBuffering;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bodies pass as they come, and no faster than the other side takes them: data-plane.md, the shape, 4. */
@ExtendWith(Leaks.class)
class StreamingTest {

    private static final int LENGTH = 50 << 20;

    /** Both kernels' buffers on two loopback connections, and Weir's own. */
    private static final long MOST_IN_FLIGHT = 16L << 20;

    private static byte[] piece(Random random) {
        byte[] bytes = new byte[1 + random.nextInt(100_000)];
        random.nextBytes(bytes);
        return bytes;
    }

    /** Writes LENGTH bytes, and returns their checksum. */
    private static long pour(Sink sink, boolean chunked) throws IOException {
        Random random = new Random(1);
        CRC32 crc = new CRC32();
        for (int sent = 0; sent < LENGTH; ) {
            byte[] piece = piece(random);
            int length = Math.min(piece.length, LENGTH - sent);
            crc.update(piece, 0, length);
            sent += length;
            if (chunked) {
                sink.write((Integer.toHexString(length) + "\r\n").getBytes(java.nio.charset.StandardCharsets.US_ASCII));
            }
            sink.write(length == piece.length ? piece : java.util.Arrays.copyOf(piece, length));
            if (chunked) {
                sink.write(new byte[] {'\r', '\n'});
            }
        }
        if (chunked) {
            sink.write("0\r\n\r\n".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
        }
        return crc.getValue();
    }

    private static ResponseBuffering withoutFile() {
        ResponseBuffering d = ResponseBuffering.DEFAULT;
        return ResponseBuffering.of(true, d.bufferSize(), d.buffers(), null, ByteSize.parse("0"), d.limitRate());
    }

    private interface Sink {
        void write(byte[] bytes) throws IOException;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void largeBodyComesDownWhole(boolean chunked) throws Exception {
        CompletableFuture<Long> sent = new CompletableFuture<>();
        try (Backend backend = Backend.with(connection -> {
                    connection.readRequest();
                    connection.write("HTTP/1.1 200 OK\r\n"
                            + (chunked ? "Transfer-Encoding: chunked" : "Content-Length: " + LENGTH) + "\r\n\r\n");
                    sent.complete(pour(connection::write, chunked));
                    connection.readRequest();
                });
                Proxy proxy = Proxy.start(
                        List.of(group("app", backend.address())), to("app").route());
                Client client = Client.to(proxy.port())) {
            client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
            if (chunked) {
                Client.Response response = client.read();
                CRC32 crc = new CRC32();
                crc.update(response.content());
                assertThat(crc.getValue()).isEqualTo(sent.get());
            } else {
                HttpText.readHead(client.in());
                assertThat(HttpText.checksum(client.in(), LENGTH)).isEqualTo(sent.get());
            }
            // proxying.md 10: all bytes in
            proxy.assertAtRest();
            assertThat(proxy.peers("app").get(0).totals().receivedBytes()).isGreaterThan(LENGTH);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void largeBodyGoesUpWhole(boolean chunked) throws Exception {
        try (Backend backend = Backend.with(connection -> {
                    String head = connection.readHead();
                    long crc;
                    if (chunked) {
                        CRC32 all = new CRC32();
                        all.update(HttpText.readBody(head, connection.in()));
                        crc = all.getValue();
                    } else {
                        crc = HttpText.checksum(connection.in(), LENGTH);
                    }
                    String body = Long.toString(crc);
                    connection.write("HTTP/1.1 200 OK\r\nContent-Length: " + body.length() + "\r\n\r\n" + body);
                });
                Proxy proxy = Proxy.start(
                        List.of(group("app", backend.address())),
                        to("app").maxBodySize("0").route());
                Client client = Client.to(proxy.port())) {
            client.send("POST / HTTP/1.1\r\nHost: x\r\n"
                    + (chunked ? "Transfer-Encoding: chunked" : "Content-Length: " + LENGTH) + "\r\n\r\n");
            long crc = pour(client::send, chunked);
            assertThat(client.read().body()).isEqualTo("" + crc);
        }
    }

    /** The number stands still once nobody takes any more. */
    private static void awaitStandstill(AtomicLong counter) {
        long[] last = {-1};
        await().pollInterval(300, TimeUnit.MILLISECONDS)
                .until(() -> counter.get() > 0 && last[0] == (last[0] = counter.get()));
    }

    @Test
    void clientThatDoesNotReadHoldsTheUpstream() throws Exception {
        AtomicLong pushed = new AtomicLong();
        try (Backend backend = Backend.with(connection -> {
                    connection.readRequest();
                    connection.write("HTTP/1.1 200 OK\r\nContent-Length: " + LENGTH + "\r\n\r\n");
                    byte[] piece = new byte[64 * 1024];
                    for (int sent = 0; sent < LENGTH; sent += piece.length) {
                        connection.write(piece);
                        pushed.addAndGet(piece.length);
                    }
                });
                Proxy proxy = Proxy.start(
                        List.of(group("app", backend.address())),
                        to("app").buffering(withoutFile()).route());
                Client client = Client.to(proxy.port())) {
            client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
            awaitStandstill(pushed);
            assertThat(pushed.get()).isLessThan(MOST_IN_FLIGHT);
            assertThat(client.read().content()).hasSize(LENGTH);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void upstreamThatDoesNotReadHoldsTheClient(boolean chunked) throws Exception {
        CountDownLatch mayRead = new CountDownLatch(1);
        AtomicLong pushed = new AtomicLong();
        try (Backend backend = Backend.with(connection -> {
                    String head = connection.readHead();
                    mayRead.await();
                    int length = HttpText.readBody(head, connection.in()).length;
                    connection.write("HTTP/1.1 200 OK\r\nX-Length: " + length + "\r\nContent-Length: 0\r\n\r\n");
                });
                Proxy proxy = Proxy.start(
                        List.of(group("app", backend.address())),
                        to("app").streamingRequests().maxBodySize("0").route());
                Client client = Client.to(proxy.port())) {
            client.send("POST / HTTP/1.1\r\nHost: x\r\n"
                    + (chunked ? "Transfer-Encoding: chunked" : "Content-Length: " + LENGTH) + "\r\n\r\n");
            CompletableFuture<Void> sender = CompletableFuture.runAsync(() -> {
                try {
                    pour(
                            bytes -> {
                                client.send(bytes);
                                pushed.addAndGet(bytes.length);
                            },
                            chunked);
                } catch (IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            });
            awaitStandstill(pushed);
            assertThat(pushed.get()).isLessThan(MOST_IN_FLIGHT);
            mayRead.countDown();
            sender.get(60, TimeUnit.SECONDS);
            assertThat(client.read().field("X-Length")).isEqualTo("" + LENGTH);
        }
    }

    /** Server-sent events and the like: what has come is passed on at once, the head first. */
    @ParameterizedTest
    @ValueSource(strings = {"Transfer-Encoding: chunked", "Content-Length: 12", "X: close-delimited"})
    void whatHasComeIsPassedOnAtOnce(String framing) throws Exception {
        boolean chunked = framing.startsWith("T");
        CountDownLatch[] steps = {new CountDownLatch(1), new CountDownLatch(1), new CountDownLatch(1)};
        try (Backend backend = Backend.with(connection -> {
                    connection.readRequest();
                    connection.write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n" + framing + "\r\n\r\n");
                    for (int i = 0; i < steps.length; i++) {
                        steps[i].await();
                        connection.write((chunked ? "4\r\n" : "") + "e" + i + "\n\n" + (chunked ? "\r\n" : ""));
                    }
                    connection.write(chunked ? "0\r\n\r\n" : "");
                });
                Proxy proxy = Proxy.start(
                        List.of(group("app", backend.address())), to("app").route());
                Client client = Client.to(proxy.port())) {
            client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
            String head = HttpText.readHead(client.in());
            boolean chunkedToClient = "chunked".equals(HttpText.field(head, "Transfer-Encoding"));
            assertThat(chunkedToClient).isEqualTo(!framing.startsWith("Content-Length"));
            for (int i = 0; i < steps.length; i++) {
                steps[i].countDown();
                String event = (chunkedToClient ? "4\r\n" : "") + "e" + i + "\n\n" + (chunkedToClient ? "\r\n" : "");
                assertThat(new String(HttpText.readExactly(client.in(), event.length())))
                        .isEqualTo(event);
            }
            if (chunkedToClient) {
                assertThat(new String(HttpText.readExactly(client.in(), 5))).isEqualTo("0\r\n\r\n");
            }
        }
    }

    @Test
    void bytesOfChunksMayTrickle() throws Exception {
        byte[] response = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n1;x\r\n!\r\n0\r\n\r\n"
                .getBytes(java.nio.charset.StandardCharsets.US_ASCII);
        try (Backend backend = Backend.with(connection -> {
                    while (connection.readRequest() != null) {
                        for (byte b : response) {
                            connection.write(new byte[] {b});
                            Thread.sleep(1);
                        }
                    }
                });
                Proxy proxy = Proxy.start(
                        1, List.of(group("app", backend.address())), to("app").route());
                Client client = Client.to(proxy.port())) {
            byte[] request = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n"
                    .getBytes(java.nio.charset.StandardCharsets.US_ASCII);
            for (int i = 0; i < 2; i++) {
                for (byte b : request) {
                    client.send(new byte[] {b});
                    Thread.sleep(1);
                }
                assertThat(client.read().body()).isEqualTo("hello!");
            }
            assertThat(backend.connections()).isEqualTo(1);
        }
    }
}
