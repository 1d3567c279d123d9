package io.weir.control;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.MissingNode;

/** A client of the REST API, over real HTTP. */
public final class Api {

    public static final String JSON = "application/json";

    private static final JsonMapper MAPPER = new JsonMapper();
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private final String base;

    public Api(int port) {
        base = "http://127.0.0.1:" + port;
    }

    /** An answer. */
    public record Reply(int status, HttpResponse<byte[]> http, JsonNode json) {

        public String header(String name) {
            return http.headers().firstValue(name).orElse("");
        }

        /** The fields that the errors of a problem name. */
        public List<String> fields() {
            return json.path("errors").values().stream()
                    .map(error -> error.path("field").asString())
                    .toList();
        }

        public String text() {
            return new String(http.body(), StandardCharsets.UTF_8);
        }
    }

    public Reply get(String path) {
        return send("GET", path, null);
    }

    public Reply post(String path, String body) {
        return send("POST", path, body);
    }

    public Reply put(String path, String body, String... headers) {
        return send("PUT", path, body, headers);
    }

    public Reply patch(String path, String body, String... headers) {
        return send("PATCH", path, body, headers);
    }

    public Reply delete(String path, String... headers) {
        return send("DELETE", path, null, headers);
    }

    /** @param headers name, value and so on; a body is JSON unless they say otherwise */
    public Reply send(String method, String path, @Nullable String body, String... headers) {
        BodyPublisher publisher = body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body);
        return sendBody(method, path, publisher, body == null ? null : JSON, headers);
    }

    public Reply sendBody(
            String method, String path, BodyPublisher body, @Nullable String contentType, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(base + path))
                .timeout(Duration.ofSeconds(30))
                .method(method, body);
        if (contentType != null && !List.of(headers).contains("Content-Type")) {
            request.header("Content-Type", contentType);
        }
        if (headers.length > 0) {
            request.headers(headers);
        }
        try {
            HttpResponse<byte[]> response = CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
            return new Reply(response.statusCode(), response, json(response));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static JsonNode json(HttpResponse<byte[]> response) {
        boolean isJson = response.headers()
                .firstValue("Content-Type")
                .filter(type -> type.contains("json"))
                .isPresent();
        return isJson && response.body().length > 0 ? MAPPER.readTree(response.body()) : MissingNode.getInstance();
    }

    /** Removes every listener and every group. */
    public void clear() {
        for (String kind : List.of("listeners", "upstreams")) {
            get("/api/v1/" + kind)
                    .json()
                    .path("items")
                    .values()
                    .forEach(item ->
                            delete("/api/v1/" + kind + "/" + item.path("name").asString()));
        }
    }

    /** All of the configuration and its revision. */
    public String everything() {
        return get("/api/v1/upstreams").text() + get("/api/v1/listeners").text();
    }

    public static JsonNode json(String text) {
        return MAPPER.readTree(text);
    }

    /**
     * A port of 127.0.0.1 that nobody had a moment ago. Below those that systems give to clients, one of which could take it
     * while a program starts.
     */
    public static int freePort() {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(10_000, 30_000);
            try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return socket.getLocalPort();
            } catch (IOException e) {
                // somebody has it: the next one
            }
        }
    }
}
