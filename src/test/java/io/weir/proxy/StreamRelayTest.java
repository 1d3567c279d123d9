package io.weir.proxy;

import static io.weir.proxy.StreamSpec.to;
import static io.weir.proxy.Streams.echo;
import static io.weir.proxy.Streams.servers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Passing bytes on: stream.md section 5. */
@ExtendWith(Leaks.class)
class StreamRelayTest {

    private static final int MANY = 2_000;

    private static byte[] bytes(int seed, int length) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    private static void readFully(InputStream in, byte[] expected) throws Exception {
        byte[] got = in.readNBytes(expected.length);
        assertThat(Arrays.equals(got, expected))
                .as("%d of %d bytes", got.length, expected.length)
                .isTrue();
    }

    @Test
    void bytesPassInBothDirectionsAndAreCounted() throws Exception {
        try (Backend backend = echo();
                Streams streams = Streams.start(to("app"), servers("app", backend.address()))) {
            try (Client client = streams.connect()) {
                client.send("hello");
                readFully(client.in(), "hello".getBytes());
                assertThat(streams.counts().open()).isEqualTo(1);
                assertThat(streams.proxy().peers("app").get(0).conns()).isEqualTo(1);
            }
            assertThat(streams.session()).isEqualTo("200 5 5 \"" + backend.address() + "\" \"5\" \"5\" \"0.000\"");
            assertThat(streams.counts().accepted()).isEqualTo(1);
            assertThat(streams.counts().open()).isZero();
            assertThat(streams.counts().sessionsByStatus())
                    .containsEntry(200, 1L)
                    .containsEntry(502, 0L);
            assertThat(streams.counts().bytesReceived()).isEqualTo(5);
            assertThat(streams.counts().bytesSent()).isEqualTo(5);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"1k", "16k", "1m"})
    void manyMegabytesPassInBothDirectionsAtOnce(String buffer) throws Exception {
        byte[] body = bytes(1, 20_000_000);
        try (Backend backend = echo();
                Streams streams = Streams.start(to("app").buffer(buffer), servers("app", backend.address()));
                Client client = streams.connect()) {
            CompletableFuture<Void> sending = CompletableFuture.runAsync(() -> {
                try {
                    client.send(body);
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
            });
            readFully(client.in(), body);
            sending.join();
        }
    }

    @Test
    void whatAServerSaysLastArrivesAlsoAtASlowClient() throws Exception {
        byte[] body = bytes(2, 8_000_000);
        try (Backend backend = Backend.with(connection -> connection.write(body));
                Streams streams = Streams.start(to("app"), servers("app", backend.address()))) {
            try (Client client = streams.connect()) {
                await().until(() -> backend.open() == 0 || streams.counts().open() == 1);
                byte[] all = new byte[body.length];
                int at = 0;
                for (int n = client.in().read(all, 0, 10_000);
                        n >= 0;
                        n = client.in().read(all, at, Math.min(10_000, all.length - at))) {
                    at += n;
                    if (at == all.length) {
                        break;
                    }
                }
                assertThat(Arrays.equals(all, body)).isTrue();
                assertThat(client.isClosed()).isTrue();
            }
            assertThat(streams.session()).startsWith("200 0 8000000 ");
        }
    }

    @Test
    void unixSocketsAreServersToo() throws Exception {
        Path folder = Files.createTempDirectory("weir");
        Path path = folder.resolve("s");
        try (java.nio.channels.ServerSocketChannel server =
                java.nio.channels.ServerSocketChannel.open(java.net.StandardProtocolFamily.UNIX)) {
            server.bind(java.net.UnixDomainSocketAddress.of(path));
            CompletableFuture.runAsync(() -> {
                try (SocketChannel accepted = server.accept()) {
                    ByteBuffer buffer = ByteBuffer.allocate(100);
                    accepted.read(buffer);
                    accepted.write(buffer.flip());
                    accepted.read(ByteBuffer.allocate(1));
                } catch (java.io.IOException e) {
                    throw new AssertionError(e);
                }
            });
            try (Streams streams = Streams.start(to("app"), servers("app", "unix:" + path));
                    Client client = streams.connect()) {
                client.send("over a path");
                readFully(client.in(), "over a path".getBytes());
            }
        } finally {
            Files.deleteIfExists(path);
            Files.delete(folder);
        }
    }

    /** One thread for all of them, as clients and as servers that is what a machine of two processors bears. */
    @Test
    void twoThousandSessionsAtOnceKeepTheirBytesApart() throws Exception {
        try (EchoServer server = new EchoServer();
                Streams streams = Streams.start(to("app"), servers("app", "127.0.0.1:" + server.port()))) {
            List<Socket> clients = new ArrayList<>();
            try {
                for (int i = 0; i < MANY; i++) {
                    Socket socket = new Socket(InetAddress.getLoopbackAddress(), streams.port());
                    socket.setSoTimeout(60_000);
                    clients.add(socket);
                }
                await().until(() -> streams.counts().open() == MANY);
                for (int round = 0; round < 3; round++) {
                    for (int i = 0; i < MANY; i++) {
                        clients.get(i).getOutputStream().write(bytes(round * MANY + i, 3_000 + i));
                    }
                    for (int i = 0; i < MANY; i++) {
                        readFully(clients.get(i).getInputStream(), bytes(round * MANY + i, 3_000 + i));
                    }
                }
            } finally {
                for (Socket client : clients) {
                    client.close();
                }
            }
            assertThat(streams.sessions(MANY)).allMatch(line -> line.startsWith("200 "));
            assertThat(streams.counts().sessionsByStatus()).containsEntry(200, (long) MANY);
        }
    }

    // ---- back-pressure ----

    /** Takes in what the sockets of both sides hold, and then no more. */
    @Test
    void whoIsNotReadFromHasToWait() throws Exception {
        CountDownLatch read = new CountDownLatch(1);
        byte[] piece = bytes(3, 64 * 1024);
        long total = 64L * 1024 * 1024;
        try (Backend backend = Backend.with(connection -> {
                    read.await();
                    byte[] buffer = new byte[64 * 1024];
                    long got = 0;
                    for (int n = connection.in().read(buffer);
                            n >= 0 && got < total;
                            n = connection.in().read(buffer)) {
                        got += n;
                    }
                    connection.write(got + " bytes");
                });
                Streams streams = Streams.start(to("app").halfClose(), servers("app", backend.address()));
                SocketChannel client = SocketChannel.open(new InetSocketAddress("127.0.0.1", streams.port()))) {
            client.configureBlocking(false);
            long sent = sendUntilStuck(client, piece, total);
            assertThat(sent).as("taken by buffers of sockets, in bytes").isLessThan(total / 2);
            assertThat(directMemory()).as("bytes that wait in Weir").isLessThan(16L * 1024 * 1024);
            read.countDown();
            client.configureBlocking(true);
            while (sent < total) {
                sent += client.write(ByteBuffer.wrap(piece, 0, (int) Math.min(piece.length, total - sent)));
            }
            client.shutdownOutput();
            byte[] answer = client.socket().getInputStream().readAllBytes();
            assertThat(new String(answer)).isEqualTo(total + " bytes");
        }
    }

    /** The end of a client's bytes makes Netty read what the system has of them, whoever is behind. */
    @Test
    void anEndThatIsSeenEarlyCostsNoByte() throws Exception {
        CountDownLatch read = new CountDownLatch(1);
        byte[] body = bytes(4, 3_000_000);
        CompletableFuture<byte[]> got = new CompletableFuture<>();
        try (Backend backend = Backend.with(connection -> {
                    read.await();
                    got.complete(connection.in().readAllBytes());
                });
                Streams streams = Streams.start(to("app").buffer("4k"), servers("app", backend.address()))) {
            try (Client client = streams.connect()) {
                CompletableFuture<Void> sending = CompletableFuture.runAsync(() -> {
                    try {
                        client.send(body);
                        client.socket().shutdownOutput();
                    } catch (Exception e) {
                        throw new AssertionError(e);
                    }
                });
                await().until(() -> streams.counts().open() == 1);
                read.countDown();
                sending.join();
                assertThat(Arrays.equals(got.join(), body)).isTrue();
            }
            assertThat(streams.session()).startsWith("200 3000000 0 ").contains("\"3000000\"");
        }
    }

    private static long sendUntilStuck(SocketChannel client, byte[] piece, long most) throws Exception {
        long sent = 0;
        try (Selector selector = Selector.open()) {
            client.register(selector, SelectionKey.OP_WRITE);
            // stuck is a second in which nothing could be sent
            while (sent < most && selector.select(1_000) > 0) {
                selector.selectedKeys().clear();
                sent += client.write(ByteBuffer.wrap(piece));
            }
        }
        return sent;
    }

    private static long directMemory() {
        return io.netty.buffer.PooledByteBufAllocator.DEFAULT.metric().usedDirectMemory();
    }

    // ---- ends ----

    @Test
    void aServerThatDiesEndsTheSessionInOrder() throws Exception {
        try (Backend backend = Backend.with(connection -> {
                    connection.write("half");
                    connection.in().read();
                    connection.reset();
                });
                Streams streams = Streams.start(to("app"), servers("app", backend.address()))) {
            try (Client client = streams.connect()) {
                readFully(client.in(), "half".getBytes());
                client.send("x");
                // nginx ends such a session with a FIN
                assertThat(client.isClosed()).isTrue();
            }
            assertThat(streams.session()).isEqualTo("200 1 4 \"" + backend.address() + "\" \"1\" \"4\" \"0.000\"");
            assertThat(streams.proxy().peers("app").get(0).fails()).isZero();
        }
    }

    @Test
    void aClientThatIsGoneEndsTheSessionAtItsServer() throws Exception {
        CompletableFuture<Integer> end = new CompletableFuture<>();
        try (Backend backend = Backend.with(connection -> {
                    connection.in().read();
                    end.complete(connection.in().read());
                });
                Streams streams = Streams.start(to("app"), servers("app", backend.address()))) {
            Client client = streams.connect();
            client.send("x");
            await().until(() -> backend.open() == 1);
            client.socket().setSoLinger(true, 0);
            client.close();
            assertThat(end.join()).isEqualTo(-1);
            assertThat(streams.session()).startsWith("200 1 0 ");
        }
    }

    /** A server of one thread that sends back what comes. */
    private static final class EchoServer implements AutoCloseable {

        private final Selector selector = Selector.open();
        private final java.nio.channels.ServerSocketChannel server = java.nio.channels.ServerSocketChannel.open();
        private final Thread thread = new Thread(this::run, "echo");

        EchoServer() throws Exception {
            server.bind(new InetSocketAddress("127.0.0.1", 0), 4096);
            server.configureBlocking(false);
            server.register(selector, SelectionKey.OP_ACCEPT);
            thread.setDaemon(true);
            thread.start();
        }

        int port() {
            return server.socket().getLocalPort();
        }

        private void run() {
            ByteBuffer buffer = ByteBuffer.allocate(64 * 1024);
            try {
                while (selector.isOpen()) {
                    selector.select(key -> serve(key, buffer));
                }
            } catch (Exception e) {
                if (selector.isOpen()) {
                    throw new AssertionError(e);
                }
            }
        }

        private void serve(SelectionKey key, ByteBuffer buffer) {
            try {
                if (key.isAcceptable()) {
                    SocketChannel accepted = server.accept();
                    accepted.configureBlocking(false);
                    accepted.register(selector, SelectionKey.OP_READ);
                    return;
                }
                SocketChannel channel = (SocketChannel) key.channel();
                buffer.clear();
                if (channel.read(buffer) < 0) {
                    channel.close();
                    return;
                }
                buffer.flip();
                while (buffer.hasRemaining()) {
                    channel.write(buffer);
                }
            } catch (java.io.IOException e) {
                key.cancel();
            }
        }

        @Override
        public void close() throws Exception {
            for (SelectionKey key : selector.keys()) {
                key.channel().close();
            }
            selector.close();
        }
    }
}
