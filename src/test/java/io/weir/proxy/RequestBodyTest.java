package io.weir.proxy;

import static io.weir.proxy.Proxy.group;
import static io.weir.proxy.RouteSpec.answering;
import static io.weir.proxy.RouteSpec.to;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bodies of requests: their limit, their framing, and answers that do not wait for them. proxying.md sections 2, 3, 6. */
@ExtendWith(Leaks.class)
class RequestBodyTest {

    @Test
    void lengthIsPassedOn() throws Exception {
        try (Backend backend = Backend.echoing();
                Proxy proxy = Proxy.start(
                        List.of(group("app", backend.address())), to("app").route());
                Client client = Client.to(proxy.port())) {
            String got = client.request("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc")
                    .body();
            assertThat(HttpText.field(got, "Content-Length")).isEqualTo("3");
            assertThat(HttpText.field(got, "Transfer-Encoding")).isNull();
            assertThat(got).endsWith("\r\n\r\nabc");
            // an empty body is one too
            got = client.request("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n")
                    .body();
            assertThat(HttpText.field(got, "Content-Length")).isEqualTo("0");
            // and none is none
            got = client.request("POST / HTTP/1.1\r\nHost: x\r\n\r\n").body();
            assertThat(got).isEqualTo("POST / HTTP/1.1\r\nHost: app\r\n\r\n");
        }
    }

