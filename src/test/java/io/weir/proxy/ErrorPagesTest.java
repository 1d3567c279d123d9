package io.weir.proxy;

import static io.weir.proxy.Proxy.group;
import static io.weir.proxy.RouteSpec.answering;
import static io.weir.proxy.RouteSpec.to;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.config.NextUpstream;
import io.weir.config.RouteTarget;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What clients get in place of errors: error_page and proxying.md 7, interception. */
@ExtendWith(Leaks.class)
class ErrorPagesTest {

    private static RouteSpec other(String group) {
        return RouteSpec.named("other", new RouteTarget.Upstream(group));
    }

    private static final String GET = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

    @Test
    void errorOfTheProxyHasItsPage() throws Exception {
        try (Proxy proxy = Proxy.start(
                        List.of(group("none")),
                        to("none")
                                .errorPage("<p>$status $uri \u00e9</p>", null, 413, 502)
                                .setResponse("X-Set", "$status")
                                .maxBodySize("3")
                                .route());
                Client client = Client.to(proxy.port())) {
            for (int i = 0; i < 2; i++) {
                Client.Response response = client.request(GET);
                assertThat(response.status()).isEqualTo(502);
                assertThat(response.head()).startsWith("HTTP/1.1 502 Bad Gateway\r\n");
                assertThat(response.body()).isEqualTo("<p>502 / \u00c3\u00a9</p>");
                assertThat(response.field("Content-Type")).isEqualTo("text/html");
                assertThat(response.field("X-Set")).isEqualTo("502");
            }
            Client.Response tooLarge = client.request("POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n");
            assertThat(tooLarge.status()).isEqualTo(413);
            assertThat(tooLarge.body()).startsWith("<p>413 /x ");
            assertThat(tooLarge.field("Connection")).isEqualTo("close");
        }
    }

    @Test
    void timeoutHasItsPageAndOthersHaveNone() throws Exception {
        try (Backend silent = Backend.with(connection -> {
                    connection.readRequest();
                    connection.readRequest();
                });
                Proxy proxy = Proxy.start(
                        List.of(group("app", silent.address())),
                        to("app")
                                .proxy(Proxy.settings("1s", "1s", "50ms", NextUpstream.OFF))
                                .errorPage("late", null, 504)
                                .route(),
                        other("app")
                                .prefix("/other")
                                .maxBodySize("1")
                                .errorPage("late", null, 504)
                                .route())) {
            Client.Response late = Client.get(proxy.port(), "/");
            assertThat(late.status()).isEqualTo(504);
            assertThat(late.body()).isEqualTo("late");
            try (Client client = Client.to(proxy.port())) {
                assertThat(client.request("POST /other HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n")
                                .body())
                        .isEqualTo("413 Request Entity Too Large\n");
            }
        }
    }

    /** error_page 502 =200, and what a group has counted. */
    @Test
    void pageMayHaveAStatusOfItsOwn() throws Exception {
        try (Proxy proxy = Proxy.start(
                        List.of(group("none")),
                        to("none").errorPage("$status", 200, 502).route(),
                        other("none")
                                .prefix("/empty")
                                .errorPage("gone", 204, 502)
                                .route());
                Client client = Client.to(proxy.port())) {
            Client.Response response = client.request(GET);
            assertThat(response.head()).startsWith("HTTP/1.1 200 OK\r\n");
            assertThat(response.body()).isEqualTo("200");
            Client.Response empty = client.request("GET /empty HTTP/1.1\r\nHost: x\r\n\r\n");
            assertThat(empty.status()).isEqualTo(204);
            assertThat(empty.field("Content-Length")).isNull();
            assertThat(client.request(GET).status()).isEqualTo(200);
        }
    }

    @Test
    void headGetsTheLengthAlone() throws Exception {
        try (Proxy proxy = Proxy.start(
                        List.of(group("none")),
                        to("none").errorPage("sorry", null, 502).route());
                Client client = Client.to(proxy.port())) {
            Client.Response head = client.request("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n");
            assertThat(head.status()).isEqualTo(502);
            assertThat(head.field("Content-Length")).isEqualTo("5");
            // anything that came behind the head would be in front of this
            assertThat(client.request(GET).body()).isEqualTo("sorry");
        }
    }

    /** A fixed answer is what its author wanted. */
    @Test
    void fixedAnswerIsNoError() throws Exception {
        try (Proxy proxy = Proxy.start(
                List.of(), answering(503, "fixed").errorPage("page", null, 503).route())) {
            assertThat(Client.get(proxy.port(), "/").body()).isEqualTo("fixed");
        }
    }

