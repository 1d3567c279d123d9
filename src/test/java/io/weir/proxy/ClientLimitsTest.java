package io.weir.proxy;

import static io.weir.proxy.Proxy.group;
import static io.weir.proxy.RouteSpec.answering;
import static io.weir.proxy.RouteSpec.to;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.proxy.http.ConnectionCounts;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What a listener grants its clients, and that a change holds for what begins after it. */
@ExtendWith(Leaks.class)
class ClientLimitsTest {

    private static final String GET = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

    // ---- requests on a connection ----

    /** nginx: the response to the last one says so. */
    @Test
    void connectionEndsWithTheLastRequestItMayHave() throws Exception {
        try (Proxy proxy = Proxy.start(List.of(), answering("a").route())) {
            proxy.grant(new ClientSpec().keepaliveRequests(3));
            try (Client client = Client.to(proxy.port())) {
                assertThat(client.request(GET).field("Connection")).isNull();
                assertThat(client.request(GET).field("Connection")).isNull();
                assertThat(client.request(GET).field("Connection")).isEqualTo("close");
                assertThat(client.isClosed()).isTrue();
            }
            try (Client pipelining = Client.to(proxy.port())) {
                pipelining.send(GET.repeat(5));
                for (int i = 0; i < 3; i++) {
                    assertThat(pipelining.read().body()).isEqualTo("a");
                }
                assertThat(pipelining.isClosed()).isTrue();
            }
        }
    }

    @Test
    void withoutTimeToKeepAConnectionEachHasOneRequest() throws Exception {
        try (Proxy proxy = Proxy.start(List.of(), answering("a").route());
                Client open = Client.to(proxy.port())) {
            assertThat(open.request(GET).field("Connection")).isNull();
            proxy.grant(new ClientSpec().keepaliveTimeout("0s"));
            assertThat(open.request(GET).field("Connection")).isEqualTo("close");
            assertThat(open.isClosed()).isTrue();
        }
    }

    // ---- times ----

    @Test
    void headThatTricklesHasTheTimeOfAWholeHead() throws Exception {
        MovableTicker ticker = new MovableTicker();
        try (Proxy proxy = Proxy.start(1, ticker, List.of(), answering("a").route())) {
            proxy.grant(new ClientSpec().headerTimeout("10m"));
            try (Client client = Client.to(proxy.port())) {
                client.send("GET / HTTP/1.1\r\n");
                // accepted behind it, so its time runs
                assertThat(Client.get(proxy.port(), "/").body()).isEqualTo("a");
                for (int i = 0; i < 4; i++) {
                    ticker.skip(Duration.ofMinutes(2));
                    client.send("X-" + i + ": y\r\n");
                    assertThat(Client.get(proxy.port(), "/").body()).isEqualTo("a");
                }
                assertThat(proxy.dataPlane().connections().open()).isPositive();
                ticker.skip(Duration.ofMinutes(3));
                Client.Response response = client.read();
                assertThat(response.status()).isEqualTo(408);
                assertThat(client.isClosed()).isTrue();
            }
        }
    }

    /** Half of it came with the request before, so no byte of it begins the time. */
    @Test
    void pipelinedHeadThatStopsTimesOutAsAHead() throws Exception {
        try (Proxy proxy = Proxy.start(List.of(), answering("a").route())) {
            proxy.grant(new ClientSpec().headerTimeout("300ms").keepaliveTimeout("10m"));
            try (Client client = Client.to(proxy.port())) {
                client.send(GET + "GET / HT");
                assertThat(client.read().status()).isEqualTo(200);
                assertThat(client.read().status()).isEqualTo(408);
            }
        }
    }

    @Test
    void timesOfBodyAndIdleConnectionsAreThoseOfTheListener() throws Exception {
        try (Backend backend = Backend.saying("a");
                Proxy proxy = Proxy.start(
                        List.of(group("app", backend.address())), to("app").route())) {
            proxy.grant(new ClientSpec().bodyTimeout("300ms").keepaliveTimeout("300ms"));
            try (Client client = Client.to(proxy.port())) {
                assertThat(client.request("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc")
                                .status())
                        .isEqualTo(408);
                assertThat(client.isClosed()).isTrue();
            }
            try (Client client = Client.to(proxy.port())) {
                assertThat(client.request(GET).body()).isEqualTo("a");
                assertThat(client.isClosed()).isTrue();
            }
        }
    }

    @Test
    void clientThatTakesNothingIsClosedAfterSendTimeout() throws Exception {
        try (Backend backend = Backend.with(connection -> {
                    connection.readRequest();
                    connection.write("HTTP/1.1 200 OK\r\nContent-Length: " + (64 << 20) + "\r\n\r\n");
                    connection.write(new byte[64 << 20]);
                });
                Proxy proxy = Proxy.start(
                        List.of(group("app", backend.address())), to("app").route())) {
            proxy.grant(new ClientSpec().sendTimeout("500ms"));
            try (Client client = Client.to(proxy.port())) {
                client.send(GET);
                await().until(() -> proxy.dataPlane().connections().total() == 1
                        && proxy.dataPlane().connections().open() == 0);
                await().until(() -> backend.open() == 0);
            }
        }
    }

    // ---- heads ----

