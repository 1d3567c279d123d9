package io.weir.proxy;

import static io.weir.proxy.StreamSpec.routing;
import static io.weir.proxy.StreamSpec.to;
import static io.weir.proxy.Streams.echo;
import static io.weir.proxy.Streams.greeting;
import static io.weir.proxy.Streams.servers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.config.AdminState;
import io.weir.config.ProxyHeaderVersion;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What comes before a peer is chosen: stream.md sections 1, 7, 8 and 9. */
@ExtendWith(Leaks.class)
class StreamAdmissionTest {

    private static final String REJECTED = " \"-\" \"-\" \"-\" \"-\"";

    private static String read(Client client, int length) throws Exception {
        return new String(client.in().readNBytes(length));
    }

    /** Also with a reset, which is what bytes that nobody has read make of a close. */
    private static boolean isRefused(Client client) throws Exception {
        try {
            return client.isClosed();
        } catch (SocketException e) {
            return true;
        }
    }

    // ---- access ----

    @ParameterizedTest
    @CsvSource({"127.0.0.1, false", "127.0.0.2, true", "127.0.1.1, false"})
    void theFirstRuleAboutAnAddressCounts(String address, boolean let) throws Exception {
        try (Backend backend = greeting("hi");
                Streams streams = Streams.start(
                        to("app").deny("127.0.0.1").allow("127.0.0.0/24").deny("all"),
                        servers("app", backend.address()))) {
            try (Client client = Client.from(address, streams.port())) {
                if (let) {
                    assertThat(read(client, 2)).isEqualTo("hi");
                } else {
                    assertThat(isRefused(client)).isTrue();
                }
            }
            if (let) {
                assertThat(streams.session()).startsWith("200 0 2 ");
            } else {
                assertThat(streams.session()).isEqualTo("403 0 0" + REJECTED);
                assertThat(streams.counts().sessionsByStatus()).containsEntry(403, 1L);
                assertThat(backend.connections()).isZero();
            }
        }
    }

    // ---- limits ----

    @Test
    void thereAreAsManySessionsAsAreGranted() throws Exception {
        try (Backend backend = greeting("hi");
                Streams streams = Streams.start(to("app").maxConnections(1), servers("app", backend.address()))) {
            try (Client first = streams.connect();
                    Client second = streams.connect()) {
                assertThat(read(first, 2)).isEqualTo("hi");
                assertThat(isRefused(second)).isTrue();
                assertThat(streams.session()).isEqualTo("503 0 0" + REJECTED);
            }
            await().until(() -> streams.counts().open() == 0);
            try (Client third = streams.connect()) {
                assertThat(read(third, 2)).isEqualTo("hi");
            }
        }
    }

    @Test
    void anAddressHasAsManySessionsAsAreGranted() throws Exception {
        try (Backend backend = greeting("hi");
                Streams streams = Streams.start(to("app").maxPerAddress(1), servers("app", backend.address()));
                Client first = Client.from("127.0.0.1", streams.port())) {
            assertThat(read(first, 2)).isEqualTo("hi");
            try (Client second = Client.from("127.0.0.1", streams.port());
                    Client other = Client.from("127.0.0.2", streams.port())) {
                assertThat(isRefused(second)).isTrue();
                assertThat(read(other, 2)).isEqualTo("hi");
            }
            assertThat(streams.sessions(2)).anyMatch(line -> line.equals("503 0 0" + REJECTED));
        }
    }

    // ---- the PROXY protocol, in ----

    @Test
    void aHeaderTellsTheClientAndItsBytesFollow() throws Exception {
        try (Backend backend = echo();
                Streams streams = Streams.startLogging(
                        "$status $remote_addr:$remote_port $realip_remote_addr $proxy_protocol_addr"
                                + " $proxy_protocol_server_port $bytes_received",
                        to("app").expectingHeader().realIp("127.0.0.1"),
                        servers("app", backend.address()))) {
            try (Client client = streams.connect()) {
                client.send("PROXY TCP4 192.0.2.7 192.0.2.8 ");
                client.send("1234 443\r\nhello");
                assertThat(read(client, 5)).isEqualTo("hello");
            }
            assertThat(streams.session()).isEqualTo("200 192.0.2.7:1234 127.0.0.1 192.0.2.7 443 5");
        }
    }