    private static final String REFUSAL = "HTTP/1.1 401 Go away\r\nWWW-Authenticate: Basic realm=\"a\"\r\n"
            + "WWW-Authenticate: Bearer\r\nX-Secret: s\r\nContent-Type: text/secret\r\n";

    @ParameterizedTest
    @ValueSource(
            strings = {
                REFUSAL + "Content-Length: 6\r\n\r\nsecret",
                REFUSAL + "Transfer-Encoding: chunked\r\n\r\n6\r\nsecret\r\n0\r\n\r\n",
                REFUSAL + "Transfer-Encoding: chunked\r\n\r\n6\r\nsec",
                REFUSAL + "Content-Length: 10000000\r\n\r\nsecret"
            })
    void errorOfAServerIsReplacedIfThatIsWanted(String refusal) throws Exception {
        try (Backend backend = Backend.replying(refusal);
                Proxy proxy = Proxy.start(
                        1,
                        List.of(group("app", backend.address())),
                        to("app")
                                .interceptingErrors()
                                .errorPage("$upstream_status $upstream_http_x_secret", null, 401)
                                .route());
                Client client = Client.to(proxy.port())) {
            for (int i = 1; i <= 2; i++) {
                Client.Response response = client.request(GET);
                assertThat(response.head()).startsWith("HTTP/1.1 401 Unauthorized\r\n");
                assertThat(response.body()).isEqualTo("401 s");
                assertThat(response.field("Content-Type")).isEqualTo("text/html");
                assertThat(response.field("X-Secret")).isNull();
                // as nginx keeps them
                assertThat(response.head())
                        .contains("WWW-Authenticate: Basic realm=\"a\"\r\nWWW-Authenticate: Bearer\r\n");
                // the rest of the response is not waited for
                await().until(() -> backend.open() == 0);
                assertThat(backend.connections()).isEqualTo(i);
            }
            assertThat(proxy.peers("app").get(0).fails()).isZero();
        }
    }

    @Test
    void errorOfAServerIsPassedOnOtherwise() throws Exception {
        String missing = "HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\nhers";
        try (Backend backend = Backend.replying(missing);
                Proxy proxy = Proxy.start(
                        List.of(group("app", backend.address())),
                        to("app").errorPage("page", null, 404).route(),
                        other("app")
                                .prefix("/other")
                                .interceptingErrors()
                                .errorPage("page", null, 403)
                                .route())) {
            assertThat(Client.get(proxy.port(), "/").body()).isEqualTo("hers");
            assertThat(Client.get(proxy.port(), "/other").body()).isEqualTo("hers");
        }
    }

    /** The next server is asked first. */
    @Test
    void lastOfSeveralErrorsIsReplaced() throws Exception {
        String busy = "HTTP/1.1 503 Busy\r\nContent-Length: 4\r\n\r\nbusy";
        try (Backend one = Backend.replying(busy);
                Backend two = Backend.replying(busy);
                Proxy proxy = Proxy.start(
                        List.of(group("app", one.address(), two.address())),
                        to("app")
                                .proxy(Proxy.settings("1s", "1s", "60s", NextUpstream.HTTP_503))
                                .interceptingErrors()
                                .errorPage("page $upstream_status", null, 503)
                                .route())) {
            Client.Response response = Client.get(proxy.port(), "/");
            assertThat(response.status()).isEqualTo(503);
            assertThat(response.body()).isEqualTo("page 503, 503");
        }
    }

    /** With the body still on its way, the connection has no next request. */
    @Test
    void errorInTheMiddleOfAnUploadIsReplaced() throws Exception {
        try (Backend backend = Backend.with(connection -> {
                    connection.readHead();
                    connection.write("HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\n\r\nbig");
                    connection.in().readAllBytes();
                });
                Proxy proxy = Proxy.start(
                        List.of(group("app", backend.address())),
                        to("app")
                                .streamingRequests()
                                .interceptingErrors()
                                .errorPage("page", null, 413)
                                .route());
                Client client = Client.to(proxy.port())) {
            Client.Response response = client.request("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab");
            assertThat(response.status()).isEqualTo(413);
            assertThat(response.body()).isEqualTo("page");
            assertThat(response.field("Connection")).isEqualTo("close");
            await().until(() -> backend.open() == 0);
        }
    }
}
