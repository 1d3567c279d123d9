package io.weir.control.openapi;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.control.Api;
import io.weir.control.ControlPlaneTest;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.web.server.LocalServerPort;
import tools.jackson.databind.JsonNode;

/** The OpenAPI document, taken at its word. */
@ControlPlaneTest
class ExamplesIT {

    @LocalServerPort
    private int port;

    private Api api;
    private JsonNode document = Api.json("{}");

    @BeforeEach
    void start() {
        api = new Api(port);
        api.clear();
        document = api.get("/v3/api-docs").json();
    }

    @Test
    void eachExampleWorksAsItStandsInTheOrderOfTheDocument() {
        List<String> sent = new ArrayList<>();
        for (Map.Entry<String, JsonNode> path : document.path("paths").properties()) {
            for (Map.Entry<String, JsonNode> operation : path.getValue().properties()) {
                String call = operation.getKey() + " " + path.getKey();
                for (Api.Reply reply : send(operation.getKey(), path.getKey(), operation.getValue())) {
                    assertThat(reply.status()).as(call + ": " + reply.text()).isBetween(200, 299);
                    assertThat(operation.getValue().path("responses").has(Integer.toString(reply.status())))
                            .as(call + " documents its status " + reply.status())
                            .isTrue();
                }
                sent.add(call);
            }
        }
        assertThat(sent).hasSize(32).startsWith("get /api/v1/upstreams", "post /api/v1/upstreams");
    }

    @Test
    void everyReferenceHasATarget() {
        List<String> missing = document.findValuesAsString("$ref").stream()
                .filter(reference -> document.at(reference.substring(1)).isMissingNode())
                .toList();
        assertThat(missing).isEmpty();
    }

    @Test
    void theInterfaceIsServed() {
        assertThat(api.get("/").header("Location")).endsWith("/swagger-ui.html");
        assertThat(api.get("/swagger-ui/index.html").status()).isEqualTo(200);
    }

    @Test
    void everySettingOfWeightHasAnExample() {
        String all = document.path("paths").toString();
        assertThat(all)
                .contains("\"ip_hash\"", "\"hash\"", "\"consistent\":true", "\"random\"", "\"two\":true")
                .contains("\"least_time\"", "\"least_conn\"")
                .contains("\"type\":\"route\"", "\"type\":\"learn\"", "\"type\":\"cookie\"")
                .contains("\"realIp\"", "\"proxyProtocol\":true", "\"accessLog\"", "\"errorPages\"", "\"client\"")
                .contains("\"buffers\"", "\"requestBuffering\"")
                .contains("\"tcp\"", "\"stream\"", "\"sslPreread\":true", "\"alpn\"", "\"access\"")
                .contains("\"halfClose\"", "\"sessionDrop\"", "\"v1\"", "\"v2\"");
    }

    private List<Api.Reply> send(String method, String path, JsonNode operation) {
        String url = path;
        for (JsonNode parameter : operation.path("parameters")) {
            if (parameter.path("in").asString().equals("path")) {
                String value = URLEncoder.encode(parameter.path("example").asString(), StandardCharsets.UTF_8);
                url = url.replace("{" + parameter.path("name").asString() + "}", value);
            }
        }
        JsonNode content = operation.at("/requestBody/content");
        if (content.isMissingNode()) {
            return List.of(api.send(method.toUpperCase(Locale.ROOT), url, null));
        }
        Map.Entry<String, JsonNode> body = content.properties().iterator().next();
        List<Api.Reply> replies = new ArrayList<>();
        for (JsonNode example : body.getValue().path("examples").values()) {
            replies.add(api.send(
                    method.toUpperCase(Locale.ROOT),
                    url,
                    example.path("value").toString(),
                    "Content-Type",
                    body.getKey()));
        }
        assertThat(replies).as("examples of " + method + " " + path).isNotEmpty();
        return replies;
    }
}
