package io.weir.proxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.weir.config.AccessLogConfig;
import io.weir.config.AccessLogConfig.Escape;
import io.weir.config.ActiveConfig;
import io.weir.config.ClientSettings;
import io.weir.config.HttpListenerConfig;
import io.weir.config.InvalidConfigException;
import io.weir.config.ProxyConfig;
import io.weir.config.RouteConfig;
import io.weir.config.UpstreamConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** access_log and log_format: the lines of the log, byte for byte. */
@ExtendWith(Leaks.class)
class AccessLogTest {

    private static final String NO_ROUTE = "404 Not Found\n";

    @TempDir
    private Path folder;

    private Path file() {
        return folder.resolve("access.log");
    }

    private AccessLogConfig combined() {
        return format(AccessLogConfig.COMBINED);
    }

    private AccessLogConfig format(String format) {
        return new AccessLogConfig(file().toString(), format, Escape.DEFAULT, null);
    }

    private static void apply(Proxy proxy, AccessLogConfig log, List<UpstreamConfig> groups, RouteConfig... routes) {
        proxy.apply(new ProxyConfig(
                proxy.active().current().revision() + 1,
                groups,
                List.of(new HttpListenerConfig("web", "127.0.0.1", proxy.port(), false, null, log, List.of(routes)))));
    }

    private static Proxy start(AccessLogConfig log, List<UpstreamConfig> groups, RouteConfig... routes) {
        return start(1, log, groups, routes);
    }

    /** @param threads with one, the order of the lines is that of the ends of the requests */
    private static Proxy start(int threads, AccessLogConfig log, List<UpstreamConfig> groups, RouteConfig... routes) {
        Proxy proxy = Proxy.start(threads, groups);
        apply(proxy, log, groups, routes);
        return proxy;
    }

    private static Proxy start(AccessLogConfig log, Backend backend) {
        return start(log, List.of(Proxy.group("app", backend.address())), Proxy.route("app"));
    }

    /** The lines once there are so many, with the time taken out. */
    private List<String> lines(int count) throws IOException {
        return lines(file(), count);
    }

