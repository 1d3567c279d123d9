package io.weir.proxy;

import static io.weir.proxy.Proxy.group;
import static io.weir.proxy.RouteSpec.answering;
import static io.weir.proxy.RouteSpec.to;
import static io.weir.proxy.RouteSpec.toAddress;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.config.RouteTarget;
import io.weir.config.Template;
import io.weir.config.Variable;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Header fields on their way there and back: proxying.md sections 6, 7 and 10. */
@ExtendWith(Leaks.class)
class HeadersTest {

    private static List<String> lines(String head) {
        return Arrays.asList(head.substring(0, head.indexOf("\r\n\r\n")).split("\r\n"));
    }

    /** The head that a backend gets for this request. */
    private static List<String> sent(RouteSpec route, String request) throws Exception {
        try (Backend backend = Backend.echoing();
                Proxy proxy = Proxy.start(List.of(group("app", backend.address())), route.route());
                Client client = Client.to(proxy.port())) {
            Client.Response response = client.request(request);
            assertThat(response.status()).isEqualTo(200);
            return lines(response.body());
        }
    }

    /** What a client gets for this response. */
    private static Client.Response received(RouteSpec route, String response) throws Exception {
        try (Backend backend = Backend.replying(response);
                Proxy proxy = Proxy.start(List.of(group("app", backend.address())), route.route())) {
            return Client.get(proxy.port(), "/a%0d%0aX-Injected:%20b");
        }
    }

    /** proxying.md 6: $proxy_host, the group's name; Connection not sent. */
    @Test
    void plainRequestGetsHostAndNothingElse() throws Exception {
        assertThat(sent(to("app"), "GET /x HTTP/1.1\r\nHost: client.example:8000\r\nUser-Agent: t\r\n\r\n"))
                .containsExactly("GET /x HTTP/1.1", "Host: app", "User-Agent: t");
    }

    @Test
    void requestOf1Point0GoesOnAs1Point1() throws Exception {
        assertThat(sent(to("app"), "GET /x HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"))
                .containsExactly("GET /x HTTP/1.1", "Host: app");
    }

    @Test
    void hostMayBeSetAndFallsBackWhenEmpty() throws Exception {
        assertThat(sent(to("app").setRequest("Host", "$http_host"), "GET / HTTP/1.1\r\nHost: Client.example:8\r\n\r\n"))
                .contains("Host: Client.example:8");
        assertThat(sent(to("app").setRequest("Host", "$host"), "GET / HTTP/1.1\r\nHost: Client.example:8\r\n\r\n"))
                .contains("Host: client.example");
        assertThat(sent(to("app").setRequest("host", "$arg_none"), "GET / HTTP/1.1\r\nHost: x\r\n\r\n"))
                .containsExactly("GET / HTTP/1.1", "Host: app");
    }

    /** proxying.md 6, and RFC 9110 section 7.6.1 for those that Connection names. */
    @Test
    void fieldsOfTheHopStayHere() throws Exception {
        assertThat(sent(
                        to("app"),
                        "POST / HTTP/1.1\r\nHost: x\r\nConnection: keep-alive, X-Hop , x-Other\r\nConnection: X-Third\r\n"
                                + "Keep-Alive: timeout=5\r\nProxy-Connection: keep-alive\r\nTE: trailers\r\n"
                                + "Upgrade: h2c\r\nX-Hop: 1\r\nX-Other: 2\r\nx-third: 3\r\nX-Stays: 4\r\n"
                                + "Expect: 100-Continue\r\nTrailer: X-T\r\nContent-Length: 0\r\n\r\n"))
                .containsExactly("POST / HTTP/1.1", "Host: app", "X-Stays: 4", "Trailer: X-T", "Content-Length: 0");
    }

    /** proxying.md 6: core filters. */
    @Test
    void namesWithUnderscoresAreDropped() throws Exception {
        assertThat(sent(
                        to("app").setRequest("X-Got", "[$http_x_real_ip]"),
                        "GET / HTTP/1.1\r\nHost: x\r\nX_Real_IP: 1\r\n_: 2\r\nX-Real_IP: 3\r\n\r\n"))
                .containsExactly("GET / HTTP/1.1", "Host: app", "X-Got: []");
    }