    @Test
    void aHeaderOfSomebodyWhoIsNotTrustedChangesNobody() throws Exception {
        try (Backend backend = echo();
                Streams streams = Streams.startLogging(
                        "$remote_addr $proxy_protocol_addr",
                        to("app").expectingHeader().realIp("10.0.0.0/8").deny("192.0.2.7"),
                        servers("app", backend.address()))) {
            try (Client client = streams.connect()) {
                client.send("PROXY TCP4 192.0.2.7 192.0.2.8 1234 443\r\nx");
                assertThat(read(client, 1)).isEqualTo("x");
            }
            assertThat(streams.session()).isEqualTo("127.0.0.1 192.0.2.7");
        }
    }

    @Test
    void whoTheHeaderTellsIsWhoIsLetIn() throws Exception {
        try (Backend backend = echo();
                Streams streams = Streams.start(
                        to("app").expectingHeader().realIp("127.0.0.1").deny("192.0.2.7"),
                        servers("app", backend.address()));
                Client client = streams.connect()) {
            client.send("PROXY TCP4 192.0.2.7 192.0.2.8 1234 443\r\nx");
            assertThat(isRefused(client)).isTrue();
            assertThat(streams.session()).isEqualTo("403 0 0" + REJECTED);
        }
    }

    @Test
    void aMissingOrBrokenHeaderIsRefused() throws Exception {
        try (Backend backend = echo();
                Streams streams = Streams.start(to("app").expectingHeader(), servers("app", backend.address()))) {
            try (Client client = streams.connect()) {
                client.send("GET / HTTP/1.0\r\n\r\n");
                assertThat(isRefused(client)).isTrue();
            }
            try (Client client = streams.connect()) {
                client.send("PROXY TCP4 192.0.2.7");
                client.socket().shutdownOutput();
                assertThat(isRefused(client)).isTrue();
            }
            assertThat(streams.sessions(2)).allMatch(line -> line.equals("400 0 0" + REJECTED));
            assertThat(streams.counts().sessionsByStatus()).containsEntry(400, 2L);
        }
    }

    @Test
    void silenceInPlaceOfAHeaderEnds() throws Exception {
        MovableTicker ticker = new MovableTicker();
        try (Backend backend = echo();
                Streams streams = Streams.start(
                        1, ticker, to("app").expectingHeader().headerTimeout("1h"), servers("app", backend.address()));
                Client client = streams.connect()) {
            client.send("PROXY");
            await().until(() -> streams.counts().open() == 1);
            skipUntilOver(ticker, streams);
            assertThat(isRefused(client)).isTrue();
            assertThat(streams.session()).isEqualTo("200 0 0" + REJECTED);
        }
    }

    private static void skipUntilOver(MovableTicker ticker, Streams streams) {
        await().until(() -> {
            ticker.skip(Duration.ofHours(1));
            return streams.counts().open() == 0;
        });
    }

    // ---- the PROXY protocol, out ----

    @Test
    void theServerGetsALineFirst() throws Exception {
        CompletableFuture<String> got = new CompletableFuture<>();
        try (Backend backend = Backend.with(
                        connection -> got.complete(new String(connection.in().readAllBytes())));
                Streams streams =
                        Streams.start(to("app").sending(ProxyHeaderVersion.V1), servers("app", backend.address()))) {
            int port;
            try (Client client = streams.connect()) {
                port = client.socket().getLocalPort();
                client.send("hello");
            }
            String header = "PROXY TCP4 127.0.0.1 127.0.0.1 " + port + " " + streams.port() + "\r\n";
            assertThat(got.join()).isEqualTo(header + "hello");
            // what the server was sent has the header in it, what the client has sent has not
            assertThat(streams.session()).startsWith("200 5 0 ").contains("\"" + (header.length() + 5) + "\"");
        }
    }

