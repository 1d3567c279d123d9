package io.weir.proxy;

import static io.weir.proxy.StreamSpec.datagramsTo;
import static io.weir.proxy.StreamSpec.to;
import static io.weir.proxy.Streams.servers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.channel.epoll.Epoll;
import io.weir.config.AdminState;
import io.weir.config.InvalidConfigException;
import io.weir.config.ProxyConfig;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Changes while sessions of UDP run. */
@ExtendWith(Leaks.class)
class UdpChangeTest {

    private static void drop(Streams streams) {
        streams.proxy().dataPlane().dropSessions("app", 1);
        streams.proxy().assertAtRest();
    }

    private static void awaitFree(int port) {
        await().ignoreExceptions().until(() -> {
            new DatagramSocket(port, InetAddress.getByName("127.0.0.1")).close();
            return true;
        });
    }

    @Test
    void sessionsKeepToTheirServerAndNewOnesFollow() throws Exception {
        try (UdpBackend old = UdpBackend.named("old ");
                UdpBackend next = UdpBackend.named("next ");
                Streams streams = Streams.start(datagramsTo("app"), servers("app", old.address()));
                UdpClient client = UdpClient.to(streams.port());
                UdpClient other = UdpClient.to(streams.port())) {
            assertThat(client.ask("1")).isEqualTo("old 1");
            streams.apply(
                    datagramsTo("other").responses(1), servers("app", old.address()), servers("other", next.address()));
            assertThat(other.ask("2")).isEqualTo("next 2");
            assertThat(client.ask("3")).isEqualTo("old 3");
            drop(streams);
            assertThat(client.ask("4")).isEqualTo("next 4");
            assertThat(streams.sessions(3)).allMatch(line -> line.startsWith("200 "));
        }
    }

    @Test
    void theSocketStaysForTheAnswersOfItsSessionsAndBeginsNoOther() throws Exception {
        try (UdpBackend backend = UdpBackend.echo();
                Streams streams = Streams.start(datagramsTo("app"), servers("app", backend.address()));
                UdpClient client = UdpClient.to(streams.port());
                UdpClient late = UdpClient.to(streams.port())) {
            assertThat(client.ask("1")).isEqualTo("1");
            streams.apply(List.of(), servers("app", backend.address()));
            assertThat(streams.proxy().dataPlane().addresses()).isEmpty();
            late.send("too late");
            backend.push("pushed");
            assertThat(client.receive()).isEqualTo("pushed");
            // what was sent before has been read before
            assertThat(client.ask("2")).isEqualTo("2");
            assertThat(backend.received()).containsExactly("1", "2");
            assertThat(streams.counts().accepted()).isEqualTo(1);
            streams.proxy().dataPlane().dropSessions("app", 1);
            awaitFree(streams.port());
            assertThat(late.hasNothing()).isTrue();
        }
    }

    @Test
    void anAddressThatComesBackFindsItsSocketAndItsSessions() throws Exception {
        try (UdpBackend backend = UdpBackend.echo();
                Streams streams = Streams.start(datagramsTo("app"), servers("app", backend.address()));
                UdpClient client = UdpClient.to(streams.port());
                UdpClient other = UdpClient.to(streams.port())) {
            assertThat(client.ask("1")).isEqualTo("1");
            for (int i = 0; i < 3; i++) {
                streams.apply(List.of(), servers("app", backend.address()));
                streams.apply(datagramsTo("app"), servers("app", backend.address()));
                assertThat(client.ask("x")).isEqualTo("x");
                assertThat(other.ask("y")).isEqualTo("y");
            }
            assertThat(backend.sessions()).isEqualTo(2);
            // a change that is not made leaves the socket as it was
            streams.apply(List.of(), servers("app", backend.address()));
            streams.proxy()
                    .active()
                    .prepare(new ProxyConfig(
                            1_000,
                            List.of(servers("app", backend.address())),
                            List.of(datagramsTo("app").config("tcp", streams.port()))))
                    .abort();
            assertThat(client.ask("z")).isEqualTo("z");
            drop(streams);
            awaitFree(streams.port());
            streams.apply(datagramsTo("app").responses(1), servers("app", backend.address()));
            assertThat(client.ask("again")).isEqualTo("again");
        }
    }

    @Test
    void tcpAndUdpShareAPort() throws Exception {
        try (UdpBackend datagrams = UdpBackend.named("udp ");
                Backend bytes = Streams.greeting("tcp");
                Streams streams = Streams.start(
                        datagramsTo("app").responses(1),
                        servers("app", datagrams.address()),
                        servers("bytes", bytes.address()));
                UdpClient client = UdpClient.to(streams.port())) {
            streams.apply(
                    List.of(
                            datagramsTo("app").responses(1).config("udp", streams.port()),
                            to("bytes").config("tcp", streams.port())),
                    servers("app", datagrams.address()),
                    servers("bytes", bytes.address()));
            assertThat(client.ask("x")).isEqualTo("udp x");
            try (Client connected = streams.connect()) {
                assertThat(new String(connected.in().readNBytes(3))).isEqualTo("tcp");
            }
            assertThat(streams.proxy().dataPlane().addresses())
                    .containsExactly("127.0.0.1:" + streams.port(), "127.0.0.1:" + streams.port() + " (udp)");
        }
    }

