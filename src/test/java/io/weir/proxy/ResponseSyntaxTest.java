package io.weir.proxy;

import static io.weir.proxy.Proxy.group;
import static io.weir.proxy.RouteSpec.to;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Framing of responses: proxying.md sections 3, 7 and 8.4, RFC 9112 section 6. A semicolon stands for CR LF. */
@ExtendWith(Leaks.class)
class ResponseSyntaxTest {

    private static final String GET = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
    private static final String GET_1_0 = "GET / HTTP/1.0\r\n\r\n";

    private static Backend answering(String response) {
        return Backend.with(connection -> {
            connection.readRequest();
            connection.write(response.replace(";", "\r\n"));
        });
    }

    private static Proxy proxyTo(Backend backend) {
        return Proxy.start(
                1, List.of(group("app", backend.address())), to("app").telling().route());
    }

    /** proxying.md 3: invalid_header. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 200 OK;Content-Length: 2;Transfer-Encoding: chunked;;2;ok;0;;",
                "HTTP/1.1 200 OK;Content-Length: 2;Content-Length: 2;;ok",
                "HTTP/1.1 200 OK;Content-Length: 2;Content-Length: 3;;ok",
                "HTTP/1.1 200 OK;Content-Length: x;;ok",
                "HTTP/1.1 200 OK;Content-Length: -1;;ok",
                "HTTP/1.1 200 OK;Transfer-Encoding: gzip;;ok",
                "HTTP/1.1 200 OK;Transfer-Encoding: gzip, chunked;;2;ok;0;;",
                "HTTP/1.1 200 OK;Transfer-Encoding: chunked;Transfer-Encoding: chunked;;2;ok;0;;",
                "HTTP/1.0 200 OK;Transfer-Encoding: chunked;;2;ok;0;;",
                "HTTP/1.1 200 OK;A : b;Content-Length: 2;;ok",
                "HTTP/1.1 200 OK;A;Content-Length: 2;;ok",
                "HTTP/1.1 200 OK;A b;Content-Length: 2;;ok",
                "HTTP/1.1 200 OK; A: b;Content-Length: 2;;ok",
                "HTTP/1.1 200 OK;A: b\0;Content-Length: 2;;ok",
                "HTTP/1.1 200 OK;A: b\rC: d;Content-Length: 2;;ok",
                "HTTP/1.1 200 OK\nContent-Length: 2\n\nok",
                "HTTP/1.1 2000 OK;Content-Length: 2;;ok",
                "HTTP/1.1 20 OK;Content-Length: 2;;ok",
                "HTTP/1.1 +20 OK;Content-Length: 2;;ok",
                "HTTP/1.1 099 OK;Content-Length: 2;;ok",
                "HTTP/1.1 abc OK;Content-Length: 2;;ok",
                "HTTP/1.1;Content-Length: 2;;ok",
                "HTTP/2.0 200 OK;Content-Length: 2;;ok",
                "ICY 200 OK;Content-Length: 2;;ok",
                "ICY/1.0 200 OK;Content-Length: 2;;ok",
                "hello;;",
                "<html></html>;;",
                "HTTP/1.1 101 Switching Protocols;;",
                "HTTP/1.1 101 Switching Protocols;Connection: Upgrade;Upgrade: websocket;;bytes"
            })
    void headThatIsNotClearIsBadGateway(String response) throws Exception {
        try (Backend backend = answering(response);
                Proxy proxy = proxyTo(backend);
                Client client = Client.to(proxy.port())) {
            Client.Response got = client.request(GET);
            assertThat(got.status()).isEqualTo(502);
            assertThat(got.field("X-Attempts")).isEqualTo("502");
            await().until(() -> backend.open() == 0);
            // the client's connection is as good as before
            assertThat(client.request(GET).status()).isEqualTo(502);
        }
    }

    /** proxying.md 8.4 [V31]: truncated to the client, connection closed, peer released as OK. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 200 OK;Content-Length: 12;;ab",
                "HTTP/1.1 200 OK;Content-Length: 12;;",
                "HTTP/1.1 200 OK;Transfer-Encoding: chunked;;2;ab;",
                "HTTP/1.1 200 OK;Transfer-Encoding: chunked;;",
                "HTTP/1.1 200 OK;Transfer-Encoding: chunked;;2;ab;0;",
                "HTTP/1.1 200 OK;Transfer-Encoding: chunked;;2;ab;c;de",
                "HTTP/1.1 200 OK;Transfer-Encoding: chunked;;2;ab;x;cd;0;;",
                "HTTP/1.1 200 OK;Transfer-Encoding: chunked;;2;abcd;0;;",
                "HTTP/1.1 200 OK;Transfer-Encoding: chunked;;2;ab;0;no colon;;"
            })
    void truncatedBodyNeverLooksComplete(String response) throws Exception {
        for (String request : List.of(GET, GET_1_0)) {
            try (Backend backend = answering(response);
                    Proxy proxy = proxyTo(backend);
                    Client client = Client.to(proxy.port())) {
                client.send(request);
                assertThatThrownBy(() -> {
                            Client.Response got = client.read();
                            throw new AssertionError("looks complete: " + got.head() + got.body());
                        })
                        .isInstanceOf(IOException.class);
                assertThat(proxy.peers("app").get(0).fails()).isZero();
            }
        }
    }

    /** A body that the close delimits ends with the close, and not with a reset. */
    @ParameterizedTest
    @ValueSource(strings = {GET, GET_1_0})
    void resetIsNotTheEndOfABody(String request) throws Exception {
        try (Backend backend = Backend.with(connection -> {
                    connection.readRequest();
                    connection.write("HTTP/1.1 200 OK\r\n\r\nab");
                    Thread.sleep(100);
                    connection.reset();
                });
                Proxy proxy = proxyTo(backend);
                Client client = Client.to(proxy.port())) {
            client.send(request);
            assertThatThrownBy(() -> {
                        Client.Response got = client.read();
                        throw new AssertionError("looks complete: " + got.head() + got.body());
                    })
                    .isInstanceOf(IOException.class);
        }
    }