    /** [V31]: 12 bytes of addresses and 7 of a checksum. */
    @Test
    void theServerGetsABinaryHeaderFirst() throws Exception {
        CompletableFuture<byte[]> got = new CompletableFuture<>();
        try (Backend backend =
                        Backend.with(connection -> got.complete(connection.in().readNBytes(35)));
                Streams streams =
                        Streams.start(to("app").sending(ProxyHeaderVersion.V2), servers("app", backend.address()));
                Client client = streams.connect()) {
            byte[] header = got.join();
            assertThat(HexFormat.of().formatHex(header, 0, 24))
                    .isEqualTo("0d0a0d0a000d0a515549540a" + "21110013" + "7f0000017f000001");
            assertThat(ByteBuffer.wrap(header).getShort(24) & 0xffff)
                    .isEqualTo(client.socket().getLocalPort());
        }
    }

    @Test
    void aHeaderThatCameGoesOnWhereRealIpTookIt() throws Exception {
        CompletableFuture<String> got = new CompletableFuture<>();
        try (Backend backend = Backend.with(
                        connection -> got.complete(new String(connection.in().readAllBytes())));
                Streams streams = Streams.start(
                        to("app").expectingHeader().realIp("127.0.0.1").sending(ProxyHeaderVersion.V1),
                        servers("app", backend.address()))) {
            try (Client client = streams.connect()) {
                client.send("PROXY TCP4 192.0.2.7 192.0.2.8 1234 443\r\nx");
                await().until(() -> backend.open() == 1);
            }
            assertThat(got.join()).isEqualTo("PROXY TCP4 192.0.2.7 127.0.0.1 1234 " + streams.port() + "\r\nx");
        }
    }

    // ---- ssl_preread ----

    /** What the JDK's own client begins with. */
    private static byte[] hello(String name, String... protocols) throws Exception {
        SSLEngine engine = SSLContext.getDefault().createSSLEngine();
        engine.setUseClientMode(true);
        SSLParameters parameters = engine.getSSLParameters();
        parameters.setApplicationProtocols(protocols);
        if (!name.isEmpty()) {
            parameters.setServerNames(List.of(new SNIHostName(name)));
        }
        engine.setSSLParameters(parameters);
        ByteBuffer out = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
        engine.wrap(ByteBuffer.allocate(0), out);
        return Arrays.copyOf(out.array(), out.position());
    }

    private static StreamSpec routes() {
        return to("rest")
                .preread()
                .route("leading", "*.example.org", "", "b")
                .route("longer", "*.shop.example.org", "", "c")
                .route("exact", "a.shop.example.org", "h2", "a")
                .route("trailing", "www.example.*", "", "d")
                .route("any", "", "imap", "e");
    }

    @ParameterizedTest
    @CsvSource({
        "a.shop.example.org, h2,        a",
        "A.Shop.Example.ORG, h2,        a",
        "a.shop.example.org, http/1.1,  c",
        "b.shop.example.org, h2,        c",
        "shop.example.org,   h2,        b",
        "www.example.org,    h2,        b",
        "www.example.net,    h2,        d",
        "example.org,        h2,        rest",
        "example.org,        imap,      e",
        "'',                 imap,      e",
        "'',                 h2,        rest"
    })
    void routesGoByWhatAClientOfTlsSays(String name, String protocol, String group) throws Exception {
        try (Backend backend = Backend.with(connection -> connection.in().readAllBytes());
                Streams streams = Streams.startLogging(
                        "$status $ssl_preread_server_name $ssl_preread_alpn_protocols $ssl_preread_protocol $bytes_received"
                                + " $upstream_addr",
                        routes(),
                        servers("a", s -> s.withState(down(group, "a")), backend.address()),
                        servers("b", s -> s.withState(down(group, "b")), backend.address()),
                        servers("c", s -> s.withState(down(group, "c")), backend.address()),
                        servers("d", s -> s.withState(down(group, "d")), backend.address()),
                        servers("e", s -> s.withState(down(group, "e")), backend.address()),
                        servers("rest", s -> s.withState(down(group, "rest")), backend.address()))) {
            byte[] hello = hello(name, protocol);
            try (Client client = streams.connect()) {
                client.send(Arrays.copyOf(hello, 50));
                client.send(Arrays.copyOfRange(hello, 50, hello.length));
                assertThat(isRefused(client)).isTrue();
            }
            assertThat(streams.session())
                    .isEqualTo("502 " + (name.isEmpty() ? "-" : name) + " " + protocol + " TLSv1.3 " + hello.length
                            + " " + group);
        }
    }

