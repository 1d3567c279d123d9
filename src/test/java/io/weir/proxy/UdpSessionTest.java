package io.weir.proxy;

import static io.weir.proxy.StreamSpec.datagramsTo;
import static io.weir.proxy.Streams.servers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.channel.epoll.Epoll;
import io.weir.config.ProxyHeaderVersion;
import io.weir.zone.PeerSnapshot;
import io.weir.zone.Ticker;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Sessions of UDP: the table of stream.md, section 6, and what holds for all sessions. */
@ExtendWith(Leaks.class)
class UdpSessionTest {

    private static long fails(Streams streams, int server) {
        return streams.proxy().peers("app").get(server).fails();
    }

    private static void skipUntilOver(MovableTicker ticker, Streams streams) {
        await().until(() -> {
            ticker.skip(Duration.ofHours(1));
            return streams.counts().open() == 0;
        });
    }

    /** [V31]. */
    @Test
    void oneAnswerEndsTheSessionAndTheNextQuestionGetsTheNextServer() throws Exception {
        try (UdpBackend a = UdpBackend.named("a");
                UdpBackend b = UdpBackend.named("b");
                Streams streams =
                        Streams.start(datagramsTo("app").responses(1), servers("app", a.address(), b.address()));
                UdpClient client = UdpClient.to(streams.port())) {
            assertThat(client.ask("1")).isEqualTo("a1");
            streams.sessions(1);
            assertThat(client.ask("2")).isEqualTo("b2");
            assertThat(client.from().getPort()).isEqualTo(streams.port());
            assertThat(streams.sessions(2))
                    .containsExactly(
                            "200 1 2 \"" + a.address() + "\" \"1\" \"2\" \"0.000\"",
                            "200 1 2 \"" + b.address() + "\" \"1\" \"2\" \"0.000\"");
            assertThat(streams.counts().accepted()).isEqualTo(2);
            assertThat(streams.counts().sessionsByStatus()).containsEntry(200, 2L);
        }
    }

    /** [V31]. */
    @Test
    void withoutAnExpectationASessionEndsByItsTimeoutOnly() throws Exception {
        MovableTicker ticker = new MovableTicker();
        try (UdpBackend a = UdpBackend.named("a");
                UdpBackend b = UdpBackend.named("b");
                Streams streams = Streams.start(
                        1, ticker, datagramsTo("app").timeout("1h"), servers("app", a.address(), b.address()));
                UdpClient client = UdpClient.to(streams.port())) {
            for (int i = 0; i < 3; i++) {
                assertThat(client.ask("x")).isEqualTo("ax");
                // each datagram begins the time anew
                ticker.skip(Duration.ofMinutes(40));
            }
            a.push("unasked");
            assertThat(client.receive()).isEqualTo("unasked");
            assertThat(streams.counts().open()).isEqualTo(1);
            skipUntilOver(ticker, streams);
            assertThat(streams.session()).isEqualTo("200 3 13 \"" + a.address() + "\" \"3\" \"13\" \"0.000\"");
            assertThat(a.sessions()).isEqualTo(1);
            assertThat(fails(streams, 0)).isZero();
        }
    }

    /** [V31]. */
    @Test
    void whoExpectsNoAnswerGetsNone() throws Exception {
        try (UdpBackend backend = UdpBackend.echo();
                Streams streams = Streams.start(datagramsTo("app").responses(0), servers("app", backend.address()));
                UdpClient client = UdpClient.to(streams.port())) {
            client.send("one");
            assertThat(streams.session()).isEqualTo("200 3 0 \"" + backend.address() + "\" \"3\" \"0\" \"0.000\"");
            await().until(() -> backend.received().equals(List.of("one")));
            assertThat(client.hasNothing()).isTrue();
        }
    }

    /** [V31]. */
    @Test
    void aSessionTakesAsManyQuestionsAsItMay() throws Exception {
        try (UdpBackend a = UdpBackend.named("a");
                UdpBackend b = UdpBackend.named("b");
                Streams streams = Streams.start(
                        datagramsTo("app").requests(2).responses(1), servers("app", a.address(), b.address()));
                UdpClient client = UdpClient.to(streams.port())) {
            assertThat(client.ask("1")).isEqualTo("a1");
            assertThat(client.ask("2")).isEqualTo("a2");
            streams.sessions(1);
            assertThat(client.ask("3")).isEqualTo("b3");
            assertThat(client.ask("4")).isEqualTo("b4");
            streams.sessions(2);
            assertThat(a.sessions()).isEqualTo(1);
            assertThat(b.sessions()).isEqualTo(1);
        }
    }

