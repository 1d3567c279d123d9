package io.weir.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.config.ListenerProtocol;
import io.weir.config.MethodSpec;
import io.weir.config.ProxyConfig;
import io.weir.config.ServerConfig;
import io.weir.config.StreamListenerConfig;
import io.weir.config.UpstreamConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a session of TCP is at its simplest: bytes there, bytes back, and an end. */
class TcpSessionTest {

    @Test
    void bytesGoThereAndBackUntilTheServerEnds() throws IOException {
        int port = Proxy.freePort();
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                Proxy proxy = Proxy.start(List.of())) {
            UpstreamConfig group = UpstreamConfig.ofStream(
                    "db", MethodSpec.ROUND_ROBIN, List.of(ServerConfig.of(1, "127.0.0.1:" + server.getLocalPort())));
            proxy.apply(new ProxyConfig(
                    2,
                    List.of(group),
                    List.of(new StreamListenerConfig("tcp", ListenerProtocol.TCP, "127.0.0.1", port, "db"))));
            try (Socket client = new Socket("127.0.0.1", port)) {
                client.setSoTimeout(20_000);
                try (Socket peer = server.accept()) {
                    peer.setSoTimeout(20_000);
                    client.getOutputStream().write("ping".getBytes(StandardCharsets.US_ASCII));
                    assertThat(peer.getInputStream().readNBytes(4)).asString().isEqualTo("ping");
                    peer.getOutputStream().write("pong".getBytes(StandardCharsets.US_ASCII));
                    assertThat(client.getInputStream().readNBytes(4)).asString().isEqualTo("pong");
                }
                assertThat(client.getInputStream().read()).isEqualTo(-1);
            }
            proxy.assertAtRest();
        }
    }

    @Test
    void allOfAServersBytesComeHoweverSlowTheClient() throws Exception {
        int port = Proxy.freePort();
        byte[] all = new byte[8 << 20];
        new java.util.Random(1).nextBytes(all);
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                Proxy proxy = Proxy.start(List.of())) {
            UpstreamConfig group = UpstreamConfig.ofStream(
                    "db", MethodSpec.ROUND_ROBIN, List.of(ServerConfig.of(1, "127.0.0.1:" + server.getLocalPort())));
            proxy.apply(new ProxyConfig(
                    2,
                    List.of(group),
                    List.of(new StreamListenerConfig("tcp", ListenerProtocol.TCP, "127.0.0.1", port, "db"))));
            try (Socket client = new Socket("127.0.0.1", port)) {
                client.setSoTimeout(20_000);
                Thread sender = new Thread(() -> {
                    try (Socket peer = server.accept()) {
                        peer.getOutputStream().write(all);
                    } catch (IOException e) {
                        throw new java.io.UncheckedIOException(e);
                    }
                });
                sender.start();
                Thread.sleep(500);
                java.io.ByteArrayOutputStream got = new java.io.ByteArrayOutputStream();
                byte[] piece = new byte[4096];
                for (int n = client.getInputStream().read(piece);
                        n >= 0;
                        n = client.getInputStream().read(piece)) {
                    got.write(piece, 0, n);
                    if (got.size() % 100 == 0) {
                        Thread.sleep(1);
                    }
                }
                assertThat(got.toByteArray()).isEqualTo(all);
                sender.join();
            }
        }
    }
}
