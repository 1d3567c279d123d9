package io.weir.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.web.server.LocalServerPort;

/** Requests that are wrong as a whole: the right 4xx, as a problem, and nothing has changed. */
@ControlPlaneTest
class BadRequestIT {

    private static final String UPSTREAMS = "/api/v1/upstreams";
    private static final String APP = UPSTREAMS + "/app";
    private static final String LISTENERS = "/api/v1/listeners";
    private static final String WEB = LISTENERS + "/web";

    @LocalServerPort
    private int port;

    private Api api;
    private String before = "";

    @BeforeEach
    void makeOneOfEach() {
        api = new Api(port);
        api.clear();
        api.put(APP, "{\"servers\":[{\"address\":\"127.0.0.1:1\"},{\"address\":\"127.0.0.1:2\"}]}");
        api.put(
                WEB,
                "{\"bind\":\"127.0.0.1\",\"port\":" + Api.freePort()
                        + ",\"routes\":[{\"name\":\"all\",\"upstream\":\"app\"}]}");
        before = api.everything();
    }

    @AfterEach
    void nothingHasChanged() {
        assertThat(api.everything()).isEqualTo(before);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "| ''",
                "{ | ''",
                "[] | ''",
                "null | ''",
                "5 | ''",
                "\"x\" | ''",
                "{\"name\":\"b\"} {} | ''",
                "{\"name\":\"b\"} x | ''",
                "{\"name\":\"b\",} | name",
                "{'name':'b'} | ''",
                "{\"name\":\"b\" /* no */} | name",
                "{\"name\":\"b\",\"name\":\"c\"} | name",
                "{\"name\":\"b\",\"servers\":[{\"address\":\"a\"},{\"weight\":1,\"weight\":2}]} | servers[1].weight",
                "{\"name\":\"b\",\"keepalive\":{\"requests\":NaN}} | keepalive.requests",
                "{\"name\":\"b\",\"keepalive\":{\"requests\":01}} | keepalive.requests",
                "{\"name\":\"\\ud800\"} | name",
                "{\"name\":\"a\\u0000\"} | name",
            })
    void whatIsNoJsonDocumentIsRefused(String body, String field) {
        for (String method : new String[] {"POST", "PUT", "PATCH"}) {
            String path = method.equals("POST") ? UPSTREAMS : APP;
            Api.Reply reply = api.send(method, path, body == null ? "" : body);
            assertThat(reply.status()).as(reply.text()).isEqualTo(400);
            assertThat(reply.fields()).as(reply.text()).contains(field);
        }
    }

    @Test
    void bytesThatAreNoUtf8AreRefused() {
        byte[] body = {'{', '"', 'n', 'a', 'm', 'e', '"', ':', '"', (byte) 0xff, '"', '}'};
        assertThat(api.sendBody("POST", UPSTREAMS, BodyPublishers.ofByteArray(body), Api.JSON)
                        .status())
                .isEqualTo(400);
    }

    @Test
    void deepNestingIsRefused() {
        String body = "{\"name\":\"b\",\"servers\":" + "[".repeat(100_000) + "]".repeat(100_000) + "}";
        assertThat(api.post(UPSTREAMS, body).status()).isEqualTo(400);
    }

    @Test
    void aThousandUnknownFieldsMakeAShortAnswer() {
        StringBuilder body = new StringBuilder("{\"name\":\"b\"");
        for (int i = 0; i < 1000; i++) {
            body.append(",\"x").append(i).append("\":1");
        }
        Api.Reply reply = api.post(UPSTREAMS, body.append('}').toString());
        assertThat(reply.fields()).hasSize(101);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aBodyOfTenMegabytesIsRefusedHoweverItIsFramed(boolean chunked) {
        byte[] body = " ".repeat(10_000_000).getBytes(StandardCharsets.US_ASCII);
        var publisher = chunked
                ? BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(body))
                : BodyPublishers.ofByteArray(body);
        Api.Reply reply = api.sendBody("PUT", APP, publisher, Api.JSON);
        assertThat(reply.status()).isEqualTo(413);
        assertThat(reply.json().path("code").asString()).isEqualTo("TOO_LARGE");
    }

    @ParameterizedTest
    @CsvSource({
        "If-Match, \"0\"",
        "If-Match, W/\"1\"",
        "If-Match, '\"0\", \"00\"'",
        "If-None-Match, *",
    })
    void staleVersionsAreRefused(String header, String value) {
        String body = "{\"keepalive\":{\"requests\":5}}";
        assertThat(api.put(APP, body, header, value).status()).isEqualTo(412);
        assertThat(api.patch(APP, body, header, value).status()).isEqualTo(412);
        assertThat(api.delete(WEB, header, value).status()).isEqualTo(412);
        assertThat(api.put(APP + "/servers", "{\"items\":[]}", header, value).status())
                .isEqualTo(412);
        assertThat(api.patch(APP + "/servers/1", "{\"weight\":2}", header, value)
                        .status())
                .isEqualTo(412);
        assertThat(api.delete(APP + "/servers/1", header, value).status()).isEqualTo(412);
        assertThat(api.delete(WEB + "/routes/all", header, value).status()).isEqualTo(412);
        assertThat(api.put(WEB + "/routes", "{\"items\":[]}", header, value).status())
                .isEqualTo(412);
    }

    @Test
    void aVersionOfWhatDoesNotExistIsStaleOnPutAndMissingOtherwise() {
        assertThat(api.put(UPSTREAMS + "/b", "{}", "If-Match", "*").status()).isEqualTo(412);
        assertThat(api.patch(UPSTREAMS + "/b", "{}", "If-Match", "*").status()).isEqualTo(404);
        assertThat(api.delete(UPSTREAMS + "/b", "If-Match", "*").status()).isEqualTo(404);
    }

    @ParameterizedTest
    @ValueSource(strings = {"5", "\"5", "5\"", "\"1\",5", "'5'", ",", "w/\"1\"", "\"a b\""})
    void malformedVersionsAreRefused(String value) {
        Api.Reply reply = api.patch(APP, "{\"keepalive\":{\"requests\":5}}", "If-Match", value);
        assertThat(reply.status()).isEqualTo(400);
        assertThat(reply.fields()).containsExactly("If-Match");
    }

    /** What follows would be dropped, and another resource be meant. */
    @Test
    void aPathHasNoParameters() {
        assertThat(api.delete(APP + ";x=1").status()).isEqualTo(400);
        assertThat(api.put(UPSTREAMS + "/a;b", "{}").status()).isEqualTo(400);
    }

    @ParameterizedTest
    @CsvSource({
        "dryRun=maybe, dryRun",
        "dryRun=, dryRun",
        "dryRun, dryRun",
        "dryRun=TRUE, dryRun",
        "dryRun=true&dryRun=false, dryRun",
        "dryrun=true, dryrun",
        "force=true, force",
        "wait=true, wait",
        "wait=, wait",
        "wait=applied&wait=applied, wait",
        "timeout=5s, timeout",
        "wait=applied&timeout=5, timeout",
        "wait=applied&timeout=0s, timeout",
        "wait=applied&timeout=61s, timeout",
        "wait=applied&timeout=1s&timeout=2s, timeout",
    })
    void queryParametersAreReadStrictly(String query, String field) {
        Api.Reply reply = api.delete(WEB + "?" + query);
        assertThat(reply.status()).isEqualTo(400);
        assertThat(reply.fields()).containsExactly(field);
    }

    @Test
    void aDryRunChangesNothing() {
        Api.Reply reply = api.put(APP + "?dryRun=true", "{\"servers\":[{\"address\":\"127.0.0.1:1\",\"weight\":2}]}");
        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.json()).isEqualTo(Api.json("""
                                {"valid": true, "changes": [
                                  {"action": "changed", "resource": "/api/v1/upstreams/app"},
                                  {"action": "changed", "resource": "/api/v1/upstreams/app/servers/1"},
                                  {"action": "removed", "resource": "/api/v1/upstreams/app/servers/2"}],
                                 "forecast": {}, "warnings": []}
                                """));
        assertThat(api.post(UPSTREAMS + "?dryRun=true", "{\"name\":\"b\"}").status())
                .isEqualTo(200);
        assertThat(api.delete(WEB + "?dryRun=true").json().path("changes")).hasSize(2);
        assertThat(api.post(UPSTREAMS + "?dryRun=true", "{\"name\":\"app\"}").status())
                .isEqualTo(409);
        assertThat(api.put(APP + "?dryRun=true", "{\"balancing\":{\"method\":\"none_such\"}}")
                        .fields())
                .containsExactly("balancing.method");
    }

    @Test
    void theNamesOfPathAndBodyMustAgree() {
        assertThat(api.put(UPSTREAMS + "/b", "{\"name\":\"c\"}").fields()).containsExactly("name");
        assertThat(api.patch(APP, "{\"name\":\"c\"}").fields()).containsExactly("name");
        assertThat(api.put(UPSTREAMS + "/a%20b", "{}").fields()).containsExactly("name");
        assertThat(api.put(UPSTREAMS + "/%2F", "{}").fields()).containsExactly("name");
        assertThat(api.patch(APP + "/servers/1", "{\"id\":2}").fields()).containsExactly("id");
        assertThat(api.put(APP + "/servers/127.0.0.1:1", "{\"address\":\"127.0.0.1:3\"}")
                        .fields())
                .containsExactly("address");
        assertThat(api.put(APP + "/servers/no%20address", "{}").fields()).containsExactly("address");
        assertThat(api.put(APP + "/servers", "{\"items\":[{\"id\":0,\"address\":\"127.0.0.1:1\"}]}")
                        .fields())
                .containsExactly("items[0].id");
        assertThat(api.put(
                                APP + "/servers",
                                "{\"items\":[{\"id\":1,\"address\":\"127.0.0.1:1\"},{\"id\":1,\"address\":\"127.0.0.1:1\"}]}")
                        .fields())
                .containsExactly("items[1].id");
    }

    @Test
    void aPortThatAnotherListenerHasIsRefused() {
        int taken = api.get(WEB).json().path("port").asInt();
        Api.Reply reply = api.post(LISTENERS, "{\"name\":\"b\",\"bind\":\"127.0.0.1\",\"port\":" + taken + "}");
        assertThat(reply.status()).isEqualTo(400);
        assertThat(reply.fields()).containsExactly("port");
        assertThat(reply.json().path("detail").asString()).contains("web");
    }

    @Test
    void aPortThatSomebodyElseHasIsRefused() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String body = "{\"bind\":\"127.0.0.1\",\"port\":" + taken.getLocalPort() + "}";
            for (Api.Reply reply : List.of(
                    api.put(LISTENERS + "/b", body),
                    api.put(LISTENERS + "/b?dryRun=true", body),
                    api.put(WEB, body),
                    api.patch(WEB, body))) {
                assertThat(reply.status()).as(reply.text()).isEqualTo(400);
                assertThat(reply.fields()).containsExactly("port");
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "GET, /api/v1/nothing, 404",
        "GET, /api/v1/upstreams/none, 404",
        "GET, /api/v1/upstreams/app/servers/9, 404",
        "PUT, /api/v1/upstreams/none/servers, 404",
        "POST, /api/v1/upstreams/none/servers, 404",
        "PATCH, /api/v1/listeners/web/routes/none, 404",
        "DELETE, /api/v1/listeners/none, 404",
        "DELETE, /api/v1/upstreams, 405",
        "POST, /api/v1/upstreams/app, 405",
        "PUT, /api/v1/status, 405",
        "DELETE, /api/v1/upstreams/app/peers, 405",
        "GET, /api/v1/upstreams/%00, 400",
        "GET, /api/v1/upstreams/%FF, 400",
    })
    void whatIsNotThereIsAProblemToo(String method, String path, int status) {
        String body = switch (method) {
            case "PUT" -> "{\"items\":[]}";
            case "POST" -> "{\"address\":\"127.0.0.1:5\"}";
            default -> "{}";
        };
        Api.Reply reply = api.send(method, path, method.equals("GET") ? null : body);
        assertThat(reply.status()).as(reply.text()).isEqualTo(status);
        assertThat(reply.header("Content-Type")).isEqualTo("application/problem+json");
        assertThat(reply.json().path("status").asInt()).isEqualTo(status);
        if (status == 405) {
            assertThat(reply.header("Allow")).isNotEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "POST, text/plain, 415",
        "POST, application/x-www-form-urlencoded, 415",
        "POST, application/merge-patch+json, 415",
        "PUT, application/xml, 415",
        "PATCH, application/json-patch+json, 415",
        "PATCH, not a type, 415",
    })
    void otherMediaTypesAreRefused(String method, String type, int status) {
        String path = method.equals("POST") ? UPSTREAMS : APP;
        Api.Reply reply =
                api.send(method, path, "{\"name\":\"app\",\"keepalive\":{\"requests\":5}}", "Content-Type", type);
        assertThat(reply.status()).as(reply.text()).isEqualTo(status);
        assertThat(reply.header("Content-Type")).isEqualTo("application/problem+json");
    }

    @Test
    void anAnswerThatNobodyWantsIsNotGiven() {
        Api.Reply reply = api.send("GET", APP, null, "Accept", "image/png");
        assertThat(reply.status()).isEqualTo(406);
        assertThat(reply.header("Content-Type")).isEqualTo("application/problem+json");
    }
}
