package io.weir.proxy;

import static io.weir.proxy.Proxy.group;
import static io.weir.proxy.RouteSpec.to;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Slow clients of upstreams that are done early: what an upstream has sent is delivered before its close is acted on,
 * wherever the two meet while the proxy holds its reading. {@code -Dweir.rounds=100} for longer.
 */
@ExtendWith(Leaks.class)
class SlowClientTest {

    private static final int ROUNDS = Integer.getInteger("weir.rounds", 4);
    private static final int CLIENTS = 12;

    /** Around the sizes of buffers and water marks, and what fills those of sockets. */
    private static final int[] LENGTHS = {
        1, 2_000, 2_048, 65_536, 65_537, 190_000, 196_608, 200_000, 262_144, 700_000, 1_500_000, 3_000_000
    };

    private enum Framing {
        LENGTH,
        CHUNKED,
        CLOSE
    }

    private static byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    /** Writes the whole response and closes at once. */
    private static Backend backend(Framing framing) {
        return Backend.with(connection -> {
            String head = connection.readRequest();
            int length = Integer.parseInt(head.substring(head.indexOf('/') + 1, head.indexOf(" HTTP")));
            byte[] body = bytes(length);
            ByteArrayOutputStream out = new ByteArrayOutputStream(length + 1024);
            out.writeBytes("HTTP/1.1 200 OK\r\n".getBytes());
            switch (framing) {
                case LENGTH -> out.writeBytes(("Content-Length: " + length + "\r\n\r\n").getBytes());
                case CHUNKED -> out.writeBytes("Transfer-Encoding: chunked\r\n\r\n".getBytes());
                case CLOSE -> out.writeBytes("Connection: close\r\n\r\n".getBytes());
            }
            if (framing == Framing.CHUNKED) {
                for (int begin = 0; begin < length; begin += 50_000) {
                    byte[] chunk = Arrays.copyOfRange(body, begin, Math.min(length, begin + 50_000));
                    out.writeBytes((Integer.toHexString(chunk.length) + "\r\n").getBytes());
                    out.writeBytes(chunk);
                    out.writeBytes("\r\n".getBytes());
                }
                out.writeBytes("0\r\n\r\n".getBytes());
            } else {
                out.writeBytes(body);
            }
            connection.write(out.toByteArray());
        });
    }

    @ParameterizedTest
    @EnumSource
    void nothingIsLostBehindAnEarlyClose(Framing framing) throws Exception {
        ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
        try (Backend backend = backend(framing);
                Proxy proxy = Proxy.start(
                        List.of(group("app", backend.address())), to("app").route())) {
            List<Future<Void>> running = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                Random random = new Random(i);
                String version = i % 2 == 0 ? "1.1" : "1.0";
                running.add(clients.submit((Callable<Void>) () -> {
                    for (int round = 0; round < ROUNDS; round++) {
                        int length = LENGTHS[random.nextInt(LENGTHS.length)];
                        assertThat(readSlowly(proxy.port(), version, length, random))
                                .as("%s, HTTP/%s, %d bytes", framing, version, length)
                                .isEqualTo(bytes(length));
                    }
                    return null;
                }));
            }
            for (Future<Void> client : running) {
                client.get();
            }
        } finally {
            clients.shutdown();
        }
    }

    /** The body that a client gets which reads by fits and starts. */
    private static byte[] readSlowly(int port, String version, int length, Random random) throws Exception {
        try (Client client = Client.to(port)) {
            client.socket().setReceiveBufferSize(32_768 << random.nextInt(4));
            client.send("GET /" + length + " HTTP/" + version + "\r\nHost: x\r\nConnection: close\r\n\r\n");
            Thread.sleep(random.nextInt(30));
            ByteArrayOutputStream got = new ByteArrayOutputStream(length);
            byte[] piece = new byte[8192 << random.nextInt(6)];
            int pauses = 40;
            for (int n = client.in().read(piece); n >= 0; n = client.in().read(piece)) {
                got.write(piece, 0, n);
                if (pauses > 0 && random.nextInt(4) == 0) {
                    pauses--;
                    Thread.sleep(random.nextInt(8));
                }
            }
            java.io.InputStream all = new java.io.ByteArrayInputStream(got.toByteArray());
            String head = HttpText.readHead(all);
            boolean delimited =
                    HttpText.field(head, "Content-Length") != null || HttpText.field(head, "Transfer-Encoding") != null;
            return delimited ? HttpText.readBody(head, all) : all.readAllBytes();
        }
    }
}