    /** [V31]: the next session begins while the one before still waits for answers. */
    @Test
    void aSessionThatHasItsQuestionsLetsTheNextOneBegin() throws Exception {
        MovableTicker ticker = new MovableTicker();
        try (UdpBackend backend = UdpBackend.silent();
                Streams streams = Streams.start(
                        1, ticker, datagramsTo("app").requests(1).timeout("1h"), servers("app", backend.address()));
                UdpClient client = UdpClient.to(streams.port())) {
            client.send("1");
            client.send("2");
            await().until(() -> backend.sessions() == 2);
            assertThat(streams.counts().open()).isEqualTo(2);
            backend.push("late");
            assertThat(client.receive()).isEqualTo("late");
            skipUntilOver(ticker, streams);
            assertThat(streams.sessions(2)).allMatch(line -> line.startsWith("200 1 "));
        }
    }

    /** [V31]. */
    @Test
    void answersThatComeTogetherAreAllDelivered() throws Exception {
        byte[] answer = "answer".getBytes(StandardCharsets.ISO_8859_1);
        try (UdpBackend backend = UdpBackend.with(d -> d.length == 1 ? List.of() : List.of(answer, answer, answer));
                Streams streams = Streams.start(
                        1,
                        Ticker.system(),
                        datagramsTo("app").requests(2).responses(1),
                        servers("app", backend.address()));
                UdpClient client = UdpClient.to(streams.port())) {
            client.send("x");
            client.send("go");
            // of three answers to two questions at least two are passed on, and all that are there by then
            assertThat(client.receive()).isEqualTo("answer");
            assertThat(client.receive()).isEqualTo("answer");
            String line = streams.session();
            assertThat(line).containsAnyOf("200 3 12 ", "200 3 18 ");
            if (line.startsWith("200 3 18 ")) {
                assertThat(client.receive()).isEqualTo("answer");
            }
        }
    }

    /** [V31]. */
    @Test
    void aServerThatDoesNotAnswerHasFailed() throws Exception {
        MovableTicker ticker = new MovableTicker();
        try (UdpBackend a = UdpBackend.silent();
                UdpBackend b = UdpBackend.silent();
                Streams streams = Streams.start(
                        1,
                        ticker,
                        datagramsTo("app").responses(1).timeout("1h"),
                        servers("app", s -> s.withFails(1, "1000d"), a.address(), b.address()));
                UdpClient client = UdpClient.to(streams.port())) {
            for (int i = 1; i <= 2; i++) {
                int count = i;
                client.send("x");
                await().until(() -> streams.counts().accepted() == count);
                skipUntilOver(ticker, streams);
            }
            client.send("x");
            assertThat(streams.sessions(3))
                    .containsExactly(
                            "502 1 0 \"" + a.address() + "\" \"1\" \"0\" \"0.000\"",
                            "502 1 0 \"" + b.address() + "\" \"1\" \"0\" \"0.000\"",
                            "502 1 0 \"app\" \"0\" \"0\" \"-\"");
            assertThat(streams.proxy().peers("app"))
                    .extracting(PeerSnapshot::fails)
                    .containsExactly(1, 1);
        }
    }

    /** [V31]: what ICMP tells stands for an answer, but not for one that the client gets. */
    @Test
    void whereNobodyListensTheServerHasFailed() throws Exception {
        String nobody;
        try (UdpBackend gone = UdpBackend.silent()) {
            nobody = gone.address();
        }
        try (UdpBackend alive = UdpBackend.named("b");
                Streams streams =
                        Streams.start(datagramsTo("app").responses(1), servers("app", nobody, alive.address()));
                UdpClient client = UdpClient.to(streams.port())) {
            client.send("x");
            assertThat(streams.session()).isEqualTo("200 1 0 \"" + nobody + "\" \"1\" \"0\" \"0.000\"");
            assertThat(client.hasNothing()).isTrue();
            assertThat(fails(streams, 0)).isEqualTo(1);
            assertThat(client.ask("y")).isEqualTo("by");
            streams.sessions(2);
        }
    }