    /** proxying.md 6 [V31] */
    @Test
    void forwardedForIsAppendedTo() throws Exception {
        RouteSpec route = to("app").setRequest("X-Forwarded-For", "$proxy_add_x_forwarded_for");
        assertThat(sent(route, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")).contains("X-Forwarded-For: 127.0.0.1");
        assertThat(sent(
                        route,
                        "GET / HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 192.0.2.1, 192.0.2.2\r\n"
                                + "x-forwarded-for: 192.0.2.3\r\n\r\n"))
                .containsExactly(
                        "GET / HTTP/1.1", "Host: app", "X-Forwarded-For: 192.0.2.1, 192.0.2.2, 192.0.2.3, 127.0.0.1");
        assertThat(sent(to("app"), "GET / HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 192.0.2.1\r\n\r\n"))
                .contains("X-Forwarded-For: 192.0.2.1");
    }

    /** proxying.md 6 [V31]: an empty value removes, that of the client included; the order is ours first. */
    @Test
    void requestFieldsAreSetAndRemoved() throws Exception {
        assertThat(sent(
                        to("app")
                                .setRequest("X-B", "b $arg_q")
                                .setRequest("Accept-Encoding", "")
                                .setRequest("X-Empty", "$arg_none")
                                .removeRequest("cookie"),
                        "GET /?q=1 HTTP/1.1\r\nHost: x\r\nx-b: c\r\nAccept-Encoding: gzip\r\nX-Empty: 1\r\n"
                                + "Cookie: a=b\r\nCookie: c=d\r\nX-A: a\r\nX-A: b\r\n\r\n"))
                .containsExactly("GET /?q=1 HTTP/1.1", "Host: app", "X-B: b 1", "X-A: a", "X-A: b");
    }

    @Test
    void valuesGoThroughByteForByte() throws Exception {
        assertThat(sent(
                        to("app").setRequest("X-Copy", "$http_x_bytes").setRequest("X-Text", "\u00e9"),
                        "GET / HTTP/1.1\r\nHost: x\r\nX-Bytes: \u00e9\u00ff\t\"b\"\r\n\r\n"))
                .contains("X-Bytes: \u00e9\u00ff\t\"b\"", "X-Copy: \u00e9\u00ff\t\"b\"", "X-Text: \u00c3\u00a9");
    }

    /** proxying.md 7: hidden fields, own Server and Date. */
    @Test
    void responseKeepsItsFieldsButThoseOfTheHop() throws Exception {
        Client.Response response = received(
                to("app"),
                "HTTP/1.1 200 OK\r\nServer: s\r\nDate: d\r\nX-Pad: p\r\nX-Accel-Expires: 1\r\nX-Accel-Redirect: /x\r\n"
                        + "X-Accel-Limit-Rate: 1\r\nX-Accel-Buffering: no\r\nX-Accel-Charset: c\r\nX-Accel-Other: o\r\n"
                        + "Connection: X-Hop\r\nX-Hop: 1\r\nKeep-Alive: timeout=5\r\nUpgrade: h2c\r\n"
                        + "Set-Cookie: a=b\r\nSet-Cookie: c=d\r\nContent-Length: 2\r\nETag: e\r\n\r\nok");
        List<String> lines = lines(response.head());
        assertThat(lines.get(0)).isEqualTo("HTTP/1.1 200 OK");
        assertThat(lines.subList(3, lines.size()))
                .containsExactly(
                        "X-Accel-Other: o",
                        "Set-Cookie: a=b",
                        "Set-Cookie: c=d",
                        "ETag: e",
                        "Content-Length: 2",
                        "Connection: close");
        assertThat(response.field("Server")).isEqualTo("weir");
        // RFC 9110 section 5.6.7
        assertThat(response.field("Date"))
                .matches("[A-Z][a-z]{2}, \\d\\d [A-Z][a-z]{2} \\d{4} \\d\\d:\\d\\d:\\d\\d GMT");
    }

    @Test
    void responseFieldsAreSetAndRemoved() throws Exception {
        Client.Response response = received(
                to("app")
                        .setResponse("Server", "mine")
                        .setResponse("X-Set", "$status $upstream_http_etag")
                        .setResponse("ETag", "")
                        .removeResponse("X-Gone")
                        .removeResponse("Date"),
                "HTTP/1.1 201 OK\r\nETag: e\r\nX-Gone: g\r\nx-set: old\r\nContent-Length: 0\r\n\r\n");
        assertThat(lines(response.head()))
                .containsExactly(
                        "HTTP/1.1 201 OK", "Server: mine", "X-Set: 201 e", "Content-Length: 0", "Connection: close");
    }

    /** proxying.md 7: a second one of these is ignored, and the others are kept. */
    @Test
    void fieldsThatAResponseHasOnceArePassedOnOnce() throws Exception {
        Client.Response response = received(
                to("app").redirect("off"),
                "HTTP/1.1 302 Found\r\nContent-Type: a/a\r\nLocation: /1\r\nRefresh: 1\r\nETag: \"1\"\r\n"
                        + "Expires: 1\r\nLast-Modified: 1\r\nSet-Cookie: a=1\r\nLink: 1\r\nVary: 1\r\n"
                        + "Cache-Control: 1\r\nWWW-Authenticate: 1\r\nX-Other: 1\r\n"
                        + "content-type: b/b\r\nLOCATION: /2\r\nRefresh: 2\r\nEtag: \"2\"\r\n"
                        + "Expires: 2\r\nLast-Modified: 2\r\nSet-Cookie: a=2\r\nLink: 2\r\nVary: 2\r\n"
                        + "Cache-Control: 2\r\nWWW-Authenticate: 2\r\nX-Other: 2\r\nContent-Length: 0\r\n\r\n");
        List<String> lines = lines(response.head());
        assertThat(lines.subList(3, lines.size() - 2))
                .containsExactly(
                        "Content-Type: a/a",
                        "Location: /1",
                        "Refresh: 1",
                        "ETag: \"1\"",
                        "Expires: 1",
                        "Last-Modified: 1",
                        "Set-Cookie: a=1",
                        "Link: 1",
                        "Vary: 1",
                        "Cache-Control: 1",
                        "WWW-Authenticate: 1",
                        "X-Other: 1",
                        "Set-Cookie: a=2",
                        "Link: 2",
                        "Vary: 2",
                        "Cache-Control: 2",
                        "WWW-Authenticate: 2",
                        "X-Other: 2");
    }

    /** What a client gets for a field of a redirect; the request is for {@code /app/x}. */
    private static String redirected(RouteSpec route, String name, String value) throws Exception {
        try (Backend backend = Backend.replying(
                        "HTTP/1.1 302 Found\r\n" + name + ": " + value + "\r\nContent-Length: 0\r\n\r\n");
                Proxy proxy = Proxy.start(List.of(group("app", backend.address())), route.route())) {
            return Client.get(proxy.port(), "/app/x").field(name);
        }
    }

    /** proxying.md 7: leading text equal to the proxy_pass URL is replaced by the location prefix, or by a slash. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "Location | http://app/a?b=c         | /a?b=c",
                "Location | http://app/              | /",
                "Location | http://app               | http://app",
                "Location | http://app.example/      | http://app.example/",
                "Location | http://APP/              | http://APP/",
                "Location | https://app/             | https://app/",
                "Location | /a                       | /a",
                "Location | x http://app/            | x http://app/",
                "Refresh  | 5; url=http://app/a      | 5; url=/a",
                "Refresh  | 5; URL=http://app/a      | 5; URL=/a",
                "Refresh  | 5; url='http://app/a'    | 5; url='http://app/a'",
                "Refresh  | 5                        | 5",
                "X-Other  | http://app/a             | http://app/a"
            })
    void addressOfTheGroupBecomesAPath(String name, String sent, String expected) throws Exception {
        assertThat(redirected(to("app"), name, sent)).isEqualTo(expected);
    }

    /** proxy_redirect default, with a URI in proxy_pass. */
    @Test
    void prefixThatWasReplacedIsPutBack() throws Exception {
        RouteSpec rewritten = to("app").prefix("/app/").rewritePrefix("/inner/");
        assertThat(redirected(rewritten, "Location", "http://app/inner/y")).isEqualTo("/app/y");
        assertThat(redirected(rewritten, "Location", "http://app/y")).isEqualTo("http://app/y");
        assertThat(redirected(to("app").exact("/app/x").rewritePrefix("/z"), "Location", "http://app/zz"))
                .isEqualTo("/app/xz");
        assertThat(redirected(to("app").regex("^/app"), "Location", "http://app/y"))
                .isEqualTo("/y");
    }

    @Test
    void redirectsStayAsTheyAreWhereTheyAreToldTo() throws Exception {
        assertThat(redirected(to("app").redirect("off"), "Location", "http://app/y"))
                .isEqualTo("http://app/y");
        try (Backend backend = Backend.with(connection -> {
                    while (connection.readRequest() != null) {
                        connection.write("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:"
                                + connection.socket().getLocalPort() + "/y\r\nContent-Length: 0\r\n\r\n");
                    }
                });
                Proxy proxy = Proxy.start(
                        List.of(),
                        toAddress("http://" + backend.address()).route(),
                        RouteSpec.named("other", new RouteTarget.Address(Template.parse("http://$arg_to")))
                                .prefix("/variable")
                                .route())) {
            assertThat(Client.get(proxy.port(), "/x").field("Location")).isEqualTo("/y");
            // there is no default with variables
            assertThat(Client.get(proxy.port(), "/variable?to=" + backend.address())
                            .field("Location"))
                    .isEqualTo("http://" + backend.address() + "/y");
        }
    }

    /** proxying.md 6: version, Connection. */
    @Test
    void upstreamMayBeAskedIn1Point0() throws Exception {
        assertThat(sent(to("app").httpVersion("1.0"), "GET /x HTTP/1.1\r\nHost: x\r\nConnection: keep-alive\r\n\r\n"))
                .containsExactly("GET /x HTTP/1.0", "Host: app", "Connection: close");
        assertThat(sent(
                        to("app").httpVersion("1.0").setRequest("Connection", "keep-alive"),
                        "GET /x HTTP/1.1\r\nHost: x\r\n\r\n"))
                .containsExactly("GET /x HTTP/1.0", "Host: app", "Connection: keep-alive");
        // 1.0 has no upgrades, and no chunks
        assertThat(sent(
                        to("app").httpVersion("1.0"),
                        "GET /x HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n"))
                .containsExactly("GET /x HTTP/1.0", "Host: app", "Connection: close");
        for (RouteSpec route : List.of(to("app"), to("app").streamingRequests())) {
            assertThat(sent(
                            route.httpVersion("1.0"),
                            "POST /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n"
                                    + "0\r\n\r\n"))
                    .containsExactly("POST /x HTTP/1.0", "Host: app", "Content-Length: 3", "Connection: close");
        }
    }

    @Test
    void connectionOf1Point0IsNotUsedAgain() throws Exception {
        try (Backend backend = Backend.saying("a");
                Proxy proxy = Proxy.start(
                        1,
                        List.of(group("app", backend.address())),
                        to("app").httpVersion("1.0").route(),
                        RouteSpec.named("other", new RouteTarget.Upstream("app"))
                                .prefix("/kept")
                                .route())) {
            // leaves a connection that the others must not take
            assertThat(Client.get(proxy.port(), "/kept").body()).isEqualTo("a");
            assertThat(Client.get(proxy.port(), "/x").body()).isEqualTo("a");
            assertThat(Client.get(proxy.port(), "/x").body()).isEqualTo("a");
            assertThat(backend.connections()).isEqualTo(3);
        }
    }

    @Test
    void responseFieldsAreSetOnOwnAnswersToo() throws Exception {
        try (Proxy proxy = Proxy.start(
                List.of(),
                answering(404, "no")
                        .setResponse("X-Route", "$uri")
                        .setResponse("Content-Type", "text/html")
                        .route())) {
            Client.Response response = Client.get(proxy.port(), "/a");
            assertThat(response.field("X-Route")).isEqualTo("/a");
            assertThat(lines(response.head()).stream().filter(line -> line.startsWith("Content-Type")))
                    .containsExactly("Content-Type: text/html");
        }
    }

    /** What a client encodes into its path must not begin another line, in either direction. */
    @Test
    void variableCannotBeginAnotherLine() throws Exception {
        assertThat(sent(
                        to("app").setRequest("X-Uri", "$uri").setRequest("Host", "$uri"),
                        "GET /a%0d%0aX-Injected:%20b%00c%7f HTTP/1.1\r\nHost: x\r\n\r\n".replace("%00", "%01")))
                .containsExactly(
                        "GET /a%0d%0aX-Injected:%20b%01c%7f HTTP/1.1",
                        "Host: /a  X-Injected: b c ", "X-Uri: /a  X-Injected: b c ");
        Client.Response response =
                received(to("app").setResponse("X-Uri", "$uri"), "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
        assertThat(response.field("X-Injected")).isNull();
        assertThat(response.field("X-Uri")).isEqualTo("/a  X-Injected: b");
    }

    /** proxying.md 10 */
    @Test
    void everyVariableHasAValueOrIsEmpty() throws Exception {
        RouteSpec route = to("app");
        for (String name : Variable.names()) {
            route.setResponse("V-" + name.replace('_', '-'), "[$" + name + "]");
        }
        route.setResponse("V-cookie", "[$cookie_b][$cookie_none]").setResponse("V-arg", "[$arg_Q][$arg_none][$arg_e]");
        try (Backend backend = Backend.replying(
                        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nSet-Cookie: sid=1; Path=/\r\n\r\nok");
                Proxy proxy = Proxy.start(
                        List.of(group("app", backend.address())),
                        route.setResponse("V-upstream-cookie", "[$upstream_cookie_sid]")
                                .route());
                Client client = Client.to(proxy.port())) {
            client.request("GET /first HTTP/1.1\r\nHost: x\r\n\r\n");
            String request = "POST /a%20b?q=1&x&e= HTTP/1.1\r\nHost: H.example:8\r\nContent-Type: t\r\n"
                    + "Cookie: a=1; B=2\r\nContent-Length: 3\r\n\r\n";
            Client.Response response = client.request(request + "abc");
            String remotePort = "" + client.socket().getLocalPort();
            for (String[] expected : new String[][] {
                {"args", "q=1&x&e="},
                {"query-string", "q=1&x&e="},
                {"is-args", "?"},
                {"uri", "/a b"},
                {"document-uri", "/a b"},
                {"request-uri", "/a%20b?q=1&x&e="},
                {"request-method", "POST"},
                {"request", "POST /a%20b?q=1&x&e= HTTP/1.1"},
                {"host", "h.example"},
                {"scheme", "http"},
                {"server-protocol", "HTTP/1.1"},
                {"server-name", "web"},
                {"server-addr", "127.0.0.1"},
                {"server-port", "" + proxy.port()},
                {"remote-addr", "127.0.0.1"},
                {"remote-port", remotePort},
                {"content-length", "3"},
                {"content-type", "t"},
                {"connection", "1"},
                {"connection-requests", "2"},
                {"request-length", "" + (request.length() + 3)},
                {"status", "200"},
                {"proxy-host", "app"},
                {"proxy-port", "80"},
                {"proxy-add-x-forwarded-for", "127.0.0.1"},
                {"upstream-addr", backend.address()},
                {"upstream-status", "200"},
                {"cookie", "2][" /* and nothing for the other */},
                {"arg", "1][]["},
                {"upstream-cookie", "1"}
            }) {
                assertThat(response.field("V-" + expected[0])).as(expected[0]).isEqualTo("[" + expected[1] + "]");
            }
            assertThat(response.field("V-request-id")).matches("\\[[0-9a-f]{32}]");
            for (String time : List.of("request-time", "msec", "upstream-connect-time", "upstream-header-time")) {
                assertThat(response.field("V-" + time)).as(time).matches("\\[\\d+\\.\\d{3}]");
            }
            assertThat(response.field("V-time-local"))
                    .matches("\\[\\d\\d/[A-Z][a-z]{2}/\\d{4}:\\d\\d:\\d\\d:\\d\\d [+-]\\d{4}]");
            assertThat(response.field("V-time-iso8601"))
                    .matches("\\[\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d[+-]\\d\\d:\\d\\d]");
        }
    }
}
