package io.weir.control.listener;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.control.Api;
import io.weir.control.ControlPlaneTest;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.web.server.LocalServerPort;
import tools.jackson.databind.JsonNode;

@ControlPlaneTest
class ListenerApiIT {

    private static final String WEB = "/api/v1/listeners/web";

    @TempDir
    private Path folder;

    @LocalServerPort
    private int port;

    private Api api;
    private String web;

    @BeforeEach
    void start() {
        api = new Api(port);
        api.clear();
        api.put("/api/v1/upstreams/app", "{\"servers\":[{\"address\":\"127.0.0.1:1\"}]}");
        web = "\"bind\":\"127.0.0.1\",\"port\":" + Api.freePort();
    }

    @Test
    void aListenerAndItsRoutesAreShownAsTheyWereSentWithAllDefaults() {
        Api.Reply created = api.post(
                "/api/v1/listeners",
                "{\"name\":\"web\"," + web + ",\"routes\":[{\"name\":\"all\",\"upstream\":\"app\"}]}");
        assertThat(created.status()).isEqualTo(201);
        assertThat(created.header("Location")).isEqualTo(WEB);
        assertThat(created.json().path("protocol").asString()).isEqualTo("http");
        assertThat(created.json().path("accessLog"))
                .isEqualTo(Api.json("{\"path\":\"off\",\"format\":\"combined\",\"escape\":\"default\"}"));
        assertThat(created.json().path("client")).isEqualTo(Api.json("""
                                {"headerTimeout": "60s", "bodyTimeout": "60s", "sendTimeout": "60s",
                                 "keepaliveTimeout": "75s", "keepaliveRequests": 1000,
                                 "largeHeaderBuffers": {"count": 4, "size": "8k"}, "maxHeaders": 1000,
                                 "lingeringTimeout": "5s", "lingeringTime": "30s",
                                 "maxConnections": 0, "maxConnectionsPerAddress": 0}
                                """));
        assertThat(created.json().at("/routes/0")).isEqualTo(Api.json("""
                                {"name": "all", "hosts": [], "path": {"type": "prefix", "value": "/", "noRegex": false},
                                 "methods": [], "headers": {}, "upstream": "app",
                                 "proxy": {"connectTimeout": "60s", "sendTimeout": "60s", "readTimeout": "60s",
                                   "nextUpstream": ["error", "timeout"], "nextUpstreamTries": 0, "nextUpstreamTimeout": "0s",
                                   "requestBuffering": true, "requestBufferSize": "64k",
                                   "buffering": true, "bufferSize": "8k", "buffers": {"count": 8, "size": "8k"},
                                   "busyBuffersSize": "16k", "maxTempFileSize": "1g", "limitRate": "0",
                                   "httpVersion": "1.1", "interceptErrors": false, "ignoreClientAbort": false,
                                   "redirect": "default"},
                                 "maxBodySize": "1m", "errorPages": [],
                                 "requestHeaders": {"set": {}, "remove": []}, "responseHeaders": {"set": {}, "remove": []},
                                 "accessLog": true}
                                """));
        assertThat(api.get(WEB).json()).isEqualTo(created.json());
        assertThat(api.put(WEB, created.text()).header("ETag")).isEqualTo(created.header("ETag"));
    }

    @Test
    void whoseWordIsTakenForTheClientComesBack() {
        JsonNode plain = api.put(WEB, "{" + web + "}").json();
        assertThat(plain.path("proxyProtocol").asBoolean()).isFalse();
        assertThat(plain.has("realIp")).isFalse();
        JsonNode trusting = api.patch(WEB, "{\"realIp\":{\"trusted\":[\"10.1.2.3/8\",\"::1\"]}}")
                .json();
        assertThat(trusting.path("realIp"))
                .isEqualTo(Api.json(
                        "{\"trusted\":[\"10.1.2.3/8\",\"::1\"],\"header\":\"X-Real-IP\",\"recursive\":false}"));
        api.post(WEB + "/routes", "{\"name\":\"a\",\"upstream\":\"app\"}");
        assertThat(api.get(WEB).json().path("realIp")).isEqualTo(trusting.path("realIp"));
        Api.Reply all = api.patch(
                WEB, "{\"proxyProtocol\":true,\"realIp\":{\"header\":\"proxy_protocol\",\"recursive\":true}}");
        assertThat(all.json().path("proxyProtocol").asBoolean()).isTrue();
        assertThat(all.json().path("realIp"))
                .isEqualTo(Api.json(
                        "{\"trusted\":[\"10.1.2.3/8\",\"::1\"],\"header\":\"proxy_protocol\",\"recursive\":true}"));
        assertThat(api.get(WEB).json()).isEqualTo(all.json());
        assertThat(api.patch(WEB, "{\"proxyProtocol\":null}").fields()).containsExactly("realIp.header");
        JsonNode none =
                api.patch(WEB, "{\"proxyProtocol\":null,\"realIp\":null}").json();
        assertThat(none.path("proxyProtocol").asBoolean()).isFalse();
        assertThat(none.has("realIp")).isFalse();
    }