    @Test
    void aPortThatIsTakenIsRefused() throws Exception {
        try (UdpBackend backend = UdpBackend.echo();
                DatagramSocket taken = new DatagramSocket(0, InetAddress.getByName("127.0.0.1"));
                Streams streams = Streams.start(datagramsTo("app"), servers("app", backend.address()));
                UdpClient client = UdpClient.to(streams.port())) {
            assertThatThrownBy(() -> streams.apply(
                            List.of(datagramsTo("app").config("other", taken.getLocalPort())),
                            servers("app", backend.address())))
                    .isInstanceOf(InvalidConfigException.class)
                    .hasMessageContaining("listeners[0].port")
                    .hasMessageContaining("in use");
            assertThat(client.ask("x")).isEqualTo("x");
            drop(streams);
        }
    }

    @Test
    void sessionsEndWithTheirServerWhereThatIsAskedFor() throws Exception {
        try (UdpBackend a = UdpBackend.named("a");
                UdpBackend b = UdpBackend.named("b");
                Streams streams = Streams.start(datagramsTo("app").dropping(), servers("app", a.address()));
                UdpClient client = UdpClient.to(streams.port())) {
            assertThat(client.ask("1")).isEqualTo("a1");
            streams.apply(
                    datagramsTo("app").dropping(),
                    servers("app", s -> s.id() == 1 ? s.withState(AdminState.DOWN) : s, a.address(), b.address()));
            streams.sessions(1);
            assertThat(client.ask("2")).isEqualTo("b2");
            streams.proxy().dataPlane().dropSessions("app", 2);
            streams.sessions(2);
        }
    }

    /** A drain lets sessions be, and gives the server no new one. */
    @Test
    void aServerThatDrainsKeepsItsSessions() throws Exception {
        try (UdpBackend a = UdpBackend.named("a");
                UdpBackend b = UdpBackend.named("b");
                Streams streams = Streams.start(datagramsTo("app"), servers("app", a.address(), b.address()));
                UdpClient client = UdpClient.to(streams.port());
                UdpClient other = UdpClient.to(streams.port())) {
            assertThat(client.ask("1")).isEqualTo("a1");
            streams.apply(
                    datagramsTo("app"),
                    servers("app", s -> s.id() == 1 ? s.withState(AdminState.DRAIN) : s, a.address(), b.address()));
            assertThat(client.ask("2")).isEqualTo("a2");
            assertThat(other.ask("3")).isEqualTo("b3");
            streams.proxy().dataPlane().dropSessions("app", 1);
            streams.sessions(1);
            assertThat(client.ask("4")).isEqualTo("b4");
            streams.proxy().dataPlane().dropSessions("app", 2);
            streams.sessions(3);
        }
    }

    @Test
    void aStopEndsWhatIsLeft() throws Exception {
        try (UdpBackend backend = UdpBackend.echo();
                Streams streams = Streams.start(datagramsTo("app"), servers("app", backend.address()));
                UdpClient client = UdpClient.to(streams.port())) {
            assertThat(client.ask("1")).isEqualTo("1");
            streams.proxy().dataPlane().stop(Duration.ofMillis(10));
            assertThat(streams.session()).startsWith("200 1 1 ");
            awaitFree(streams.port());
        }
    }

    /** The addresses of this machine that a client of IPv4 may ask. */
    private static Set<String> ownAddresses() throws IOException {
        Set<String> addresses = new TreeSet<>(Set.of("127.0.0.1", "127.0.0.2"));
        NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .filter(Inet4Address.class::isInstance)
                .forEach(address -> addresses.add(address.getHostAddress()));
        return addresses;
    }

    @Test
    void answersLeaveFromTheAddressThatWasAsked() throws Exception {
        assumeTrue(Epoll.isAvailable(), "what only a native transport can");
        try (UdpBackend backend = UdpBackend.echo();
                Streams streams = Streams.startLogging(
                        "$server_addr",
                        datagramsTo("app").bind("0.0.0.0").responses(1),
                        servers("app", backend.address()))) {
            for (String address : ownAddresses()) {
                try (UdpClient client = UdpClient.to(address, streams.port())) {
                    for (int i = 0; i < 3; i++) {
                        assertThat(client.ask("to " + address)).isEqualTo("to " + address);
                        assertThat(client.from().getAddress().getHostAddress()).isEqualTo(address);
                    }
                }
            }
            assertThat(new TreeSet<>(streams.sessions(3 * ownAddresses().size())))
                    .isEqualTo(ownAddresses());
        }
    }
}