    static Stream<Arguments> heads() {
        String line = " HTTP/1.1\r\n";
        String end = "Host: x\r\n\r\n";
        return Stream.of(
                // a buffer holds a line with its end
                Arguments.of("GET /" + "a".repeat(1024 - 16) + line + end, 200),
                Arguments.of("GET /" + "a".repeat(1024 - 15) + line + end, 414),
                Arguments.of("GET /" + line + "A: " + "a".repeat(1024 - 5) + "\r\n" + end, 200),
                Arguments.of("GET /" + line + "A: " + "a".repeat(1024 - 4) + "\r\n" + end, 431),
                Arguments.of("GET /" + line + ("A: " + "a".repeat(900) + "\r\n").repeat(2) + end, 200),
                Arguments.of("GET /" + line + ("A: " + "a".repeat(900) + "\r\n").repeat(3) + end, 431),
                Arguments.of("GET /" + line + "A: b\r\n".repeat(9) + end, 200),
                Arguments.of("GET /" + line + "A: b\r\n".repeat(10) + end, 431),
                // without an end of the line in sight
                Arguments.of("GET /" + "a".repeat(4096), 414),
                Arguments.of("GET /" + line + "A".repeat(1030), 431),
                Arguments.of("GET /" + line + "A: " + "a".repeat(1030), 431));
    }

    @ParameterizedTest
    @MethodSource("heads")
    void headsAreAsLongAsTheBuffers(String head, int status) throws Exception {
        try (Proxy proxy = Proxy.start(List.of(), answering("a").route());
                Client client = Client.to(proxy.port())) {
            proxy.grant(new ClientSpec().headerBuffers(2, "1k").maxHeaders(10));
            assertThat(client.request(head).status()).isEqualTo(status);
        }
    }

    @Test
    void headsMayBeLongerThanByDefault() throws Exception {
        try (Proxy proxy = Proxy.start(List.of(), answering(200, "$http_a").route());
                Client client = Client.to(proxy.port())) {
            proxy.grant(new ClientSpec().headerBuffers(4, "64k").maxHeaders(3_000));
            String value = "a".repeat(60_000);
            assertThat(client.request("GET /" + value + " HTTP/1.1\r\nHost: x\r\nA: " + value + "\r\n\r\n")
                            .body())
                    .isEqualTo(value);
            assertThat(client.request("GET / HTTP/1.1\r\nHost: x\r\n" + "B: c\r\n".repeat(2_900) + "A: b\r\n\r\n")
                            .body())
                    .isEqualTo("b");
        }
    }

    // ---- numbers of connections ----

    @Test
    void connectionsBeyondTheLimitAreClosedAtOnce() throws Exception {
        try (Proxy proxy = Proxy.start(List.of(), answering("a").route())) {
            ConnectionCounts counts = proxy.dataPlane().connections();
            proxy.grant(new ClientSpec().maxConnections(2));
            try (Client first = Client.to(proxy.port())) {
                try (Client second = Client.to(proxy.port())) {
                    assertThat(first.request(GET).body()).isEqualTo("a");
                    assertThat(second.request(GET).body()).isEqualTo("a");
                    assertRefused(proxy, "127.0.0.1");
                    assertThat(counts.overLimit()).isEqualTo(1);
                    // whoever is there goes on
                    assertThat(first.request(GET).body()).isEqualTo("a");
                }
                await().until(() -> counts.open() == 1);
                assertThat(Client.get(proxy.port(), "/").body()).isEqualTo("a");
                await().until(() -> counts.open() == 1);
                proxy.grant(new ClientSpec().maxConnections(1));
                assertRefused(proxy, "127.0.0.1");
                proxy.grant(new ClientSpec());
                assertThat(Client.get(proxy.port(), "/").body()).isEqualTo("a");
            }
            await().until(() -> counts.open() == 0);
            assertThat(counts.overLimit()).isEqualTo(2);
            assertThat(counts.overLimitOfAddress()).isZero();
        }
    }

    @Test
    void oneAddressDoesNotTakeThePlaceOfOthers() throws Exception {
        try (Proxy proxy = Proxy.start(List.of(), answering("a").route())) {
            ConnectionCounts counts = proxy.dataPlane().connections();
            proxy.grant(new ClientSpec().maxConnectionsPerAddress(1));
            try (Client client = Client.from("127.0.0.2", proxy.port());
                    Client other = Client.from("127.0.0.3", proxy.port())) {
                assertThat(client.request(GET).body()).isEqualTo("a");
                assertThat(other.request(GET).body()).isEqualTo("a");
                assertRefused(proxy, "127.0.0.2");
                assertRefused(proxy, "127.0.0.3");
            }
            await().until(() -> counts.open() == 0);
            assertThat(counts.overLimitOfAddress()).isEqualTo(2);
            assertThat(counts.overLimit()).isZero();
            try (Client again = Client.from("127.0.0.2", proxy.port())) {
                assertThat(again.request(GET).body()).isEqualTo("a");
            }
        }
    }

    /** Many at once: never more than the limit, and all places are free again afterwards. */
    @Test
    void limitHoldsWhenManyComeAtOnce() throws Exception {
        try (Proxy proxy = Proxy.start(2, List.of(), answering("a").route())) {
            ConnectionCounts counts = proxy.dataPlane().connections();
            proxy.grant(new ClientSpec().maxConnections(20));
            List<Client> clients = new ArrayList<>();
            try {
                for (int i = 0; i < 200; i++) {
                    clients.add(Client.to(proxy.port()));
                }
                await().until(() -> counts.total() == 200 && counts.open() == 20);
                assertThat(counts.overLimit()).isEqualTo(180);
            } finally {
                for (Client client : clients) {
                    client.close();
                }
            }
            await().until(() -> counts.open() == 0);
            assertThat(Client.get(proxy.port(), "/").body()).isEqualTo("a");
        }
    }

    private static void assertRefused(Proxy proxy, String from) throws IOException {
        try (Client client = Client.from(from, proxy.port())) {
            assertThat(client.isClosed()).isTrue();
        }
    }
}