    @Test
    void everyFieldOfARouteComesBack() {
        api.put(WEB, "{" + web + "}");
        String route = """
                {"name": "api", "hosts": ["api.example.com", "*.example.org", "www.example.*"],
                 "path": {"type": "prefix", "value": "/api/", "noRegex": true},
                 "methods": ["GET", "PURGE"], "headers": {"X-Beta": "1"}, "upstream": "app", "rewritePrefix": "/",
                 "proxy": {"connectTimeout": "500ms", "sendTimeout": "1m", "readTimeout": "1h30m",
                   "nextUpstream": ["timeout", "http_503"], "nextUpstreamTries": 3, "nextUpstreamTimeout": "2s",
                   "requestBuffering": false, "requestBufferSize": "1M",
                   "buffering": false, "bufferSize": "16K", "buffers": {"count": 4, "size": "16384"},
                   "busyBuffersSize": "33000", "maxTempFileSize": "100m", "limitRate": "1m",
                   "httpVersion": "1.0", "interceptErrors": true, "ignoreClientAbort": true, "redirect": "off"},
                 "maxBodySize": "8M",
                 "errorPages": [{"codes": [502, 504], "body": "sorry, $remote_addr", "contentType": "text/html"},
                                {"codes": [404], "body": "", "contentType": "text/plain", "status": 200}],
                 "requestHeaders": {"set": {"X-Real-IP": "$remote_addr", "X-B": "${host}$$"}, "remove": ["Cookie"]},
                 "responseHeaders": {"set": {"X-Upstream": "$upstream_addr"}, "remove": ["Server"]}, "accessLog": false}
                """;
        Api.Reply created = api.post(WEB + "/routes", route);
        assertThat(created.status()).isEqualTo(201);
        assertThat(created.header("Location")).isEqualTo(WEB + "/routes/api");
        assertThat(created.json()).isEqualTo(Api.json(route));
        assertThat(api.get(WEB + "/routes/api").json()).isEqualTo(Api.json(route));
    }

    @Test
    void whatClientsAreGrantedComesBackAndCanBePatched() {
        String client = """
                {"headerTimeout": "10s", "bodyTimeout": "1m", "sendTimeout": "500ms",
                 "keepaliveTimeout": "0s", "keepaliveRequests": 1,
                 "largeHeaderBuffers": {"count": 8, "size": "16K"}, "maxHeaders": 100,
                 "lingeringTimeout": "2s", "lingeringTime": "9s",
                 "maxConnections": 20000, "maxConnectionsPerAddress": 50}
                """;
        Api.Reply created = api.put(WEB, "{" + web + ",\"client\":" + client + "}");
        assertThat(created.json().path("client")).isEqualTo(Api.json(client));
        assertThat(api.get(WEB).json()).isEqualTo(created.json());
        JsonNode patched = api.patch(
                        WEB, "{\"client\":{\"largeHeaderBuffers\":{\"size\":null},\"maxConnections\":null}}")
                .json()
                .path("client");
        assertThat(patched.path("largeHeaderBuffers")).isEqualTo(Api.json("{\"count\":8,\"size\":\"8k\"}"));
        assertThat(patched.path("maxConnections").asInt(-1)).isZero();
        assertThat(patched.path("headerTimeout").asString()).isEqualTo("10s");
        assertThat(api.patch(WEB, "{\"client\":null}")
                        .json()
                        .at("/client/headerTimeout")
                        .asString())
                .isEqualTo("60s");
    }