    private static List<String> lines(Path file, int count) throws IOException {
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(read(file)).hasSizeGreaterThanOrEqualTo(count));
        List<String> lines = read(file);
        assertThat(lines).hasSize(count);
        return lines.stream()
                .map(line ->
                        line.replaceFirst("\\[\\d\\d/[A-Z][a-z]{2}/\\d{4}:\\d\\d:\\d\\d:\\d\\d [+-]\\d{4}]", "[time]"))
                .toList();
    }

    private static List<String> read(Path file) throws IOException {
        String text = Files.exists(file) ? Files.readString(file, ISO_8859_1) : "";
        assertThat(text.isEmpty() || text.endsWith("\n")).isTrue();
        return text.lines().toList();
    }

    // ---- combined ----

    @Test
    void combinedIsThatOfNginx() throws IOException {
        try (Backend backend = Backend.saying("hello");
                Proxy proxy = start(combined(), backend);
                Client client = Client.to(proxy.port())) {
            client.request("GET /a?b=%20c HTTP/1.1\r\nHost: a.example\r\nReferer: http://b.example/\r\n"
                    + "User-Agent: curl/8.0\r\nAuthorization: Basic YW5uOnNlY3JldA==\r\n\r\n");
            client.request("HEAD / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
            assertThat(lines(2))
                    .containsExactly(
                            "127.0.0.1 - ann [time] \"GET /a?b=%20c HTTP/1.1\" 200 5 \"http://b.example/\" \"curl/8.0\"",
                            "127.0.0.1 - - [time] \"HEAD / HTTP/1.0\" 200 0 \"-\" \"-\"");
        }
    }

    @Test
    void bytesOfTheBodyIncludeTheSizesOfChunks() throws IOException {
        try (Backend backend = Backend.replying(
                        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n");
                Proxy proxy = start(combined(), backend)) {
            Client.get(proxy.port(), "/");
            assertThat(lines(1)).containsExactly("127.0.0.1 - - [time] \"GET / HTTP/1.1\" 200 15 \"-\" \"-\"");
        }
    }

    @Test
    void responsesWithoutABodyAreLogged() throws IOException {
        try (Backend backend = Backend.replying("HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\n\r\n");
                Proxy proxy = start(combined(), backend)) {
            Client.get(proxy.port(), "/");
            assertThat(lines(1)).containsExactly("127.0.0.1 - - [time] \"GET / HTTP/1.1\" 304 0 \"-\" \"-\"");
        }
    }

    @Test
    void ownAnswersAreLogged() throws IOException {
        List<UpstreamConfig> dead = List.of(Proxy.group("dead", "127.0.0.1:" + Proxy.freePort()));
        try (Proxy proxy = start(
                combined(),
                dead,
                RouteSpec.to("dead").exact("/dead").route(),
                RouteSpec.answering(418, "teapot").exact("/fixed").route())) {
            Client.get(proxy.port(), "/nowhere");
            Client.get(proxy.port(), "/dead");
            Client.get(proxy.port(), "/fixed");
            assertThat(lines(3))
                    .containsExactly(
                            "127.0.0.1 - - [time] \"GET /nowhere HTTP/1.1\" 404 " + NO_ROUTE.length() + " \"-\" \"-\"",
                            "127.0.0.1 - - [time] \"GET /dead HTTP/1.1\" 502 16 \"-\" \"-\"",
                            "127.0.0.1 - - [time] \"GET /fixed HTTP/1.1\" 418 6 \"-\" \"-\"");
        }
    }

    @Test
    void clientThatLeavesBeforeTheResponseIsA499() throws IOException {
        AtomicBoolean asked = new AtomicBoolean();
        try (Backend backend = Backend.with(connection -> {
                    connection.readRequest();
                    asked.set(true);
                    connection.readRequest();
                });
                Proxy proxy = start(format("$request_method $status $bytes_sent $upstream_status"), backend);
                Client client = Client.to(proxy.port())) {
            client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
            await().untilTrue(asked);
            client.close();
            assertThat(lines(1)).containsExactly("GET 499 0 -");
        }
    }

    @Test
    void pipelinedRequestsHaveALineEach() throws IOException {
        try (Backend backend = Backend.saying("hello");
                Proxy proxy = start(format("$connection_requests $request_uri $request_length"), backend);
                Client client = Client.to(proxy.port())) {
            client.send("GET /1 HTTP/1.1\r\nHost: a\r\n\r\nPOST /2 HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc"
                    + "GET /3 HTTP/1.1\r\nHost: a\r\n\r\n");
            client.read();
            client.read();
            client.read();
            assertThat(lines(3)).containsExactly("1 /1 28", "2 /2 51", "3 /3 28");
        }
    }

    @Test
    void whatIsNoRequestIsLoggedAsItWasRead() throws IOException {
        try (Proxy proxy =
                start(combined(), List.of(), RouteSpec.answering("ok").route())) {
            for (String broken : List.of(
                    "GARBAGE\r\n\r\n",
                    "GET  /two-spaces HTTP/1.1\r\n\r\n",
                    "GET /\"\\\u00ff HTTP/1.1\r\nHost: a b\r\nUser-Agent: me\r\n\r\n",
                    "GET /no-host HTTP/1.1\r\n\r\n",
                    "GET /version HTTP/1.7\r\nHost: a\r\n\r\n",
                    "GET /field HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n")) {
                try (Client client = Client.to(proxy.port())) {
                    client.send(broken).readAll();
                }
            }
            try (Client client = Client.to(proxy.port())) {
                client.send("GET /" + "x".repeat(9000));
                client.readAll();
            }
            List<String> lines = lines(7);
            assertThat(lines.subList(0, 6))
                    .containsExactly(
                            "127.0.0.1 - - [time] \"GARBAGE\" 400 16 \"-\" \"-\"",
                            "127.0.0.1 - - [time] \"GET  /two-spaces HTTP/1.1\" 400 16 \"-\" \"-\"",
                            "127.0.0.1 - - [time] \"GET /\\x22\\x5C\\xFF HTTP/1.1\" 400 16 \"-\" \"me\"",
                            "127.0.0.1 - - [time] \"GET /no-host HTTP/1.1\" 400 16 \"-\" \"-\"",
                            "127.0.0.1 - - [time] \"GET /version HTTP/1.7\" 505 31 \"-\" \"-\"",
                            "127.0.0.1 - - [time] \"GET /field HTTP/1.1\" 400 16 \"-\" \"-\"");
            assertThat(lines.get(6))
                    .startsWith("127.0.0.1 - - [time] \"GET /xxx")
                    .endsWith("xxx\" 414 25 \"-\" \"-\"");
        }
    }

    @Test
    void clientsThatLeaveInTheMiddleOfAHeadAreLogged() throws IOException {
        try (Proxy proxy =
                start(combined(), List.of(), RouteSpec.answering("ok").route())) {
            try (Client silent = Client.to(proxy.port());
                    Client half = Client.to(proxy.port())) {
                silent.send("");
                half.send("GET /ha");
            }
            lines(1);
            try (Client line = Client.to(proxy.port())) {
                line.send("GET /line HTTP/1.1\r\nHos");
            }
            assertThat(lines(2))
                    .containsExactly(
                            "127.0.0.1 - - [time] \"GET /ha\" 400 0 \"-\" \"-\"",
                            "127.0.0.1 - - [time] \"GET /line HTTP/1.1\" 400 0 \"-\" \"-\"");
        }
    }

    /** The lengths are those that nginx 1.22.1 logs: of the lines that it has read in whole. */
    @Test
    void lengthOfARefusedHeadIsThatOfItsWholeLines() throws IOException {
        String host = "Host: a\r\n";
        try (Proxy proxy = start(
                format("$request_length $status $request"),
                List.of(),
                RouteSpec.answering("ok").route())) {
            for (String head : List.of(
                    "GARBAGE\r\n\r\n",
                    "\r\n\r\nGARBAGE\r\n\r\n",
                    "GET /no-host HTTP/1.1\r\n\r\n",
                    "GET /field HTTP/1.1\r\n" + host + "no colon\r\n\r\n",
                    "GET /nul HTTP/1.1\r\n" + host + "A: \0\r\n\r\n",
                    "GET /" + "x".repeat(9000),
                    "GET /big HTTP/1.1\r\n" + host + "A: " + "x".repeat(9000) + "\r\n\r\n",
                    "GET /te HTTP/1.1\r\n" + host + "Transfer-Encoding: gzip\r\n\r\n")) {
                try (Client client = Client.to(proxy.port())) {
                    client.request("GET / HTTP/1.1\r\nHost: before\r\n\r\n");
                    client.send(head).readAll();
                }
            }
            try (Client client = Client.to(proxy.port())) {
                client.send("GET /half HTTP/1.1\r\nHos");
            }
            List<String> lines = lines(17).stream()
                    .filter(line -> !line.endsWith("GET / HTTP/1.1"))
                    .map(line -> line.replaceFirst("x{1000,}", "X"))
                    .toList();
            assertThat(lines)
                    .containsExactly(
                            "0 400 GARBAGE",
                            "0 400 GARBAGE",
                            "25 400 GET /no-host HTTP/1.1",
                            "30 400 GET /field HTTP/1.1",
                            "28 400 GET /nul HTTP/1.1",
                            "0 414 GET /X",
                            "28 431 GET /big HTTP/1.1",
                            "54 400 GET /te HTTP/1.1",
                            "20 400 GET /half HTTP/1.1");
        }
    }

    @Test
    void headThatContradictsItselfIsLoggedAsWhatItReadsLike() throws IOException {
        try (Proxy proxy =
                        start(combined(), List.of(), RouteSpec.answering("ok").route());
                Client client = Client.to(proxy.port())) {
            client.send("POST /cl HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n"
                            + "User-Agent: me\r\n\r\nsecret\r\n")
                    .readAll();
            assertThat(lines(1)).containsExactly("127.0.0.1 - - [time] \"POST /cl HTTP/1.1\" 400 16 \"-\" \"me\"");
        }
    }

    @Test
    void hostileBytesAreEscaped() throws IOException {
        try (Backend backend = Backend.saying("hello");
                Proxy proxy = start(combined(), backend);
                Client client = Client.to(proxy.port())) {
            client.request("GET /\u00e9\"|~\\ HTTP/1.1\r\nHost: a\r\nUser-Agent: \"a\\b\tc\u00ff~\r\nReferer:\r\n\r\n");
            assertThat(lines(1))
                    .containsExactly("127.0.0.1 - - [time] \"GET /\\xE9\\x22|~\\x5C HTTP/1.1\" 200 5 \"\""
                            + " \"\\x22a\\x5Cb\\x09c\\xFF~\"");
        }
    }

    @Test
    void tunnelIsLoggedAtItsEnd() throws IOException {
        try (Backend backend = Backend.with(connection -> {
                    connection.readHead();
                    connection.write("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n");
                    connection.write("12345");
                    connection.in().read();
                });
                Proxy proxy = start(format("$request_uri $status $body_bytes_sent $request_length"), backend)) {
            String head = "GET /t HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n";
            try (Client client = Client.to(proxy.port())) {
                client.send(head);
                assertThat(client.read().status()).isEqualTo(101);
                assertThat(client.in().readNBytes(5)).hasSize(5);
                client.send("z");
                assertThat(client.isClosed()).isTrue();
            }
            assertThat(lines(1)).containsExactly("/t 101 5 " + head.length());
        }
    }

    // ---- formats of variables ----

    @Test
    void everyAttemptIsInTheLine() throws IOException {
        int dead = Proxy.freePort();
        try (Backend backend = Backend.saying("hello");
                Proxy proxy = start(
                        format(
                                "$upstream_addr|$upstream_status|$upstream_connect_time|$upstream_response_length|$status"),
                        List.of(Proxy.group("app", "127.0.0.1:" + dead, backend.address())),
                        Proxy.route("app"))) {
            Client.get(proxy.port(), "/");
            assertThat(lines(1).get(0))
                    .matches("127\\.0\\.0\\.1:" + dead + ", " + backend.address()
                            + "\\|502, 200\\|-, 0\\.0\\d\\d\\|0, 5\\|200");
        }
    }

    @Test
    void fieldsOfTheResponseAreThoseThatWereSent() throws IOException {
        try (Backend backend = Backend.replying("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nSet-Cookie: a\r\n"
                        + "Set-Cookie: b\r\nX-Gone: 1\r\nServer: them\r\n\r\n");
                Proxy proxy = start(
                        format("[$sent_http_server] [$sent_http_set_cookie] [$sent_http_x_gone] [$sent_http_x_new]"
                                + " [$upstream_http_x_gone]"),
                        List.of(Proxy.group("app", backend.address())),
                        RouteSpec.to("app")
                                .removeResponse("X-Gone")
                                .setResponse("X-New", "$request_method")
                                .route())) {
            Client.get(proxy.port(), "/");
            assertThat(lines(1)).containsExactly("[weir] [a, b] [-] [GET] [1]");
        }
    }

    @Test
    void ownJsonIsEscapedAsJson() throws IOException {
        String format = "{\"uri\":\"$request_uri\",\"agent\":\"$http_user_agent\",\"user\":\"$remote_user\"}";
        AccessLogConfig log = new AccessLogConfig(file().toString(), format, Escape.JSON, null);
        try (Backend backend = Backend.saying("hello");
                Proxy proxy = start(log, backend);
                Client client = Client.to(proxy.port())) {
            client.request("GET /\"\\ HTTP/1.1\r\nHost: a\r\nUser-Agent: \tx\u00c3\u00a9\u00e9\r\n\r\n");
            lines(1);
            JsonNode line = new JsonMapper().readTree(Files.readAllBytes(file()));
            assertThat(line.get("uri").stringValue()).isEqualTo("/\"\\");
            assertThat(line.get("agent").stringValue()).isEqualTo("x\u00e9\u00e9");
            assertThat(line.get("user").stringValue()).isEmpty();
        }
    }

    // ---- json ----

    @Test
    void jsonHasNumbersAndEveryAttempt() throws IOException {
        int dead = Proxy.freePort();
        try (Backend backend = Backend.saying("hello");
                Proxy proxy = start(
                        format(AccessLogConfig.JSON),
                        List.of(Proxy.group("app", "127.0.0.1:" + dead, backend.address())),
                        Proxy.route("app"));
                Client client = Client.to(proxy.port())) {
            client.request(
                    "GET /a?\"b\\ HTTP/1.1\r\nHost: A.example:80\r\nUser-Agent: \"\\\t\u00ff\u00c3\u00a4\r\n\r\n");
            lines(1);
            JsonNode line = new JsonMapper().readTree(Files.readAllBytes(file()));
            assertThat(line.get("time").stringValue())
                    .matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}[+-]\\d\\d:\\d\\d");
            assertThat(line.get("listener").stringValue()).isEqualTo("web");
            assertThat(line.get("route").stringValue()).isEqualTo("all");
            assertThat(line.get("upstream").stringValue()).isEqualTo("app");
            assertThat(line.get("remote_addr").stringValue()).isEqualTo("127.0.0.1");
            assertThat(line.has("remote_user")).isFalse();
            assertThat(line.get("request_method").stringValue()).isEqualTo("GET");
            assertThat(line.get("request_uri").stringValue()).isEqualTo("/a?\"b\\");
            assertThat(line.get("server_protocol").stringValue()).isEqualTo("HTTP/1.1");
            assertThat(line.get("host").stringValue()).isEqualTo("a.example");
            assertThat(line.get("http_user_agent").stringValue()).isEqualTo("\"\\\t\u00ff\u00e4");
            assertThat(line.get("status").intValue()).isEqualTo(200);
            assertThat(line.get("body_bytes_sent").intValue()).isEqualTo(5);
            assertThat(line.get("request_time").isNumber()).isTrue();
            JsonNode attempts = line.get("attempts");
            assertThat(attempts.get(0).get("addr").stringValue()).isEqualTo("127.0.0.1:" + dead);
            assertThat(attempts.get(0).get("status").intValue()).isEqualTo(502);
            assertThat(attempts.get(0).has("header_time")).isFalse();
            assertThat(attempts.get(1).get("addr").stringValue()).isEqualTo(backend.address());
            assertThat(attempts.get(1).get("response_time").isNumber()).isTrue();
            assertThat(attempts).hasSize(2);
        }
    }

    @Test
    void jsonTellsOfWhatIsNoRequest() throws IOException {
        try (Proxy proxy = start(format(AccessLogConfig.JSON), List.of());
                Client client = Client.to(proxy.port())) {
            client.send("\u0000\"\u00ff\r\n\r\n").readAll();
            lines(1);
            JsonNode line = new JsonMapper().readTree(Files.readAllBytes(file()));
            assertThat(line.get("request").stringValue()).isEqualTo("\u0000\"\u00ff");
            assertThat(line.get("status").intValue()).isEqualTo(400);
            assertThat(line.has("request_method")).isFalse();
        }
    }

    // ---- which requests, and where to ----

    @Test
    void routeMayBeLeftOut() throws IOException {
        RouteConfig quiet =
                RouteSpec.answering("ok").exact("/health").accessLog(false).route();
        try (Proxy proxy = start(
                format("$uri"), List.of(), quiet, RouteSpec.answering("rest").route())) {
            try (Client client = Client.to(proxy.port())) {
                client.request("GET /health HTTP/1.1\r\nHost: a\r\n\r\n");
                client.request("GET /x HTTP/1.1\r\nHost: a\r\n\r\n");
            }
            assertThat(lines(1)).containsExactly("/x");
        }
    }

    @Test
    void twoListenersMayShareAFile() throws Exception {
        int other = Proxy.freePort();
        RouteConfig route = RouteSpec.answering("ok").route();
        ClientSettings manyRequests = new ClientSpec().keepaliveRequests(10_000).settings();
        try (Proxy proxy = Proxy.start(List.of(), route)) {
            proxy.apply(new ProxyConfig(
                    2,
                    List.of(),
                    List.of(
                            new HttpListenerConfig(
                                    "a",
                                    "127.0.0.1",
                                    proxy.port(),
                                    false,
                                    null,
                                    format("a $uri end"),
                                    manyRequests,
                                    List.of(route)),
                            new HttpListenerConfig(
                                    "b",
                                    "127.0.0.1",
                                    other,
                                    false,
                                    null,
                                    format("b $uri end"),
                                    manyRequests,
                                    List.of(route)))));
            int each = 2000;
            List<Thread> loads = new ArrayList<>();
            for (int port : List.of(proxy.port(), other)) {
                loads.add(new Thread(() -> load(port, each)));
            }
            loads.forEach(Thread::start);
            for (Thread load : loads) {
                load.join();
            }
            List<String> lines = lines(2 * each);
            for (String listener : List.of("a", "b")) {
                List<String> expected = new ArrayList<>();
                for (int i = 0; i < each; i++) {
                    expected.add(listener + " /" + i + " end");
                }
                assertThat(lines.stream().filter(line -> line.startsWith(listener)))
                        .isEqualTo(expected);
            }
        }
    }

    private static void load(int port, int count) {
        try (Client client = Client.to(port)) {
            for (int i = 0; i < count; i++) {
                client.request("GET /" + i + " HTTP/1.1\r\nHost: a\r\n\r\n");
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void openConnectionFollowsAChangeWithItsNextRequest() throws IOException {
        RouteConfig route = RouteSpec.answering("ok").route();
        try (Proxy proxy = start(AccessLogConfig.DEFAULT, List.of(), route);
                Client client = Client.to(proxy.port())) {
            client.request("GET /off HTTP/1.1\r\nHost: a\r\n\r\n");
            apply(proxy, format("1 $uri"), List.of(), route);
            client.request("GET /on HTTP/1.1\r\nHost: a\r\n\r\n");
            apply(proxy, format("2 $uri"), List.of(), route);
            client.request("GET /changed HTTP/1.1\r\nHost: a\r\n\r\n");
            apply(proxy, AccessLogConfig.DEFAULT, List.of(), route);
            client.request("GET /off HTTP/1.1\r\nHost: a\r\n\r\n");
            apply(proxy, format("3 $uri"), List.of(), route);
            client.request("GET /again HTTP/1.1\r\nHost: a\r\n\r\n");
            assertThat(lines(3)).containsExactly("1 /on", "2 /changed", "3 /again");
        }
    }

    @Test
    void requestIsLoggedWhereItBegan() throws IOException {
        AtomicBoolean asked = new AtomicBoolean();
        AtomicBoolean answer = new AtomicBoolean();
        try (Backend backend = Backend.with(connection -> {
                    connection.readRequest();
                    asked.set(true);
                    await().atMost(Duration.ofSeconds(10)).untilTrue(answer);
                    connection.write("HTTP/1.1 204 No Content\r\n\r\n");
                });
                Proxy proxy = start(format("$uri $status"), backend);
                Client client = Client.to(proxy.port())) {
            client.send("GET /long HTTP/1.1\r\nHost: a\r\n\r\n");
            await().untilTrue(asked);
            apply(proxy, AccessLogConfig.DEFAULT, List.of(Proxy.group("app", backend.address())), Proxy.route("app"));
            answer.set(true);
            assertThat(client.read().status()).isEqualTo(204);
            assertThat(lines(1)).containsExactly("/long 204");
        }
    }

    @Test
    void everyRequestHasOneLineWhileTheLogChanges() throws Exception {
        Path second = folder.resolve("deep/er/second.log");
        List<AccessLogConfig> logs = List.of(
                combined(),
                new AccessLogConfig(second.toString(), AccessLogConfig.JSON, Escape.DEFAULT, null),
                format("$request_uri"));
        AtomicInteger sent = new AtomicInteger();
        AtomicBoolean stop = new AtomicBoolean();
        try (Backend backend = Backend.saying("hello");
                Proxy proxy =
                        start(2, combined(), List.of(Proxy.group("app", backend.address())), Proxy.route("app"))) {
            List<UpstreamConfig> groups = List.of(Proxy.group("app", backend.address()));
            List<Thread> loads = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                loads.add(new Thread(() -> {
                    while (!stop.get()) {
                        load(proxy.port(), 25);
                        sent.addAndGet(25);
                    }
                }));
            }
            loads.forEach(Thread::start);
            for (int i = 1; i <= 30; i++) {
                int before = sent.get();
                apply(proxy, logs.get(i % 3), groups, Proxy.route("app"));
                await().atMost(Duration.ofSeconds(20)).until(() -> sent.get() > before);
            }
            stop.set(true);
            for (Thread load : loads) {
                load.join();
            }
            await().atMost(Duration.ofSeconds(20))
                    .untilAsserted(
                            () -> assertThat(read(file()).size() + read(second).size())
                                    .isEqualTo(sent.get()));
            assertThat(proxy.dataPlane().droppedLogLines()).isZero();
        }
        assertThat(read(file()).size() + read(second).size()).isEqualTo(sent.get());
    }

    @Test
    void whatWaitsIsWrittenAtTheEnd() throws IOException {
        try (Proxy proxy =
                start(format("$uri"), List.of(), RouteSpec.answering("ok").route())) {
            load(proxy.port(), 100);
        }
        assertThat(read(file())).hasSize(100);
    }

    @Test
    void movedFileIsBegunAnew() throws IOException {
        try (Proxy proxy =
                start(format("$uri"), List.of(), RouteSpec.answering("ok").route())) {
            Client.get(proxy.port(), "/1");
            lines(1);
            Path moved = folder.resolve("access.log.1");
            Files.move(file(), moved);
            Client.get(proxy.port(), "/2");
            assertThat(lines(1)).containsExactly("/2");
            assertThat(read(moved)).containsExactly("/1");
        }
    }

    @Test
    void slowClientCountsInTheTimeOfTheRequest() throws IOException {
        // more than the sockets hold
        int size = 20_000_000;
        MovableTicker ticker = new MovableTicker();
        List<UpstreamConfig> none = List.of();
        try (Backend backend =
                        Backend.replying("HTTP/1.1 200 OK\r\nContent-Length: " + size + "\r\n\r\n" + "x".repeat(size));
                Proxy proxy = Proxy.start(2, ticker, none);
                Client client = Client.to(proxy.port())) {
            apply(
                    proxy,
                    format("$request_time $body_bytes_sent"),
                    List.of(Proxy.group("app", backend.address())),
                    Proxy.route("app"));
            client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
            await().until(() -> client.in().available() > 0);
            ticker.skip(Duration.ofSeconds(7));
            assertThat(client.read().content()).hasSize(size);
            assertThat(lines(1).get(0)).matches("([7-9]|\\d\\d)\\.\\d{3} " + size);
        }
    }

    @Test
    void fileThatCannotBeOpenedRefusesTheChange() throws IOException {
        Files.writeString(folder.resolve("plain"), "");
        RouteConfig route = RouteSpec.answering("ok").route();
        try (Proxy proxy = start(format("$uri"), List.of(), route)) {
            for (Path bad : Arrays.asList(folder, folder.resolve("plain/access.log"))) {
                AccessLogConfig log =
                        new AccessLogConfig(bad.toString(), AccessLogConfig.COMBINED, Escape.DEFAULT, null);
                assertThatThrownBy(() -> apply(proxy, log, List.of(), route))
                        .isInstanceOf(InvalidConfigException.class)
                        .hasMessageStartingWith("listeners[0].accessLog.path: " + bad + " cannot be opened: ");
            }
            Client.get(proxy.port(), "/still");
            assertThat(lines(1)).containsExactly("/still");
        }
    }

    @Test
    void changeThatIsGivenUpLeavesNoFileBehind() {
        Path fresh = folder.resolve("new/folder/access.log");
        AccessLogConfig log = new AccessLogConfig(fresh.toString(), AccessLogConfig.COMBINED, Escape.DEFAULT, null);
        try (Proxy proxy = Proxy.start(List.of())) {
            ProxyConfig next = new ProxyConfig(
                    2,
                    List.of(),
                    List.of(new HttpListenerConfig("web", "127.0.0.1", proxy.port(), false, null, log, List.of())));
            ActiveConfig.Change change = proxy.active().prepare(next);
            assertThat(fresh).exists();
            change.abort();
            assertThat(folder.resolve("new")).doesNotExist();
        }
    }
}
