package io.weir.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.control.Api;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Sessions of TCP through the packaged jar, all set over the API. */
class StreamIT {

    private static final String GROUP = "/api/v1/upstreams/s";
    private static final String LISTENER = "/api/v1/listeners/s";

    @TempDir
    private Path directory;

    /** A client whose requests all go one way, in one session. */
    private static final class Session implements AutoCloseable {

        private final Socket socket;

        Session(int port) {
            try {
                socket = new Socket(InetAddress.getLoopbackAddress(), port);
                socket.setSoTimeout(60_000);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        /** The name of the server that answers. */
        String ask(String target) {
            try {
                socket.getOutputStream()
                        .write(("GET " + target + " HTTP/1.1\r\nHost: a\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
                StringBuilder text = new StringBuilder();
                InputStream in = socket.getInputStream();
                String end = " " + target + " ";
                while (text.indexOf(end) < 0) {
                    int next = in.read();
                    assertThat(next).as("the session ended after: %s", text).isNotNegative();
                    text.append((char) next);
                }
                return text.substring(text.lastIndexOf("\n") + 1, text.indexOf(end));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        boolean hasEnded() {
            try {
                return socket.getInputStream().read() < 0;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void close() {
            try {
                socket.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private static Api.Reply ok(Api.Reply reply) {
        assertThat(reply.status()).as(reply.text()).isBetween(200, 204);
        return reply;
    }

    private static String listener(int port, String more) {
        return "{\"protocol\":\"tcp\",\"bind\":\"127.0.0.1\",\"port\":" + port + ",\"upstream\":\"s\"" + more + "}";
    }

    private static String ask(int port, String target) {
        try (Session session = new Session(port)) {
            return session.ask(target);
        }
    }

    @Test
    void sessionsFollowTheirListenerAndAreToldOf() throws IOException {
        int port = Api.freePort();
        try (NamedBackend a = NamedBackend.start("a");
                NamedBackend b = NamedBackend.start("b");
                WeirProcess weir = WeirProcess.start(directory)) {
            Api api = weir.api();
            ok(api.put(
                    GROUP,
                    "{\"protocol\":\"stream\",\"servers\":[{\"address\":\"" + a.address() + "\"},{\"address\":\""
                            + b.address() + "\"}]}"));
            ok(
                    api.put(
                            LISTENER,
                            listener(
                                    port,
                                    ",\"accessLog\":{\"path\":\"logs/s.log\",\"format\":\"$protocol $status $upstream_addr\"}")));
            try (Session first = new Session(port)) {
                assertThat(first.ask("/1")).isEqualTo("a");
                assertThat(ask(port, "/2")).as("each session has its turn").isEqualTo("b");
                assertThat(first.ask("/3")).as("and keeps its server").isEqualTo("a");
                JsonNode peer = api.get(GROUP + "/peers").json().at("/items/0");
                assertThat(peer.path("conns").asInt()).isEqualTo(1);
                assertThat(peer.path("requests").asInt()).isEqualTo(1);
                assertThat(weir.metrics().sum("weir_stream_sessions_active", "listener=\"s\""))
                        .isGreaterThanOrEqualTo(1);
                assertThat(weir.metrics().sum("weir_stream_peer_sessions_active", a.address()))
                        .isEqualTo(1);

                // a change does not touch who is there, and holds for who comes
                ok(api.patch(GROUP + "/servers/1", "{\"state\":\"down\"}"));
                assertThat(first.ask("/4")).isEqualTo("a");
                assertThat(List.of(ask(port, "/5"), ask(port, "/6"))).containsExactly("b", "b");
                ok(api.patch(GROUP + "/servers/1", "{\"state\":\"up\"}"));
            }
            await().untilAsserted(() -> {
                JsonNode times = api.get(GROUP + "/peers").json().at("/items/0/times");
                assertThat(times.path("connectMillis").isNumber()).isTrue();
                assertThat(times.path("firstByteMillis").isNumber()).isTrue();
                assertThat(times.path("sessionMillis").asDouble())
                        .isGreaterThanOrEqualTo(times.path("firstByteMillis").asDouble());
            });
            await().untilAsserted(() -> {
                assertThat(weir.metrics().sum("weir_stream_sessions_total", "listener=\"s\"", "status=\"200\""))
                        .isEqualTo(4);
                assertThat(weir.metrics().sum("weir_stream_sessions_active", "listener=\"s\""))
                        .isZero();
            });
            assertThat(weir.metrics().sum("weir_stream_group_sessions_total", "code=\"2xx\"", "group=\"s\""))
                    .isEqualTo(4);
            assertThat(weir.metrics().find("weir_group_requests_total", "group=\"s\""))
                    .isEmpty();
            assertThat(weir.metrics().sum("weir_stream_received_bytes_total", "listener=\"s\""))
                    .isPositive();
            await().untilAsserted(() -> assertThat(Files.readAllLines(directory.resolve("logs/s.log")))
                    .containsExactlyInAnyOrder(
                            "TCP 200 " + b.address(),
                            "TCP 200 " + b.address(),
                            "TCP 200 " + b.address(),
                            "TCP 200 " + a.address()));
        }
    }

    @Test
    void listenersOfStreamsComeBackAfterAKill() {
        int port = Api.freePort();
        try (NamedBackend a = NamedBackend.start("a");
                NamedBackend b = NamedBackend.start("b");
                WeirProcess weir = WeirProcess.start(directory)) {
            Api api = weir.api();
            ok(api.put(GROUP, "{\"protocol\":\"stream\",\"servers\":[{\"address\":\"" + a.address() + "\"}]}"));
            ok(api.put(
                    "/api/v1/upstreams/other",
                    "{\"protocol\":\"stream\",\"servers\":[{\"address\":\"" + b.address() + "\"}]}"));
            ok(api.put(
                    LISTENER,
                    listener(
                            port,
                            ",\"sslPreread\":true,\"routes\":[{\"name\":\"o\",\"hosts\":[\"*.example\"],\"alpn\":[\"h2\"],"
                                    + "\"upstream\":\"other\"}],\"client\":{\"access\":[{\"allow\":\"127.0.0.0/8\"},"
                                    + "{\"deny\":\"all\"}]},\"proxy\":{\"timeout\":\"1h\",\"sessionDrop\":true}")));
            assertThat(ask(port, "/plain")).as("what is not TLS goes on").isEqualTo("a");
            String before = api.everything();
            weir.kill();
            weir.start();
            assertThat(api.everything()).isEqualTo(before);
            assertThat(ask(port, "/again")).isEqualTo("a");

            // another group, another kind: nobody else has to know
            ok(api.patch(LISTENER, "{\"upstream\":\"other\",\"routes\":null,\"sslPreread\":null}"));
            assertThat(ask(port, "/moved")).isEqualTo("b");
            try (Session kept = new Session(port)) {
                assertThat(kept.ask("/kept")).isEqualTo("b");
                ok(api.patch("/api/v1/upstreams/other/servers/1", "{\"state\":\"down\"}"));
                assertThat(kept.hasEnded()).as("sessionDrop").isTrue();
            }
            ok(api.delete(LISTENER));
            ok(api.delete(GROUP));
            weir.kill();
            weir.start();
            assertThat(api.get(LISTENER).status()).isEqualTo(404);
        }
    }
}
