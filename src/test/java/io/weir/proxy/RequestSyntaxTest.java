package io.weir.proxy;

import static io.weir.proxy.Proxy.group;
import static io.weir.proxy.RouteSpec.to;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is refused since it is not clearly HTTP: RFC 9112, as strict as it allows. */
@ExtendWith(Leaks.class)
class RequestSyntaxTest {

    private static Backend backend;
    private static Proxy proxy;

    @BeforeAll
    static void start() {
        backend = Backend.echoing();
        proxy = Proxy.start(
                1, List.of(group("app", backend.address())), to("app").route());
    }

    @AfterAll
    static void stop() {
        proxy.close();
        backend.close();
    }

    private static Arguments refused(int status, String name, String request) {
        return Arguments.of(status, name, request.replace(";", "\r\n"));
    }

    /** In the requests a semicolon stands for CR LF. */
    static Stream<Arguments> refused() {
        return Stream.of(
                // RFC 9112 section 6.1 and 6.3: framing that two servers could read in two ways
                refused(400, "CL and TE", "POST / HTTP/1.1;Host: x;Content-Length: 3;Transfer-Encoding: chunked;;0;;"),
                refused(400, "TE and CL", "POST / HTTP/1.1;Host: x;Transfer-Encoding: chunked;Content-Length: 3;;0;;"),
                refused(400, "two CL", "POST / HTTP/1.1;Host: x;Content-Length: 3;Content-Length: 4;;abcd"),
                refused(400, "two equal CL", "POST / HTTP/1.1;Host: x;Content-Length: 3;Content-Length: 3;;abc"),
                refused(400, "list of CL", "POST / HTTP/1.1;Host: x;Content-Length: 3, 3;;abc"),
                refused(400, "negative CL", "POST / HTTP/1.1;Host: x;Content-Length: -1;;"),
                refused(400, "CL with plus", "POST / HTTP/1.1;Host: x;Content-Length: +3;;abc"),
                refused(400, "hexadecimal CL", "POST / HTTP/1.1;Host: x;Content-Length: 0x3;;abc"),
                refused(400, "empty CL", "POST / HTTP/1.1;Host: x;Content-Length:;;abc"),
                refused(400, "CL with blanks", "POST / HTTP/1.1;Host: x;Content-Length: 1 2;;abc"),
                refused(400, "huge CL", "POST / HTTP/1.1;Host: x;Content-Length: 99999999999999999999;;"),
                refused(501, "gzip, chunked", "POST / HTTP/1.1;Host: x;Transfer-Encoding: gzip, chunked;;0;;"),
                refused(400, "TE gzip", "POST / HTTP/1.1;Host: x;Transfer-Encoding: gzip;;"),
                refused(400, "TE identity", "POST / HTTP/1.1;Host: x;Transfer-Encoding: identity;;"),
                refused(400, "TE xchunked", "POST / HTTP/1.1;Host: x;Transfer-Encoding: xchunked;;"),
                refused(400, "chunked twice", "POST / HTTP/1.1;Host: x;Transfer-Encoding: chunked, chunked;;0;;"),
                refused(
                        400,
                        "two TE",
                        "POST / HTTP/1.1;Host: x;Transfer-Encoding: chunked;Transfer-Encoding: chunked;;0;;"),
                refused(400, "TE in 1.0", "POST / HTTP/1.0;Host: x;Transfer-Encoding: chunked;;0;;"),
                // section 3.2: exactly one valid Host
                refused(400, "no Host", "GET / HTTP/1.1;;"),
                refused(400, "two Hosts", "GET / HTTP/1.1;Host: x;Host: x;;"),
                refused(400, "blank in Host", "GET / HTTP/1.1;Host: x y;;"),
                refused(400, "path in Host", "GET / HTTP/1.1;Host: x/y;;"),
                refused(400, "user in Host", "GET / HTTP/1.1;Host: a@x;;"),
                refused(400, "list in Host", "GET / HTTP/1.1;Host: x:80:81;;"),
                refused(400, "port in letters", "GET / HTTP/1.1;Host: x:http;;"),
                refused(400, "open bracket", "GET / HTTP/1.1;Host: [::1;;"),
                refused(400, "no Host beside absolute", "GET http://x/ HTTP/1.1;;"),
                refused(400, "empty authority", "GET http:///a HTTP/1.1;Host: x;;"),
                // section 3: the request line
                refused(400, "tab in line", "GET\t/ HTTP/1.1;Host: x;;"),
                refused(400, "two blanks", "GET  / HTTP/1.1;Host: x;;"),
                refused(400, "blank before", " GET / HTTP/1.1;Host: x;;"),
                refused(400, "blank behind", "GET / HTTP/1.1 ;Host: x;;"),
                refused(400, "blank in target", "GET /a b HTTP/1.1;Host: x;;"),
                refused(400, "CR in line", "GET /\r HTTP/1.1;Host: x;;"),
                refused(400, "NUL in target", "GET /\0 HTTP/1.1;Host: x;;"),
                refused(400, "control in target", "GET /\u0001 HTTP/1.1;Host: x;;"),
                refused(400, "DEL in target", "GET /\u007f HTTP/1.1;Host: x;;"),
                refused(400, "NUL before", "\0GET / HTTP/1.1;Host: x;;"),
                refused(400, "no version", "GET /;Host: x;;"),
                refused(400, "method is no token", "G(T / HTTP/1.1;Host: x;;"),
                // as nginx
                refused(400, "method in small letters", "get / HTTP/1.1;Host: x;;"),
                refused(400, "digit in method", "GET2 / HTTP/1.1;Host: x;;"),
                refused(400, "fragment", "GET /a#b HTTP/1.1;Host: x;;"),
                refused(400, "above the root", "GET /../a HTTP/1.1;Host: x;;"),
                refused(400, "half an escape", "GET /%4 HTTP/1.1;Host: x;;"),
                refused(400, "escaped NUL", "GET /%00 HTTP/1.1;Host: x;;"),
                refused(400, "asterisk", "OPTIONS * HTTP/1.1;Host: x;;"),
                refused(400, "protocol in lower case", "GET / http/1.1;Host: x;;"),
                refused(505, "version 2", "GET / HTTP/2.0;Host: x;;"),
                refused(505, "h2 preface", "PRI * HTTP/2.0;;SM;;"),
                refused(505, "version 0.9", "GET / HTTP/0.9;Host: x;;"),
                refused(400, "version in letters", "GET / HTTP/1.x;Host: x;;"),
                refused(400, "version of another protocol", "GET / ICAP/x;Host: x;;"),
                refused(405, "CONNECT", "CONNECT x:80 HTTP/1.1;Host: x:80;;"),
                refused(405, "TRACE", "TRACE / HTTP/1.1;Host: x;;"),
                refused(414, "long line", "GET /" + "a".repeat(9_000) + " HTTP/1.1;Host: x;;"),
                // section 2.2 and 5: lines and fields
                refused(400, "bare LF in line", "GET / HTTP/1.1\nHost: x;;"),
                refused(400, "bare LF in field", "GET / HTTP/1.1;Host: x\nA: b;;"),
                refused(400, "bare LF at end", "GET / HTTP/1.1;Host: x\n\n"),
                refused(400, "blank before colon", "GET / HTTP/1.1;Host: x;A : b;;"),
                refused(400, "TE with blank before colon", "POST / HTTP/1.1;Host: x;Transfer-Encoding : chunked;;0;;"),
                refused(400, "no colon", "GET / HTTP/1.1;Host: x;A;;"),
                refused(400, "no name", "GET / HTTP/1.1;Host: x;: b;;"),
                refused(400, "folded line", "GET / HTTP/1.1;Host: x;A: b; c;;"),
                refused(400, "line folded by a tab", "GET / HTTP/1.1;Host: x;A: b;\tX-Injected: c;;"),
                refused(400, "folded CL", "POST / HTTP/1.1;Host: x;Content-Length:; 1;;a"),
                refused(400, "CL that goes on", "POST / HTTP/1.1;Host: x;Content-Length: 1; 1;;a"),
                refused(400, "folded TE", "POST / HTTP/1.1;Host: x;Transfer-Encoding:; chunked;;0;;"),
                refused(400, "blank before first field", "GET / HTTP/1.1; Host: x;;"),
                refused(400, "name is no token", "GET / HTTP/1.1;Host: x;A(b): c;;"),
                refused(400, "NUL in name", "GET / HTTP/1.1;Host: x;A\0: c;;"),
                refused(400, "NUL in value", "GET / HTTP/1.1;Host: x;A: b\0;;"),
                refused(400, "CR in value", "GET / HTTP/1.1;Host: x;A: b\rC: d;;"),
                refused(400, "control in value", "GET / HTTP/1.1;Host: x;A: b\u0001;;"),
                refused(400, "Latin-1 in name", "GET / HTTP/1.1;Host: x;\u00e4: b;;"),
                refused(431, "field longer than a buffer", "GET / HTTP/1.1;Host: x;A: " + "a".repeat(8_190) + ";;"),
                refused(431, "long field", "GET / HTTP/1.1;Host: x;A: " + "a".repeat(40_000) + ";;"),
                refused(431, "1001 fields", "GET / HTTP/1.1;Host: x;" + "A: b;".repeat(1_000) + ";"),
                refused(431, "many fields", "GET / HTTP/1.1;Host: x;" + "A: b;".repeat(10_000) + ";"),
                // section 7.1: chunks
                refused(400, "chunk size in words", chunks("x;;")),
                refused(400, "empty chunk size", chunks(";a;0;;")),
                refused(400, "negative chunk size", chunks("-1;a;0;;")),
                refused(400, "chunk size 0x", chunks("0x1;a;0;;")),
                refused(400, "chunk size with plus", chunks("+1;a;0;;")),
                refused(400, "blank before chunk size", chunks(" 1;a;0;;")),
                refused(400, "huge chunk size", chunks("ffffffffffffffff1;a;0;;")),
                refused(400, "chunk size overflow", chunks("8000000000000001;a;0;;")),
                refused(400, "chunk without CRLF", chunks("1;ab0;;")),
                refused(400, "chunk with LF", chunks("1\na\n0\n\n")),
                refused(400, "chunk end with LF", chunks("1;a\n0;;")),
                refused(400, "chunk that is too long", chunks("1;abc;0;;")),
                refused(400, "bad trailer", chunks("0;no colon;;")),
                refused(400, "folded trailer", chunks("0;A: b; c;;")),
                refused(400, "blank behind chunk size", chunks("1 ;a;0;;")),
                Arguments.of(
                        400,
                        "LF in chunk extension",
                        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1;x=y\nz\r\na\r\n0\r\n\r\n"));
    }

    private static String chunks(String body) {
        return "POST / HTTP/1.1;Host: x;Transfer-Encoding: chunked;;" + body;
    }

    @ParameterizedTest(name = "{1}")
    @MethodSource("refused")
    void refusedAndClosed(int status, String name, String request) throws Exception {
        try (Client client = Client.to(proxy.port())) {
            client.send(request);
            String all = client.readAll();
            assertThat(all).startsWith("HTTP/1.1 " + status + " ");
            // one answer, and nothing behind the broken request is taken for another
            assertThat(all.indexOf("HTTP/1.1", 1)).isNegative();
            assertThat(HttpText.field(all, "Connection")).isEqualTo("close");
        }
        // nothing of it stays behind for the next
        assertThat(Client.get(proxy.port(), "/next").body()).startsWith("GET /next HTTP/1.1\r\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\r\nGET /ok HTTP/1.1\r\nHost: x\r\n\r\n",
                "GET /ok HTTP/1.1\r\nhost:x\r\n\r\n",
                "GET /ok HTTP/1.1\r\nHost: \t x \t\r\n\r\n",
                "GET /ok HTTP/1.1\r\nHost: x\r\nA:\r\nB: \u00e9\u0080\u00ff\tb\r\n\r\n",
                "GET /ok HTTP/1.1\r\nHost: x\r\n!#$%&'*+-.^`|~09AZaz: b\r\n\r\n",
                "POST /ok HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n",
                "POST /ok HTTP/1.1\r\nHost: x\r\nContent-Length: 003\r\n\r\nabc",
                "POST /ok HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: Chunked\r\n\r\n00A;a=\"b;c\" ; d\r\n0123456789\r\n0\r\n\r\n",
                "GET /ok HTTP/1.0\r\n\r\n",
                "M-SEARCH /ok HTTP/1.1\r\nHost: x\r\n\r\n"
            })
    void unusualButValidRequestsPass(String request) throws Exception {
        try (Client client = Client.to(proxy.port())) {
            Client.Response response = client.request(request);
            assertThat(response.status()).isEqualTo(200);
            assertThat(response.body()).contains(" /ok HTTP/1.1\r\n");
        }
    }

    /** Without Content-Length or Transfer-Encoding there is no body: RFC 9112 section 6.3, rule 7. */
    @Test
    void bytesBehindARequestWithoutABodyAreTheNextRequest() throws Exception {
        try (Client client = Client.to(proxy.port())) {
            client.send("GET /1 HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: WebSocket\r\n"
                    + "Sec-WebSocket-Key1: a\r\nSec-WebSocket-Key2: b\r\n\r\n"
                    + "GET /2 HTTP/1.1\r\nHost: x\r\n\r\n");
            assertThat(client.read().body()).startsWith("GET /1 ");
            assertThat(client.read().body()).startsWith("GET /2 ");
        }
    }

    /** A response that has begun cannot turn into another one. */
    @Test
    void brokenChunkAfterTheResponseBeganEndsTheConnection() throws Exception {
        try (Backend early = Backend.with(connection -> {
                    connection.readHead();
                    connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc");
                    connection.readHead();
                });
                Proxy own = Proxy.start(
                        List.of(group("app", early.address())),
                        to("app").streamingRequests().route());
                Client client = Client.to(own.port())) {
            client.send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n");
            assertThat(HttpText.readHead(client.in())).startsWith("HTTP/1.1 200 OK\r\n");
            assertThat(HttpText.readExactly(client.in(), 3)).asString().isEqualTo("abc");
            client.send("zz\r\n");
            assertThat(client.readAll()).isEmpty();
            await().until(() -> early.open() == 0);
        }
    }
}
