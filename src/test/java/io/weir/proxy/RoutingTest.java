package io.weir.proxy;

import static io.weir.proxy.Proxy.group;
import static io.weir.proxy.RouteSpec.answering;
import static io.weir.proxy.RouteSpec.to;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which route a request takes, and what target goes on: rest-api.md section 2, proxying.md section 6. */
@ExtendWith(Leaks.class)
class RoutingTest {

    private static String firstLine(Client.Response response) {
        return response.body().substring(0, response.body().indexOf("\r\n"));
    }

    @Test
    void hostOfTheRequestChoosesTheRoute() throws Exception {
        try (Proxy proxy = Proxy.start(
                        List.of(),
                        answering("any").route(),
                        answering("exact").hosts("a.example").route(),
                        answering("wild").hosts("*.example").route(),
                        answering("tail").hosts("www.*").route(),
                        answering("v6").hosts("[::1]").route());
                Client client = Client.to(proxy.port())) {
            for (String[] hostAndRoute : new String[][] {
                {"a.example", "exact"},
                {"A.Example", "exact"},
                {"a.example:8000", "exact"},
                {"a.example.", "exact"},
                {"b.a.example", "wild"},
                {"www.b", "tail"},
                {"[::1]:80", "v6"},
                {"b", "any"},
                {"", "any"}
            }) {
                Client.Response response = client.request("GET / HTTP/1.1\r\nHost: " + hostAndRoute[0] + "\r\n\r\n");
                assertThat(response.body()).as(hostAndRoute[0]).isEqualTo(hostAndRoute[1]);
            }
            assertThat(client.request("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
                            .body())
                    .isEqualTo("any");
        }
    }

    /** RFC 9112 section 3.2.2: the host of an absolute target counts, not that of the Host field. */
    @Test
    void absoluteTargetCountsInsteadOfTheHostField() throws Exception {
        try (Backend backend = Backend.echoing();
                Proxy proxy = Proxy.start(
                        List.of(group("app", backend.address())),
                        to("app").hosts("a.example").setRequest("Host", "$host").route());
                Client client = Client.to(proxy.port())) {
            Client.Response response =
                    client.request("GET http://a.example:8000/x?y HTTP/1.1\r\nHost: b.example\r\n\r\n");
            assertThat(response.status()).isEqualTo(200);
            assertThat(firstLine(response)).isEqualTo("GET /x?y HTTP/1.1");
            assertThat(HttpText.field(response.body(), "Host")).isEqualTo("a.example");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "/api/x, api",
        "/%61pi/x, api",
        "//api//x, api",
        "/b/../api/x, api",
        "/b/%2e%2e/api/x, api",
        "/api, root",
        "/API/x, root",
        "/x?/api/, root",
        "/exact, exact",
        "/exact?a=b, exact",
        "/exact/, root",
        "/a.gif, gif",
        "/api/a.gif, gif",
        "/static/a.gif, static"
    })
    void decodedPathChoosesTheRoute(String target, String route) throws Exception {
        try (Proxy proxy = Proxy.start(
                List.of(),
                answering("root").route(),
                answering("api").prefix("/api/").route(),
                answering("static").prefixWithoutRegex("/static/").route(),
                answering("gif").regex("\\.gif$").route(),
                answering("exact").exact("/exact").route())) {
            assertThat(Client.get(proxy.port(), target).body()).isEqualTo(route);
        }
    }

    @Test
    void methodAndFieldsChooseTheRoute() throws Exception {
        try (Proxy proxy = Proxy.start(
                        List.of(),
                        answering("root").route(),
                        answering("purge").prefix("/a").methods("PURGE").route(),
                        answering("beta")
                                .prefix("/a")
                                .header("X-Channel", "beta")
                                .route());
                Client client = Client.to(proxy.port())) {
            assertThat(client.request("GET /a HTTP/1.1\r\nHost: x\r\n\r\n").body())
                    .isEqualTo("root");
            assertThat(client.request("PURGE /a HTTP/1.1\r\nHost: x\r\n\r\n").body())
                    .isEqualTo("purge");
            assertThat(client.request("GET /a HTTP/1.1\r\nHost: x\r\nx-channel: beta\r\n\r\n")
                            .body())
                    .isEqualTo("beta");
        }
    }

    /** proxying.md 6: raw path and query unchanged. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "/",
                "/a//b/./../c",
                "/%7euser/%2F%2f",
                "/a?b=c&d=%20+//../?",
                "/?",
                "/a;v=1/b,c:d@e!$&'()*+=",
                "/\u00e9\u00ff\u0080",
                "/\"<>\\^`{|}"
            })
    void targetGoesThroughByteForByte(String target) throws Exception {
        try (Backend backend = Backend.echoing();
                Proxy proxy = Proxy.start(
                        List.of(group("app", backend.address())), to("app").route())) {
            assertThat(firstLine(Client.get(proxy.port(), target))).isEqualTo("GET " + target + " HTTP/1.1");
        }
    }

    /** proxying.md 6: matched prefix replaced; normalised path escaped again; query appended. */
    @ParameterizedTest
    @CsvSource({
        "/api/x, /v2/x",
        "/api/, /v2/",
        "/api/x?a=%2F//, /v2/x?a=%2F//",
        "/api/x?, /v2/x?",
        "/api//a/../b, /v2/b",
        "/%61pi/%7e%2541, /v2/~%2541",
        "/api/a%20b%3Fc%23d, /v2/a%20b%3Fc%23d",
        "/api/%c3%a9, /v2/%C3%A9",
        "/api/%0d%0aX:%20y, /v2/%0D%0AX:%20y"
    })
    void prefixIsRewritten(String target, String expected) throws Exception {
        try (Backend backend = Backend.echoing();
                Proxy proxy = Proxy.start(
                        List.of(group("app", backend.address())),
                        to("app").prefix("/api/").rewritePrefix("/v2/").route())) {
            assertThat(firstLine(Client.get(proxy.port(), target))).isEqualTo("GET " + expected + " HTTP/1.1");
        }
    }

    @Test
    void exactPathAndPathBeyondAsciiAreRewritten() throws Exception {
        try (Backend backend = Backend.echoing();
                Proxy proxy = Proxy.start(
                        List.of(group("app", backend.address())),
                        to("app").exact("/old").rewritePrefix("/new").route())) {
            assertThat(firstLine(Client.get(proxy.port(), "/old?x"))).isEqualTo("GET /new?x HTTP/1.1");
            proxy.apply(
                    List.of(group("app", backend.address())),
                    to("app").prefix("/caf\u00e9/").rewritePrefix("/").route());
            assertThat(firstLine(Client.get(proxy.port(), "/caf%C3%A9/x"))).isEqualTo("GET /x HTTP/1.1");
        }
    }

    @Test
    void fixedAnswerMayHoldVariables() throws Exception {
        try (Proxy proxy = Proxy.start(
                        List.of(),
                        answering(418, "$request_method $uri \u20ac ${arg_x}$$ $host:$server_port")
                                .route());
                Client client = Client.to(proxy.port())) {
            Client.Response response = client.request("GET /caf%C3%A9?x=1 HTTP/1.1\r\nHost: h\r\n\r\n");
            assertThat(response.status()).isEqualTo(418);
            assertThat(new String(response.content(), java.nio.charset.StandardCharsets.UTF_8))
                    .isEqualTo("GET /caf\u00e9 \u20ac 1$ h:" + proxy.port());
            assertThat(response.field("Content-Type")).isEqualTo("text/plain");
            Client.Response head = client.request("HEAD /abc HTTP/1.1\r\nHost: h\r\n\r\n");
            assertThat(head.status()).isEqualTo(418);
            assertThat(head.field("Content-Length")).isNotNull();
            assertThat(client.request("GET / HTTP/1.1\r\nHost: h\r\n\r\n").status())
                    .isEqualTo(418);
        }
    }

    @Test
    void listenerWithoutRoutesSaysSo() throws Exception {
        try (Proxy proxy = Proxy.start(List.of())) {
            Client.Response response = Client.get(proxy.port(), "/");
            assertThat(response.status()).isEqualTo(404);
            assertThat(response.body()).isEqualTo("no routes yet\n");
            proxy.apply(List.of(), answering("a").prefix("/a").route());
            response = Client.get(proxy.port(), "/");
            assertThat(response.status()).isEqualTo(404);
            assertThat(response.body()).isEqualTo("404 Not Found\n");
        }
    }

    /** A pattern that backtracks must not hold up the event loop, and one that recurses must not end the connection. */
    @Test
    void regexThatTakesTooLongAnswers500() throws Exception {
        try (Proxy proxy = Proxy.start(
                1,
                List.of(),
                answering("slow").regex("^/slow/(.*a){11}$").route(),
                answering("deep").regex("^/deep/(a|b)*$").route())) {
            assertThat(Client.get(proxy.port(), "/slow/" + "a".repeat(60) + "!").status())
                    .isEqualTo(500);
            assertThat(Client.get(proxy.port(), "/deep/" + "ab".repeat(3500)).status())
                    .isEqualTo(500);
            assertThat(Client.get(proxy.port(), "/slow/" + "a".repeat(20)).body())
                    .isEqualTo("slow");
            assertThat(Client.get(proxy.port(), "/deep/" + "ab".repeat(20)).body())
                    .isEqualTo("deep");
        }
    }
}