    /** proxying.md 8.1 [V31]: chunked to an HTTP/1.1 client. */
    @Test
    void bodyThatTheCloseDelimitsIsChunkedForTheClient() throws Exception {
        try (Backend backend = answering("HTTP/1.0 200 OK;;hello");
                Proxy proxy = proxyTo(backend);
                Client client = Client.to(proxy.port())) {
            for (int i = 0; i < 2; i++) {
                Client.Response response = client.request(GET);
                assertThat(response.field("Transfer-Encoding")).isEqualTo("chunked");
                assertThat(response.body()).isEqualTo("hello");
                assertThat(response.head()).startsWith("HTTP/1.1 200 OK\r\n");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"HTTP/1.0 200 OK;;hello", "HTTP/1.1 200 OK;Transfer-Encoding: chunked;;2;he;3;llo;0;;"})
    void clientOf1Point0GetsNoChunks(String response) throws Exception {
        try (Backend backend = answering(response);
                Proxy proxy = proxyTo(backend);
                Client client = Client.to(proxy.port())) {
            Client.Response got = client.request("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
            assertThat(got.field("Transfer-Encoding")).isNull();
            assertThat(got.field("Connection")).isEqualTo("close");
            assertThat(got.body()).isEqualTo("hello");
        }
    }

    @Test
    void bodylessResponsesKeepTheConnection() throws Exception {
        try (Backend backend = Backend.with(connection -> {
                    for (String head = connection.readRequest(); head != null; head = connection.readRequest()) {
                        String status = head.substring(head.indexOf('/') + 1, head.indexOf(" HTTP"));
                        connection.write("HTTP/1.1 " + status + " X\r\n"
                                + (status.equals("204") ? "" : "Content-Length: 7\r\n")
                                + "\r\n"
                                + (status.equals("200") && !head.startsWith("HEAD") ? "content" : ""));
                    }
                });
                Proxy proxy = proxyTo(backend);
                Client client = Client.to(proxy.port())) {
            for (int i = 0; i < 2; i++) {
                Client.Response head = client.request("HEAD /200 HTTP/1.1\r\nHost: x\r\n\r\n");
                // RFC 9110 section 9.3.2 and 15.4.5: the length is that of the body a GET would have got
                assertThat(head.field("Content-Length")).isEqualTo("7");
                Client.Response notModified = client.request("GET /304 HTTP/1.1\r\nHost: x\r\n\r\n");
                assertThat(notModified.status()).isEqualTo(304);
                assertThat(notModified.field("Content-Length")).isEqualTo("7");
                assertThat(notModified.field("Transfer-Encoding")).isNull();
                Client.Response none = client.request("GET /204 HTTP/1.1\r\nHost: x\r\n\r\n");
                assertThat(none.status()).isEqualTo(204);
                assertThat(none.field("Content-Length")).isNull();
                assertThat(none.field("Transfer-Encoding")).isNull();
                assertThat(client.request("GET /200 HTTP/1.1\r\nHost: x\r\n\r\n")
                                .body())
                        .isEqualTo("content");
            }
            assertThat(backend.connections()).isEqualTo(1);
        }
    }

    /** RFC 9110 section 15.3.6: without content, but framed as any other response. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 205 X;Content-Length: 0;;",
                "HTTP/1.1 205 X;Transfer-Encoding: chunked;;0;;",
                "HTTP/1.1 205 X;;"
            })
    void resetContentEndsWhereItSays(String response) throws Exception {
        try (Backend backend = answering(response);
                Proxy proxy = proxyTo(backend);
                Client client = Client.to(proxy.port())) {
            for (int i = 0; i < 2; i++) {
                Client.Response got = client.request(GET);
                assertThat(got.status()).isEqualTo(205);
                assertThat(got.body()).isEmpty();
            }
        }
    }

    /** proxying.md 7 [P]: every 1xx but 101 is skipped. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 100 Continue;;",
                "HTTP/1.1 102 Processing;;HTTP/1.1 102 Processing;A: b;;",
                "HTTP/1.1 103 Early Hints;Link: </a>;;HTTP/1.1 100 Continue;;",
                "HTTP/1.1 199 What;Content-Length: 5;;"
            })
    void interimResponsesAreSkipped(String interim) throws Exception {
        try (Backend backend = answering(interim + "HTTP/1.1 200 OK;Content-Length: 2;;ok");
                Proxy proxy = proxyTo(backend);
                Client client = Client.to(proxy.port())) {
            Client.Response response = client.request(GET);
            assertThat(response.status()).isEqualTo(200);
            assertThat(response.body()).isEqualTo("ok");
            assertThat(response.field("Link")).isNull();
            assertThat(response.field("X-Attempts")).isEqualTo("200");
        }
    }

    /** proxying.md 7 [V31]: code and reason phrase of the upstream. */
    @ParameterizedTest
    @CsvSource({
        "HTTP/1.1 200 Alles klar, HTTP/1.1 200 Alles klar",
        "HTTP/1.1 299 , 'HTTP/1.1 299 '",
        "HTTP/1.1 299, 'HTTP/1.1 299 '",
        "HTTP/1.0 404 Not here, HTTP/1.1 404 Not here",
        "HTTP/1.1 599 \u00e9, HTTP/1.1 599 \u00e9"
    })
    void statusLineIsPassedOn(String line, String expected) throws Exception {
        try (Backend backend = answering(line + ";Content-Length: 0;;");
                Proxy proxy = proxyTo(backend);
                Client client = Client.to(proxy.port())) {
            assertThat(client.request(GET).head()).startsWith(expected + "\r\n");
        }
    }

    /** proxying.md 8.4 [V31]: cut at the length. */
    @Test
    void bytesBeyondTheLengthAreCutOff() throws Exception {
        try (Backend backend =
                        answering("HTTP/1.1 200 OK;Content-Length: 2;;okHTTP/1.1 200 OK;Content-Length: 3;;bad");
                Proxy proxy = proxyTo(backend);
                Client client = Client.to(proxy.port())) {
            client.send(GET + GET);
            assertThat(client.read().body()).isEqualTo("ok");
            assertThat(client.read().body()).isEqualTo("ok");
            assertThat(backend.connections()).isEqualTo(2);
        }
    }

    /** proxying.md 7: trailers are dropped. */
    @Test
    void trailersAreDropped() throws Exception {
        try (Backend backend = answering("HTTP/1.1 200 OK;Transfer-Encoding: chunked;;2;ok;0;X-Trailer: t;;");
                Proxy proxy = proxyTo(backend);
                Client client = Client.to(proxy.port())) {
            assertThat(client.request(GET).body()).isEqualTo("ok");
            assertThat(client.request(GET).body()).isEqualTo("ok");
        }
    }
}