    @Test
    void accessLogIsShownAsItWasSentAndCanBePatched() {
        String log = """
                {"path": "%s", "format": "$remote_addr $status", "escape": "json",
                 "rotate": {"size": "1M", "daily": true, "keep": 3}}
                """.formatted(folder.resolve("logs/access.log"));
        Api.Reply created = api.put(WEB, "{" + web + ",\"accessLog\":" + log + "}");
        assertThat(created.status()).as(created.text()).isEqualTo(201);
        assertThat(created.json().path("accessLog")).isEqualTo(Api.json(log));
        assertThat(folder.resolve("logs/access.log")).exists();
        JsonNode off =
                api.patch(WEB, "{\"accessLog\":{\"path\":\"off\"}}").json().path("accessLog");
        assertThat(off.path("path").asString()).isEqualTo("off");
        assertThat(off.path("rotate")).isEqualTo(Api.json(log).path("rotate"));
        assertThat(api.get(WEB).json().path("accessLog")).isEqualTo(off);
        JsonNode patched = api.patch(WEB, "{\"accessLog\":{\"rotate\":null,\"escape\":\"default\"}}")
                .json()
                .path("accessLog");
        assertThat(patched.has("rotate")).isFalse();
        assertThat(patched.path("format").asString()).isEqualTo("$remote_addr $status");
        assertThat(api.patch(WEB, "{\"accessLog\":null}")
                        .json()
                        .at("/accessLog/path")
                        .asString())
                .isEqualTo("off");
    }

    @Test
    void dryRunLeavesNoLogBehind() {
        Path file = folder.resolve("new/access.log");
        String document = "{" + web + ",\"accessLog\":{\"path\":\"" + file + "\"}}";
        assertThat(api.put(WEB + "?dryRun=true", document).status()).isEqualTo(200);
        assertThat(folder.resolve("new")).doesNotExist();
    }

    @Test
    void listenersThatShareAFileRotateItInOneWay() {
        String path = "\"path\":\"" + folder.resolve("shared.log") + "\"";
        api.put(WEB, "{" + web + ",\"accessLog\":{" + path + ",\"rotate\":{\"size\":\"1m\"}}}");
        String other = "\"bind\":\"127.0.0.1\",\"port\":" + Api.freePort();
        // wherever its name stands among the others
        for (String name : List.of("aaa", "xen")) {
            Api.Reply refused = api.put("/api/v1/listeners/" + name, "{" + other + ",\"accessLog\":{" + path + "}}");
            assertThat(refused.status()).isEqualTo(400);
            assertThat(refused.fields()).containsExactly("accessLog.rotate");
        }
        String same = "{" + other + ",\"accessLog\":{" + path + ",\"format\":\"json\",\"rotate\":{\"size\":\"1m\"}}}";
        assertThat(api.put("/api/v1/listeners/xen", same).status()).isEqualTo(201);
    }