    /** Of a group without anybody who is up, the name is told in place of an address. */
    private static AdminState down(String wanted, String group) {
        return wanted.equals(group) ? AdminState.DOWN : AdminState.UP;
    }

    @Test
    void theBytesThatWereLookedAtArriveUnchanged() throws Exception {
        byte[] hello = hello("a.example.org", "h2");
        CompletableFuture<byte[]> got = new CompletableFuture<>();
        try (Backend backend =
                        Backend.with(connection -> got.complete(connection.in().readAllBytes()));
                Streams streams = Streams.start(
                        routing().route("one", "a.example.org", "", "app"), servers("app", backend.address()))) {
            try (Client client = streams.connect()) {
                for (byte b : hello) {
                    client.send(new byte[] {b});
                }
                client.send("more");
                await().until(() -> backend.open() == 1);
            }
            byte[] expected = Arrays.copyOf(hello, hello.length + 4);
            System.arraycopy("more".getBytes(), 0, expected, hello.length, 4);
            assertThat(got.join()).isEqualTo(expected);
        }
    }

    @Test
    void whatIsNoTlsGoesToTheListenersGroup() throws Exception {
        try (Backend backend = echo();
                Streams streams = Streams.start(
                        to("app").preread().route("one", "a.example.org", "", "other"),
                        servers("app", backend.address()),
                        servers("other", backend.address()));
                Client client = streams.connect()) {
            client.send("hello");
            assertThat(read(client, 5)).isEqualTo("hello");
        }
    }

    @Test
    void whoNoRouteTakesEndsWithAnError() throws Exception {
        try (Backend backend = echo();
                Streams streams = Streams.start(
                        routing().route("one", "a.example.org", "", "app"), servers("app", backend.address()));
                Client client = streams.connect()) {
            client.send("hello");
            assertThat(isRefused(client)).isTrue();
            assertThat(streams.session()).isEqualTo("500 5 0" + REJECTED);
        }
    }

    /** [V31]. */
    @Test
    void aHelloThatFillsTheBufferIsRefused() throws Exception {
        try (Backend backend = echo();
                Streams streams = Streams.start(to("app").preread("30s", "1k"), servers("app", backend.address()));
                Client client = streams.connect()) {
            byte[] large = new byte[2_000];
            // a record of a handshake that is longer than the buffer
            System.arraycopy(new byte[] {22, 3, 1, 0x3f, 0}, 0, large, 0, 5);
            client.send(large);
            assertThat(isRefused(client)).isTrue();
            assertThat(streams.session()).isEqualTo("400 1024 0" + REJECTED);
        }
    }

    @Test
    void aHelloThatDoesNotComeEnds() throws Exception {
        MovableTicker ticker = new MovableTicker();
        try (Backend backend = echo();
                Streams streams =
                        Streams.start(1, ticker, to("app").preread("1h", "16k"), servers("app", backend.address()))) {
            try (Client client = streams.connect()) {
                client.send(new byte[] {22, 3});
                await().until(() -> streams.counts().open() == 1);
                skipUntilOver(ticker, streams);
                assertThat(isRefused(client)).isTrue();
            }
            try (Client client = streams.connect()) {
                client.send(new byte[] {22, 3});
                client.socket().shutdownOutput();
                assertThat(isRefused(client)).isTrue();
            }
            assertThat(streams.sessions(2)).allMatch(line -> line.startsWith("200 ") && line.endsWith(REJECTED));
            assertThat(backend.connections()).isZero();
        }
    }
}