    @Test
    void emptyDatagramsCountAndArePassedOn() throws Exception {
        assumeTrue(Epoll.isAvailable(), "what only a native transport can");
        try (UdpBackend backend = UdpBackend.with(d -> List.of(new byte[0]));
                Streams streams = Streams.start(datagramsTo("app").responses(1), servers("app", backend.address()));
                UdpClient client = UdpClient.to(streams.port())) {
            assertThat(client.ask("")).isEmpty();
            assertThat(backend.received()).containsExactly("");
            assertThat(streams.session()).isEqualTo("200 0 0 \"" + backend.address() + "\" \"0\" \"0\" \"0.000\"");
        }
    }

    @Test
    void theLargestDatagramPassesInOnePiece() throws Exception {
        byte[] large = new byte[65_507];
        new Random(1).nextBytes(large);
        try (UdpBackend backend = UdpBackend.echo();
                Streams streams = Streams.start(datagramsTo("app"), servers("app", backend.address()));
                UdpClient client = UdpClient.to(streams.port())) {
            for (int i = 0; i < 3; i++) {
                client.send(large);
                assertThat(client.receiveBytes()).isEqualTo(large);
            }
            streams.proxy().dataPlane().dropSessions("app", 1);
            assertThat(streams.session()).startsWith("200 196521 196521 ");
        }
    }

    @Test
    void theFirstDatagramOfASessionHasAHeaderInFront() throws Exception {
        try (UdpBackend backend = UdpBackend.echo();
                Streams streams = Streams.start(
                        datagramsTo("app").requests(2).responses(1).sending(ProxyHeaderVersion.V1),
                        servers("app", backend.address()));
                UdpClient client = UdpClient.to(streams.port())) {
            String header = "PROXY TCP4 127.0.0.1 127.0.0.1 " + client.port() + " " + streams.port() + "\r\n";
            assertThat(client.ask("x")).isEqualTo(header + "x");
            assertThat(client.ask("y")).isEqualTo("y");
            int more = header.length();
            assertThat(streams.session())
                    .isEqualTo("200 2 " + (more + 2) + " \"" + backend.address() + "\" \"" + (more + 2) + "\" \""
                            + (more + 2) + "\" \"0.000\"");
        }
    }

    @Test
    void theBinaryHeaderTellsOfDatagrams() throws Exception {
        try (UdpBackend backend = UdpBackend.echo();
                Streams streams = Streams.start(
                        datagramsTo("app").responses(1).sending(ProxyHeaderVersion.V2),
                        servers("app", backend.address()));
                UdpClient client = UdpClient.to(streams.port())) {
            client.send("x");
            byte[] got = client.receiveBytes();
            assertThat(HexFormat.of().formatHex(got, 0, 24))
                    .isEqualTo("0d0a0d0a000d0a515549540a" + "21120013" + "7f0000017f000001");
            assertThat(got).hasSize(36).endsWith('x');
            streams.sessions(1);
        }
    }

    @Test
    void whoIsNotLetInIsNotPassedOn() throws Exception {
        try (UdpBackend backend = UdpBackend.echo();
                Streams streams =
                        Streams.start(datagramsTo("app").deny("127.0.0.1"), servers("app", backend.address()));
                UdpClient client = UdpClient.to(streams.port())) {
            client.send("x");
            client.send("y");
            assertThat(streams.sessions(2)).containsOnly("403 1 0 \"-\" \"-\" \"-\" \"-\"");
            assertThat(backend.received()).isEmpty();
        }
    }

    @Test
    void sessionsAreLimited() throws Exception {
        try (UdpBackend backend = UdpBackend.echo();
                Streams streams =
                        Streams.start(datagramsTo("app").maxConnections(1), servers("app", backend.address()));
                UdpClient first = UdpClient.to(streams.port());
                UdpClient second = UdpClient.to(streams.port())) {
            assertThat(first.ask("x")).isEqualTo("x");
            second.send("y");
            assertThat(streams.session()).startsWith("503 1 0 ");
            assertThat(first.ask("z")).isEqualTo("z");
            streams.apply(datagramsTo("app").maxPerAddress(1), servers("app", backend.address()));
            second.send("y");
            assertThat(streams.sessions(2)).allMatch(line -> line.startsWith("503 1 0 "));
            assertThat(backend.received()).containsExactly("x", "z");
            streams.proxy().dataPlane().dropSessions("app", 1);
        }
    }