    @Test
    void aRouteThatStandsTwiceIsToldOfTheFieldThatTheRequestHas() {
        api.put(WEB, "{" + web + "}");
        String route = "{\"name\":\"a\",\"upstream\":\"app\"}";
        Api.Reply refused = api.put(WEB + "/routes", "{\"items\":[" + route + "," + route + "]}");
        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.fields()).containsExactly("items[1].name");
    }

    @Test
    void hostsAreKeptInLowerCase() {
        api.put(WEB, "{" + web + "}");
        JsonNode route = api.put(WEB + "/routes/a", "{\"hosts\":[\"API.Example.Com\"],\"upstream\":\"app\"}")
                .json();
        assertThat(route.at("/hosts/0").asString()).isEqualTo("api.example.com");
    }

    @Test
    void aMergePatchCanExchangeTheTarget() {
        api.put(WEB, "{" + web + ",\"routes\":[{\"name\":\"a\",\"upstream\":\"app\"}]}");
        assertThat(api.patch(WEB + "/routes/a", "{\"address\":\"http://127.0.0.1:1\",\"rewritePrefix\":\"/x\"}")
                        .json()
                        .has("upstream"))
                .isFalse();
        assertThat(api.patch(WEB + "/routes/a", "{\"respond\":{\"body\":\"ok\",\"status\":201}}")
                        .status())
                .as("neither address nor rewritePrefix is held against it")
                .isEqualTo(200);
        assertThat(api.patch(WEB + "/routes/a", "{\"respond\":{\"status\":202}}")
                        .json()
                        .at("/respond/body")
                        .asString())
                .as("merged, where the target stays what it is")
                .isEqualTo("ok");
        assertThat(api.patch(WEB + "/routes/a", "{\"upstream\":\"app\",\"address\":\"http://127.0.0.1:1\"}")
                        .fields())
                .containsExactly("address");
        JsonNode back = api.patch(WEB + "/routes/a", "{\"upstream\":\"app\"}").json();
        assertThat(back.has("respond")).isFalse();
        JsonNode route = api.patch(WEB + "/routes/a", "{\"upstream\":null,\"respond\":{\"body\":\"ok\"}}")
                .json();
        assertThat(route.has("upstream")).isFalse();
        assertThat(route.path("respond"))
                .isEqualTo(Api.json("{\"status\":200,\"body\":\"ok\",\"contentType\":\"text/plain\"}"));
        route = api.patch(WEB + "/routes/a", "{\"respond\":null,\"address\":\"http://$arg_host\"}")
                .json();
        assertThat(route.path("address").asString()).isEqualTo("http://$arg_host");
    }

    @Test
    void busyBuffersThatNobodyHasGivenFollowTheBuffers() {
        api.put(WEB, "{" + web + ",\"routes\":[{\"name\":\"a\",\"upstream\":\"app\"}]}");
        JsonNode proxy = api.patch(WEB + "/routes/a", "{\"proxy\":{\"bufferSize\":\"20k\"}}")
                .json()
                .path("proxy");
        assertThat(proxy.path("busyBuffersSize").asString()).isEqualTo("40k");
        api.patch(WEB + "/routes/a", "{\"proxy\":{\"busyBuffersSize\":\"41k\"}}");
        proxy = api.patch(WEB + "/routes/a", "{\"proxy\":{\"bufferSize\":\"8k\"}}")
                .json()
                .path("proxy");
        assertThat(proxy.path("busyBuffersSize").asString()).isEqualTo("41k");
    }

    @Test
    void routesKeepTheirOrder() {
        api.put(WEB, "{" + web + "}");
        for (String name : List.of("c", "a", "b")) {
            api.post(WEB + "/routes", "{\"name\":\"" + name + "\",\"upstream\":\"app\"}");
        }
        assertThat(routes()).containsExactly("c", "a", "b");
        api.put(WEB + "/routes/a", "{\"respond\":{\"status\":204}}");
        assertThat(routes()).containsExactly("c", "a", "b");
        String items = "{\"items\":[{\"name\":\"b\",\"upstream\":\"app\"},{\"name\":\"n\",\"upstream\":\"app\"},"
                + "{\"name\":\"c\",\"upstream\":\"app\"}]}";
        assertThat(api.put(WEB + "/routes", items).status()).isEqualTo(200);
        assertThat(routes()).containsExactly("b", "n", "c");
        api.delete(WEB + "/routes/b");
        assertThat(routes()).containsExactly("n", "c");
        assertThat(api.put(WEB, "{" + web + "}").json().path("routes")).hasSize(2);
    }

    @Test
    void aListenersRevisionMovesWithItsRoutes() {
        api.put(
                WEB,
                "{" + web
                        + ",\"routes\":[{\"name\":\"a\",\"upstream\":\"app\"},{\"name\":\"b\",\"upstream\":\"app\"}]}");
        String before = api.get(WEB).header("ETag");
        String other = api.get(WEB + "/routes/b").header("ETag");
        api.patch(WEB + "/routes/a", "{\"methods\":[\"GET\"]}");
        assertThat(api.get(WEB).header("ETag")).isNotEqualTo(before);
        assertThat(api.get(WEB + "/routes").header("ETag"))
                .isEqualTo(api.get(WEB).header("ETag"));
        assertThat(api.get(WEB + "/routes/b").header("ETag")).isEqualTo(other);
    }

    @Test
    void statusTellsWhatRuns() {
        api.put(WEB, "{" + web + ",\"routes\":[{\"name\":\"a\",\"upstream\":\"app\"}]}");
        JsonNode status = api.get("/api/v1/status").json();
        assertThat(status.path("counts"))
                .isEqualTo(Api.json("{\"upstreams\":1,\"servers\":1,\"listeners\":1,\"routes\":1}"));
        assertThat(status.path("store").asString()).isEqualTo("up");
        assertThat(status.at("/listeners/0/name").asString()).isEqualTo("web");
        assertThat("\"" + status.path("revision").asLong() + "\"")
                .isEqualTo(api.get("/api/v1/upstreams").header("ETag"));
        assertThat(status.path("node").asString()).isNotEmpty();
        assertThat(status.path("startedAt").asString()).endsWith("Z");
    }

    private List<String> routes() {
        return api.get(WEB + "/routes").json().path("items").values().stream()
                .map(route -> route.path("name").asString())
                .toList();
    }
}
