package io.weir.proxy;

import static io.weir.proxy.RouteSpec.answering;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.config.AccessLogConfig;
import io.weir.config.Cidr;
import io.weir.config.HttpListenerConfig;
import io.weir.config.ProxyConfig;
import io.weir.config.RealIpConfig;
import io.weir.config.RouteConfig;
import java.io.IOException;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** {@code listen ... proxy_protocol}; what of a header is right is for {@code ProxyHeaderParserTest}. */
@ExtendWith(Leaks.class)
class ProxyProtocolTest {

    private static final RouteConfig SHOWN = answering(
                    200,
                    "$proxy_protocol_addr $proxy_protocol_port"
                            + " $proxy_protocol_server_addr $proxy_protocol_server_port"
                            + " | $remote_addr | $realip_remote_addr")
            .route();
    private static final String GET = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
    private static final String V1 = "PROXY TCP4 192.0.2.1 198.51.100.2 567 443\r\n";
    private static final String V2 = binary("2111000c" + "c0000201c6336402" + "023701bb");
    private static final String V2_INET6 =
            binary("21210024" + "20010db8000000000000000000000001" + "20010db8000000000000000000000002" + "02370050");
    private static final String LOCAL = binary("20000000");
    private static final String NAMED = "192.0.2.1 567 198.51.100.2 443 | 127.0.0.1 | 127.0.0.1";

    private static final RealIpConfig LOOPBACK =
            new RealIpConfig(List.of(Cidr.parse("127.0.0.0/8")), "proxy_protocol", false);