    @Test
    void chunksArePassedOnAsChunksWithoutTheirTrailers() throws Exception {
        try (Backend backend = Backend.echoing();
                Proxy proxy = Proxy.start(
                        List.of(group("app", backend.address())),
                        to("app").streamingRequests().route());
                Client client = Client.to(proxy.port())) {
            client.send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
            for (String piece :
                    List.of("1\r", "\na", "\r\n2;e=1\r\nbc\r\n000A\r\n01234", "56789\r\n", "0\r\nX: y\r\n\r\n")) {
                client.send(piece);
                Thread.sleep(10);
            }
            String got = client.read().body();
            assertThat(HttpText.field(got, "Transfer-Encoding")).isEqualTo("chunked");
            assertThat(HttpText.field(got, "Content-Length")).isNull();
            assertThat(got).endsWith("\r\n\r\nabc0123456789");
            assertThat(client.request("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
                            .body())
                    .endsWith("\r\n\r\n");
        }
    }

    /** proxying.md 3: client body over the limit: 413, before any peer. */
    @Test
    void lengthOverTheLimitIsRefusedBeforeAnyPeer() throws Exception {
        try (Backend backend = Backend.echoing();
                Proxy proxy = Proxy.start(
                        List.of(group("app", backend.address())),
                        to("app").maxBodySize("4").telling().route());
                Client client = Client.to(proxy.port())) {
            assertThat(client.request("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nabcd")
                            .status())
                    .isEqualTo(200);
            Client.Response response = client.request("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nabcde");
            assertThat(response.status()).isEqualTo(413);
            assertThat(response.field("X-Attempts")).isNull();
            assertThat(response.field("Connection")).isEqualTo("close");
            assertThat(client.isClosed()).isTrue();
            assertThat(backend.requests()).hasSize(1);
        }
    }

    /** As in nginx: the line of a chunk tells enough. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void chunkThatWillBeTooMuchIsRefusedBeforeItComes(boolean buffered) throws Exception {
        try (Backend backend = Backend.echoing();
                Proxy proxy = Proxy.start(
                        List.of(group("app", backend.address())),
                        to("app")
                                .requestBuffering(buffered, "64k")
                                .maxBodySize("8")
                                .route());
                Client client = Client.to(proxy.port());
                Client begun = Client.to(proxy.port());
                Client exact = Client.to(proxy.port())) {
            String head = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
            client.send(head + "4\r\nabcd\r\n").send("7fffffffffffffff\r\n");
            assertThat(client.read().status()).isEqualTo(413);
            assertThat(client.isClosed()).isTrue();
            begun.send(head + "9\r\na");
            assertThat(begun.read().status()).isEqualTo(413);
            assertThat(exact.request(head + "4\r\nabcd\r\n4\r\nabcd\r\n0\r\n\r\n")
                            .status())
                    .isEqualTo(200);
        }
    }

    @Test
    void chunksOverTheLimitAreRefused() throws Exception {
        try (Backend backend = Backend.echoing();
                Proxy proxy = Proxy.start(
                        List.of(group("app", backend.address())),
                        to("app").streamingRequests().maxBodySize("4").route());
                Client client = Client.to(proxy.port())) {
            client.send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\n");
            await().until(() -> backend.connections() == 1);
            client.send("1\r\ne\r\n");
            assertThat(client.read().status()).isEqualTo(413);
            assertThat(client.isClosed()).isTrue();
            await().until(() -> backend.open() == 0);
            assertThat(proxy.peers("app").get(0).fails()).isZero();
        }
    }

    @Test
    void limitOfZeroIsNone() throws Exception {
        try (Backend backend = Backend.saying("a");
                Proxy proxy = Proxy.start(
                        List.of(group("app", backend.address())),
                        to("app").maxBodySize("0").route());
                Client client = Client.to(proxy.port())) {
            client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: " + (4 << 20) + "\r\n\r\n");
            client.send(new byte[4 << 20]);
            assertThat(client.read().body()).isEqualTo("a");
        }
    }

    /** A client that sends first and reads later has to get the answer too: no reset overtakes it. */
    @ParameterizedTest
    @ValueSource(ints = {2 << 20, 20 << 20})
    void refusalReachesAClientThatSendsAllFirst(int length) throws Exception {
        try (Proxy proxy = Proxy.start(
                        List.of(group("app", "127.0.0.1:1")), to("app").route());
                Client client = Client.to(proxy.port())) {
            client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: " + length + "\r\n\r\n");
            client.send(new byte[length]);
            assertThat(client.read().status()).isEqualTo(413);
        }
    }

    /** proxying.md 2 [V31]: 413 from the backend during a 5 MB upload reached the client. */
    @Test
    void answerToAnUnfinishedUploadReachesTheClient() throws Exception {
        try (Backend backend = Backend.with(connection -> {
                    connection.readHead();
                    connection.write("HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\nConnection: close\r\n\r\nbig");
                    // closed with bytes unread: the kernel sends a reset
                });
                Proxy proxy = Proxy.start(
                        List.of(group("app", backend.address())),
                        to("app").streamingRequests().maxBodySize("0").telling().route())) {
            for (int i = 0; i < 5; i++) {
                try (Client client = Client.to(proxy.port())) {
                    client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: " + (5 << 20) + "\r\n\r\n");
                    client.send(new byte[5 << 20]);
                    Client.Response response = client.read();
                    assertThat(response.status()).isEqualTo(413);
                    assertThat(response.body()).isEqualTo("big");
                    assertThat(response.field("Connection")).isEqualTo("close");
                }
            }
            assertThat(proxy.peers("app").get(0).fails()).isZero();
        }
    }

    @Test
    void uploadGoesOnWhileTheResponseComes() throws Exception {
        try (Backend backend = Backend.with(connection -> {
                    connection.readHead();
                    connection.write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n");
                    for (int i = 0; i < 4; i++) {
                        connection.write(new byte[] {(byte) connection.in().read()});
                    }
                    connection.readHead();
                });
                Proxy proxy = Proxy.start(
                        List.of(group("app", backend.address())),
                        to("app").streamingRequests().route());
                Client client = Client.to(proxy.port())) {
            client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n");
            assertThat(HttpText.readHead(client.in())).startsWith("HTTP/1.1 200 OK\r\n");
            for (char c : "echo".toCharArray()) {
                client.send("" + c);
                assertThat(client.in().read()).isEqualTo(c);
            }
        }
    }

    /** proxying.md 6 [V31]: the proxy answers 100 itself. */
    @Test
    void expectationIsMetByTheProxy() throws Exception {
        try (Backend backend = Backend.echoing();
                Proxy proxy = Proxy.start(
                        List.of(group("app", backend.address())), to("app").route());
                Client client = Client.to(proxy.port())) {
            for (int i = 0; i < 2; i++) {
                client.send("POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
                assertThat(client.read().head()).isEqualTo("HTTP/1.1 100 Continue\r\n\r\n");
                client.send("abc");
                String got = client.read().body();
                assertThat(HttpText.field(got, "Expect")).isNull();
                assertThat(got).endsWith("\r\n\r\nabc");
            }
        }
    }

    @Test
    void nothingIsContinuedThatIsRefusedOrAnsweredAnyway() throws Exception {
        try (Backend backend = Backend.echoing();
                Proxy proxy = Proxy.start(
                        List.of(group("app", backend.address())),
                        to("app").maxBodySize("4").route(),
                        answering("fixed").exact("/fixed").route())) {
            String expecting = " HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n";
            try (Client client = Client.to(proxy.port())) {
                assertThat(client.request("POST /" + expecting).status()).isEqualTo(413);
                assertThat(client.isClosed()).isTrue();
            }
            try (Client client = Client.to(proxy.port())) {
                // the client may send its body or not, so the connection has no next request
                Client.Response response = client.request("POST /fixed" + expecting);
                assertThat(response.body()).isEqualTo("fixed");
                assertThat(response.field("Connection")).isEqualTo("close");
            }
            try (Client client = Client.to(proxy.port())) {
                // RFC 9110 section 10.1.1: ignored from HTTP/1.0, and not sent once the body is there
                assertThat(client.request("POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\nabc")
                                .status())
                        .isEqualTo(200);
            }
        }
    }

    /** RFC 9110 section 10.1.1: instead of a 100, if there is one already. */
    @Test
    void answerThatIsThereAlreadyComesInPlaceOfTheHundred() throws Exception {
        try (Proxy proxy = Proxy.start(
                        List.of(group("none")), to("none").streamingRequests().route());
                Client client = Client.to(proxy.port())) {
            client.send("POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
            assertThat(client.read().status()).isEqualTo(502);
            assertThat(client.isClosed()).isTrue();
        }
    }

    /** The body comes with the head or behind it: the 100 is no use to this client, and does it no harm. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void clientThatDoesNotWaitForTheHundredIsServed(boolean buffering) throws Exception {
        try (Backend backend = Backend.echoing();
                Proxy proxy = Proxy.start(
                        List.of(group("app", backend.address())),
                        to("app").requestBuffering(buffering, "64k").route());
                Client client = Client.to(proxy.port())) {
            for (String framing : List.of(
                    "Content-Length: 3\r\n\r\nabc", "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n")) {
                client.send("POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-Continue\r\n" + framing);
                assertThat(client.read().status()).isEqualTo(100);
                assertThat(client.read().body()).contains("abc");
            }
        }
    }

    /** As in nginx: other expectations are no reason to refuse, and they stay here. */
    @Test
    void unknownExpectationIsIgnored() throws Exception {
        try (Backend backend = Backend.echoing();
                Proxy proxy = Proxy.start(
                        List.of(group("app", backend.address())), to("app").route());
                Client client = Client.to(proxy.port())) {
            Client.Response response =
                    client.request("POST / HTTP/1.1\r\nHost: x\r\nExpect: more\r\nContent-Length: 3\r\n\r\nabc");
            assertThat(response.status()).isEqualTo(200);
            assertThat(response.body()).endsWith("\r\n\r\nabc").doesNotContain("Expect");
        }
    }

    @Test
    void bodyThatNobodyWantsIsReadOverIfItIsShort() throws Exception {
        try (Proxy proxy = Proxy.start(List.of(), answering("fixed").route());
                Client client = Client.to(proxy.port())) {
            client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n");
            assertThat(client.read().body()).isEqualTo("fixed");
            client.send("GET /");
            assertThat(client.request("GET / HTTP/1.1\r\nHost: x\r\n\r\n").body())
                    .isEqualTo("fixed");
            Client.Response response = client.request(
                    "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nGET /\r\n0\r\n\r\n");
            assertThat(response.body()).isEqualTo("fixed");
            assertThat(response.field("Connection")).isEqualTo("close");
            assertThat(client.isClosed()).isTrue();
        }
    }
}