    @Test
    void datagramsThatComeFasterThanTheRateAreLost() throws Exception {
        MovableTicker ticker = new MovableTicker();
        try (UdpBackend backend = UdpBackend.echo();
                Streams streams =
                        Streams.start(1, ticker, datagramsTo("app").uploadRate(1), servers("app", backend.address()));
                UdpClient client = UdpClient.to(streams.port());
                UdpClient other = UdpClient.to(streams.port())) {
            String hundred = "x".repeat(100);
            assertThat(client.ask(hundred)).isEqualTo(hundred);
            client.send("lost");
            // its datagram is read behind the one before
            assertThat(other.ask("o")).isEqualTo("o");
            ticker.skip(Duration.ofMinutes(3));
            await().until(() -> {
                client.send("kept");
                return backend.received().contains("kept");
            });
            assertThat(backend.received()).doesNotContain("lost");
            streams.proxy().dataPlane().dropSessions("app", 1);
            streams.sessions(2);
        }
    }

    @Test
    void answersThatComeFasterThanTheRateWait() throws Exception {
        MovableTicker ticker = new MovableTicker();
        try (UdpBackend backend = UdpBackend.echo();
                Streams streams = Streams.start(
                        1, ticker, datagramsTo("app").downloadRate(1), servers("app", backend.address()));
                UdpClient other = UdpClient.to(streams.port());
                UdpClient client = UdpClient.to(streams.port())) {
            String hundred = "x".repeat(100);
            assertThat(client.ask(hundred)).isEqualTo(hundred);
            backend.push("late");
            assertThat(other.ask("o")).isEqualTo("o");
            assertThat(client.hasNothing()).isTrue();
            ticker.skip(Duration.ofMinutes(3));
            assertThat(client.receive()).isEqualTo("late");
            streams.proxy().dataPlane().dropSessions("app", 1);
            assertThat(streams.sessions(2)).anyMatch(line -> line.startsWith("200 100 104 "));
        }
    }

    @Test
    void aServerWithAPathGetsNoDatagrams() throws Exception {
        try (UdpBackend backend = UdpBackend.echo();
                Streams streams = Streams.start(
                        datagramsTo("app").responses(1),
                        servers("app", "unix:/nowhere/weir-test.sock", backend.address()));
                UdpClient client = UdpClient.to(streams.port())) {
            assertThat(client.ask("x")).isEqualTo("x");
            assertThat(streams.session()).contains("\"unix:/nowhere/weir-test.sock, " + backend.address() + "\"");
            assertThat(fails(streams, 0)).isEqualTo(1);
        }
    }

    /** Answers find the client whose question they answer, however many there are. */
    @Test
    void fiveHundredClientsGetTheirOwnAnswers() throws Exception {
        List<UdpClient> clients = new ArrayList<>();
        try (UdpBackend a = UdpBackend.echo();
                UdpBackend b = UdpBackend.echo();
                Streams streams = Streams.start(datagramsTo("app"), servers("app", a.address(), b.address()))) {
            for (int i = 0; i < 500; i++) {
                clients.add(UdpClient.to(streams.port()));
            }
            for (int round = 0; round < 3; round++) {
                // in parts that the buffers of sockets have room for
                for (int from = 0; from < clients.size(); from += 50) {
                    for (int i = from; i < from + 50; i++) {
                        clients.get(i).send("client " + i + " round " + round);
                    }
                    for (int i = from; i < from + 50; i++) {
                        assertThat(clients.get(i).receive()).isEqualTo("client " + i + " round " + round);
                    }
                }
            }
            assertThat(streams.counts().accepted()).isEqualTo(500);
            assertThat(a.sessions()).isEqualTo(250);
            assertThat(b.sessions()).isEqualTo(250);
            streams.proxy().dataPlane().dropSessions("app", 1);
            streams.proxy().dataPlane().dropSessions("app", 2);
            await().until(() -> streams.counts().open() == 0);
        } finally {
            clients.forEach(UdpClient::close);
        }
    }
}