    private static String binary(String rest) {
        byte[] bytes = HexFormat.of().parseHex("0d0a0d0a000d0a515549540a" + rest);
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    private static void apply(Proxy proxy, boolean proxyProtocol, RealIpConfig realIp) {
        proxy.apply(new ProxyConfig(
                proxy.active().current().revision() + 1,
                List.of(),
                List.of(new HttpListenerConfig(
                        "web",
                        "127.0.0.1",
                        proxy.port(),
                        proxyProtocol,
                        realIp,
                        AccessLogConfig.DEFAULT,
                        List.of(SHOWN)))));
    }

    private static Proxy start(RealIpConfig realIp) {
        Proxy proxy = Proxy.start(List.of(), SHOWN);
        apply(proxy, true, realIp);
        return proxy;
    }

    /** Without an answer; a reset if bytes were left unread. */
    private static void assertClosedWithoutAnswer(Client client) throws IOException {
        try {
            assertThat(client.readAll()).isEmpty();
        } catch (SocketException e) {
            assertThat(e).hasMessageContaining("reset");
        }
    }

    @Test
    void headerBeforeTheFirstRequestTellsTheVariables() throws Exception {
        try (Proxy proxy = start(null)) {
            for (String header : List.of(V1, V2)) {
                try (Client client = Client.to(proxy.port())) {
                    assertThat(client.request(header + GET).body()).isEqualTo(NAMED);
                    // it holds for the connection
                    assertThat(client.request(GET).body()).isEqualTo(NAMED);
                }
            }
            try (Client client = Client.to(proxy.port())) {
                assertThat(client.request(V2_INET6 + GET).body())
                        .isEqualTo("2001:db8::1 567 2001:db8::2 80 | 127.0.0.1 | 127.0.0.1");
            }
            for (String header : List.of("PROXY UNKNOWN\r\n", LOCAL)) {
                try (Client client = Client.to(proxy.port())) {
                    assertThat(client.request(header + GET).body()).isEqualTo("    | 127.0.0.1 | 127.0.0.1");
                }
            }
        }
    }

    @Test
    void headerIsTheClientIfItsSenderIsTrusted() throws Exception {
        try (Proxy proxy = start(LOOPBACK)) {
            try (Client client = Client.to(proxy.port())) {
                client.send(V1);
                assertThat(client.request(GET.replace("\r\n\r\n", "\r\nX-Real-IP: 1.1.1.1\r\n\r\n"))
                                .body())
                        .endsWith("| 192.0.2.1 | 127.0.0.1");
                assertThat(client.request(GET).body()).endsWith("| 192.0.2.1 | 127.0.0.1");
            }
            try (Client client = Client.to(proxy.port())) {
                assertThat(client.request(LOCAL + GET).body()).endsWith("| 127.0.0.1 | 127.0.0.1");
            }
            apply(proxy, true, new RealIpConfig(List.of(Cidr.parse("10.0.0.0/8")), "proxy_protocol", false));
            try (Client client = Client.to(proxy.port())) {
                assertThat(client.request(V1 + GET).body()).endsWith("| 127.0.0.1 | 127.0.0.1");
            }
        }
    }

    /** Differs from nginx, which wants the whole header at its first read. */
    @Test
    void headerAndRequestMayBeSplitAnywhere() throws Exception {
        try (Proxy proxy = start(null)) {
            List<Client> clients = new ArrayList<>();
            try {
                for (String header : List.of(V1, V2)) {
                    for (int i = 1; i < header.length() + 3; i++) {
                        Client client = Client.to(proxy.port());
                        clients.add(client);
                        client.send((header + GET).substring(0, i));
                    }
                }
                // time for all of them to have been read
                await().until(() -> proxy.dataPlane().connections().total() == clients.size());
                int next = 0;
                for (String header : List.of(V1, V2)) {
                    for (int i = 1; i < header.length() + 3; i++) {
                        Client.Response response = clients.get(next++).request((header + GET).substring(i));
                        assertThat(response.body()).as("split at %d", i).isEqualTo(NAMED);
                    }
                }
            } finally {
                for (Client client : clients) {
                    client.close();
                }
            }
        }
    }

    @Test
    void headerMayComeByteByByte() throws Exception {
        try (Proxy proxy = start(null);
                Client client = Client.to(proxy.port())) {
            for (char c : (V2 + GET).toCharArray()) {
                client.send(new byte[] {(byte) c});
            }
            assertThat(client.read().body()).isEqualTo(NAMED);
        }
    }

    @Test
    void requestsArePipelinedBehindTheHeader() throws Exception {
        try (Proxy proxy = start(null);
                Client client = Client.to(proxy.port())) {
            client.send(V1 + GET + GET + GET);
            for (int i = 0; i < 3; i++) {
                assertThat(client.read().body()).isEqualTo(NAMED);
            }
        }
    }

    static Stream<String> broken() {
        return Stream.of(
                GET,
                "G",
                "\r\n" + GET,
                "PROXY\r\n" + GET,
                V1.replace("\r\n", "\n") + GET,
                V1.replace("567", "65536") + GET,
                "PROXY UNKNOWN " + "x".repeat(200) + "\r\n" + GET,
                binary("1111000c" + "c0000201c6336402" + "023701bb") + GET,
                binary("2111000b" + "c0000201c6336402" + "023701") + GET,
                binary("2111ffff"),
                binary("21110013" + "c0000201c6336402" + "023701bb" + "030004" + "00000000") + GET);
    }

    @ParameterizedTest
    @MethodSource
    void broken(String bytes) throws Exception {
        try (Proxy proxy = start(null);
                Client client = Client.to(proxy.port())) {
            client.send(bytes);
            assertClosedWithoutAnswer(client);
            await().until(() -> proxy.dataPlane().connections().open() == 0);
            assertThat(proxy.dataPlane().connections().total()).isEqualTo(1);
        }
    }

    /** A second header is a request that cannot be read. */
    @Test
    void headerComesOnce() throws Exception {
        try (Proxy proxy = start(null);
                Client client = Client.to(proxy.port())) {
            assertThat(client.request(V1 + V1 + GET).status()).isEqualTo(400);
        }
    }

    @Test
    void clientThatEndsInTheHeaderIsForgotten() throws Exception {
        try (Proxy proxy = start(null)) {
            try (Client client = Client.to(proxy.port())) {
                client.send(V1.substring(0, 20));
                client.socket().shutdownOutput();
                assertClosedWithoutAnswer(client);
            }
            await().until(() -> proxy.dataPlane().connections().open() == 0);
        }
    }

    @Test
    void headerThatDoesNotComeIsWaitedForAsForARequest() throws Exception {
        for (String begun : List.of("", V1.substring(0, 20), V2.substring(0, 20), V1)) {
            MovableTicker ticker = new MovableTicker();
            try (Proxy proxy = Proxy.start(1, ticker, List.of(), SHOWN)) {
                apply(proxy, true, null);
                try (Client client = Client.to(proxy.port())) {
                    client.send(begun);
                    await().until(() -> proxy.dataPlane().connections().open() == 1);
                    await().pollInterval(Duration.ofMillis(50)).until(() -> {
                        ticker.skip(Duration.ofSeconds(61));
                        return proxy.dataPlane().connections().open() == 0;
                    });
                    assertClosedWithoutAnswer(client);
                }
            }
        }
    }

    @Test
    void changeHoldsForNewConnections() throws Exception {
        try (Proxy proxy = Proxy.start(List.of(), SHOWN);
                Client plain = Client.to(proxy.port())) {
            assertThat(plain.request(GET).status()).isEqualTo(200);
            apply(proxy, true, LOOPBACK);
            assertThat(plain.request(GET).body()).endsWith("| 127.0.0.1 | 127.0.0.1");
            try (Client proxied = Client.to(proxy.port())) {
                assertThat(proxied.request(V1 + GET).body()).endsWith("| 192.0.2.1 | 127.0.0.1");
                apply(proxy, false, null);
                assertThat(proxied.request(GET).body()).isEqualTo(NAMED);
            }
            try (Client after = Client.to(proxy.port())) {
                assertThat(after.request(GET).status()).isEqualTo(200);
            }
            assertThat(plain.request(GET).status()).isEqualTo(200);
        }
    }

    /** A socket that is bound before its change is certain already asks for the header. */
    @Test
    void clientOfAListenerThatIsPreparedMeetsIt() throws Exception {
        int port = Proxy.freePort();
        try (Proxy proxy = Proxy.start(List.of(), SHOWN)) {
            var change = proxy.active()
                    .prepare(new ProxyConfig(
                            2,
                            List.of(),
                            List.of(new HttpListenerConfig(
                                    "early",
                                    "127.0.0.1",
                                    port,
                                    true,
                                    LOOPBACK,
                                    AccessLogConfig.DEFAULT,
                                    List.of(SHOWN)))));
            try (Client client = Client.to(port)) {
                client.send(V1 + GET);
                await().until(() -> proxy.dataPlane().connections().open() == 1);
                change.commit();
                assertThat(client.read().body()).endsWith("| 192.0.2.1 | 127.0.0.1");
            }
        }
    }
}
