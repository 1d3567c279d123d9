package io.weir.proxy;

import static io.weir.proxy.Proxy.group;
import static io.weir.proxy.RouteSpec.answering;
import static io.weir.proxy.RouteSpec.to;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** One request after the other on a client's connection: RFC 9112 section 9. */
@ExtendWith(Leaks.class)
class ClientConnectionTest {

    private static final String GET = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

    @Test
    void connectionOf1Point1StaysOpenUntilTheClientSaysClose() throws Exception {
        try (Proxy proxy = Proxy.start(List.of(), answering("a").route());
                Client client = Client.to(proxy.port())) {
            for (int i = 0; i < 3; i++) {
                assertThat(client.request(GET).field("Connection")).isNull();
            }
            Client.Response last = client.request("GET / HTTP/1.1\r\nHost: x\r\nConnection: x, CLOSE\r\n\r\n");
            assertThat(last.field("Connection")).isEqualTo("close");
            assertThat(client.isClosed()).isTrue();
        }
    }

    @Test
    void connectionOf1Point0ClosesUnlessTheClientSaysKeepAlive() throws Exception {
        try (Backend backend = Backend.saying("b");
                Proxy proxy = Proxy.start(
                        List.of(group("app", backend.address())), to("app").route())) {
            try (Client client = Client.to(proxy.port())) {
                for (int i = 0; i < 3; i++) {
                    Client.Response response = client.request("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n");
                    assertThat(response.body()).isEqualTo("b");
                    assertThat(response.field("Connection")).isEqualTo("keep-alive");
                }
                assertThat(client.request("GET / HTTP/1.0\r\n\r\n").field("Connection"))
                        .isEqualTo("close");
                assertThat(client.isClosed()).isTrue();
            }
        }
    }

    @Test
    void ownErrorsKeepTheConnection() throws Exception {
        try (Proxy proxy = Proxy.start(
                        List.of(group("app", "127.0.0.1:" + Proxy.freePort())),
                        to("app").prefix("/a").route());
                Client client = Client.to(proxy.port())) {
            for (int i = 0; i < 2; i++) {
                assertThat(client.request("GET /none HTTP/1.1\r\nHost: x\r\n\r\n")
                                .status())
                        .isEqualTo(404);
                assertThat(client.request("GET /a HTTP/1.1\r\nHost: x\r\n\r\n").status())
                        .isEqualTo(502);
                assertThat(client.request("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab")
                                .status())
                        .isEqualTo(502);
            }
        }
    }

    /** Deep in one stack they would not fit, and in one buffer they would be too many: they come one by one. */
    @Test
    void thousandsOfPipelinedRequestsOnAFixedAnswer() throws Exception {
        int requests = 20_000;
        try (Proxy proxy = Proxy.start(List.of(), answering(200, "$arg_n").route());
                Client client = Client.to(proxy.port())) {
            proxy.grant(new ClientSpec().keepaliveRequests(requests));
            CompletableFuture<Void> sender = CompletableFuture.runAsync(() -> {
                StringBuilder all = new StringBuilder();
                for (int i = 0; i < requests; i++) {
                    all.append("GET /?n=").append(i).append(" HTTP/1.1\r\nHost: x\r\n\r\n");
                }
                try {
                    client.send(all.toString());
                } catch (java.io.IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            });
            for (int i = 0; i < requests; i++) {
                assertThat(client.read().body()).isEqualTo("" + i);
            }
            sender.get();
        }
    }

    /** A gigabyte of answers, asked for at once by a client that does not read. */
    @Test
    void answersThatNobodyReadsDoNotFillTheMemory() throws Exception {
        int requests = 20_000;
        String body = "x".repeat(50_000);
        try (Proxy proxy = Proxy.start(1, List.of(), answering(200, body).route());
                Client client = Client.to(proxy.port())) {
            proxy.grant(new ClientSpec().keepaliveRequests(requests));
            long before = usedMemory();
            client.send(GET.repeat(requests));
            long[] last = {-1};
            org.awaitility.Awaitility.await()
                    .pollInterval(java.time.Duration.ofMillis(300))
                    .until(() -> client.in().available() > 0 && last[0] == (last[0] = usedMemory()));
            assertThat(usedMemory() - before).isLessThan(16 << 20);
            for (int i = 0; i < 1_000; i++) {
                assertThat(client.read().content()).hasSize(body.length());
            }
        }
    }

    private static long usedMemory() {
        return ((ByteBufAllocatorMetricProvider) ByteBufAllocator.DEFAULT)
                .metric()
                .usedDirectMemory();
    }

    @Test
    void thousandsOfPipelinedRequestsOnAnUpstream() throws Exception {
        int requests = 3_000;
        try (Backend backend = Backend.with(connection -> {
                    for (String head = connection.readRequest(); head != null; head = connection.readRequest()) {
                        String target = head.substring(head.indexOf(' ') + 1, head.indexOf(" HTTP"));
                        connection.write("HTTP/1.1 200 OK\r\nContent-Length: " + target.length() + "\r\n\r\n" + target);
                    }
                });
                Proxy proxy = Proxy.start(
                        1, List.of(group("app", backend.address())), to("app").route());
                Client client = Client.to(proxy.port())) {
            proxy.grant(new ClientSpec().keepaliveRequests(requests));
            StringBuilder all = new StringBuilder();
            for (int i = 0; i < requests; i++) {
                all.append(i % 3 == 0 ? "POST /" : "GET /").append(i).append(" HTTP/1.1\r\nHost: x\r\n");
                all.append(i % 3 == 0 ? "Content-Length: 3\r\n\r\nabc" : "\r\n");
            }
            client.send(all.toString());
            for (int i = 0; i < requests; i++) {
                assertThat(client.read().body()).isEqualTo("/" + i);
            }
            // keepalive.md 11, and keepalive_requests of 1000
            assertThat(backend.connections()).isEqualTo(3);
        }
    }

    @Test
    void nothingBehindCloseIsAnswered() throws Exception {
        try (Proxy proxy = Proxy.start(List.of(), answering("a").route());
                Client client = Client.to(proxy.port())) {
            client.send("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n" + GET.repeat(10_000));
            assertThat(client.read().body()).isEqualTo("a");
            // an orderly end, though there was more to read: a reset could have overtaken the answer
            assertThat(client.isClosed()).isTrue();
        }
    }

    @Test
    void requestMayComeByteByByteBehindAnother() throws Exception {
        try (Backend backend = Backend.saying("b");
                Proxy proxy = Proxy.start(
                        List.of(group("app", backend.address())), to("app").route());
                Client client = Client.to(proxy.port())) {
            client.send(GET + GET.substring(0, 9));
            assertThat(client.read().body()).isEqualTo("b");
            for (char c : GET.substring(9).toCharArray()) {
                client.send("" + c);
            }
            assertThat(client.read().body()).isEqualTo("b");
        }
    }

    @Test
    void clientsAreCounted() throws Exception {
        try (Proxy proxy = Proxy.start(List.of(), answering("a").route())) {
            try (Client client = Client.to(proxy.port())) {
                client.request(GET);
                assertThat(proxy.dataPlane().connections().open()).isEqualTo(1);
            }
            org.awaitility.Awaitility.await()
                    .until(() -> proxy.dataPlane().connections().open() == 0);
            assertThat(proxy.dataPlane().connections().total()).isEqualTo(1);
        }
    }
}
