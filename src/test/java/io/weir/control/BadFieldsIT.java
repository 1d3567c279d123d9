package io.weir.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.web.server.LocalServerPort;

/** Each field wrong in each way: the field is named, and nothing has changed. */
@ControlPlaneTest
class BadFieldsIT {

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

    /** A field of a document, values that are wrong there, and the field that is named if it is another. */
    private record Wrong(String field, String... values) {}

    private static Stream<Arguments> table(String path, String document, Wrong... rows) {
        return Stream.of(rows)
                .flatMap(row ->
                        Stream.of(row.values()).map(value -> Arguments.of(path, document.formatted(value), row.field)));
    }

    static Stream<Arguments> serverFields() {
        return Stream.of(
                        new Wrong("id", "0", "1000000001", "-1", "\"1\"", "1.0", "null", "true", "[]", "99999999999"),
                        new Wrong(
                                "address",
                                "\"\"",
                                "\"a:0\"",
                                "\"a:65536\"",
                                "\"256.1.1.1\"",
                                "\"[::g]:1\"",
                                "5",
                                "null"),
                        new Wrong(
                                "address",
                                "\"a b\"",
                                "\"http://a\"",
                                "\"unix:rel\"",
                                "\"a:\"",
                                "{}",
                                "\"-a\"",
                                "\"a..b\""),
                        new Wrong("weight", "0", "-1", "1000001", "1.5", "1.0", "1e3", "\"5\"", "null", "true", "{}"),
                        new Wrong("maxConns", "-1", "1000001", "2147483648", "\"0\"", "0.0", "null", "false"),
                        new Wrong("maxFails", "-1", "1000001", "\"1\"", "1.5", "null", "[1]"),
                        new Wrong(
                                "failTimeout",
                                "\"\"",
                                "\"10\"",
                                "10",
                                "\"-1s\"",
                                "\"1500ms\"",
                                "\"1 s\"",
                                "null",
                                "\"9999d\""),
                        new Wrong("slowStart", "\"x\"", "0", "\"1h1h\"", "\"1s1m\"", "null", "{}"),
                        new Wrong("backup", "\"true\"", "1", "null", "\"\"", "[]"),
                        new Wrong("state", "\"UP\"", "\"gone\"", "\"\"", "null", "true"),
                        new Wrong(
                                "route",
                                "\"a b\"",
                                "\"a;b\"",
                                "\"" + "x".repeat(33) + "\"",
                                "5",
                                "null",
                                "\"\\u0000\""),
                        new Wrong("wieght", "1", "null"))
                .flatMap(row -> {
                    String address = row.field.equals("address") ? "" : "\"address\":\"127.0.0.1:3\",";
                    String field = "\"" + row.field + "\":%s";
                    return Stream.of(
                                    table(APP + "/servers", "{" + address + field + "}", row),
                                    table(
                                            UPSTREAMS,
                                            "{\"name\":\"b\",\"servers\":[{\"address\":\"127.0.0.1:9\"},{" + address
                                                    + field + "}]}",
                                            new Wrong("servers[1]." + row.field, row.values)))
                            .flatMap(rows -> rows);
                });
    }

    static Stream<Arguments> upstreamFields() {
        return Stream.of(
                        table(
                                UPSTREAMS,
                                "{\"name\":%s}",
                                new Wrong("name", "\"\"", "\"a b\"", "\"a/b\"", "\"..\"", "\"ä\"", "5", "null", "{}"),
                                new Wrong("name", "\"" + "x".repeat(65) + "\"")),
                        table(UPSTREAMS, "{\"x\":1%s}", new Wrong("name", ""), new Wrong("x", "")),
                        table(
                                UPSTREAMS,
                                "{\"name\":\"b\",\"protocol\":%s}",
                                new Wrong("protocol", "\"HTTP\"", "\"tcp\"", "1", "null")),
                        table(
                                UPSTREAMS,
                                "{\"name\":\"b\",\"balancing\":%s}",
                                new Wrong("balancing", "\"round_robin\"", "null", "[]"),
                                new Wrong(
                                        "balancing.method",
                                        "{\"method\":\"no_such\"}",
                                        "{\"method\":1}",
                                        "{\"method\":null}"),
                                new Wrong("balancing.method", "{\"method\":\"\"}", "{\"method\":\"Round Robin\"}"),
                                new Wrong(
                                        "balancing.key",
                                        "{\"method\":\"round_robin\",\"key\":\"$uri\"}",
                                        "{\"key\":null}",
                                        "{\"key\":{}}")),
                        table(
                                UPSTREAMS,
                                "{\"name\":\"b\",\"keepalive\":%s}",
                                new Wrong("keepalive", "32", "null"),
                                new Wrong(
                                        "keepalive.connections",
                                        "{\"connections\":-1}",
                                        "{\"connections\":\"32\"}",
                                        "{\"connections\":1.5}"),
                                new Wrong("keepalive.local", "{\"local\":\"true\"}", "{\"local\":0}"),
                                new Wrong("keepalive.requests", "{\"requests\":0}", "{\"requests\":3000000000}"),
                                new Wrong("keepalive.time", "{\"time\":\"1\"}", "{\"time\":3600}"),
                                new Wrong("keepalive.timeout", "{\"timeout\":\"0s\"}", "{\"timeout\":null}"),
                                new Wrong("keepalive.max", "{\"max\":1}")),
                        table(
                                UPSTREAMS,
                                "{\"name\":\"b\",\"servers\":%s}",
                                new Wrong("servers", "{}", "null", "\"a\""),
                                new Wrong("servers[0]", "[1]", "[null]", "[[]]", "[\"127.0.0.1:1\"]"),
                                new Wrong("servers[0].address", "[{}]"),
                                new Wrong(
                                        "servers[0].id",
                                        "[{\"id\":0,\"address\":\"127.0.0.1:1\"}]",
                                        "[{\"id\":1000000001,\"address\":\"127.0.0.1:1\"}]")))
                .flatMap(rows -> rows);
    }

    static Stream<Arguments> listenerFields() {
        return table(
                LISTENERS,
                "{\"name\":\"b\",%s}",
                new Wrong(
                        "port",
                        "\"bind\":\"127.0.0.1\"",
                        "\"port\":0",
                        "\"port\":65536",
                        "\"port\":\"80\"",
                        "\"port\":8.5",
                        "\"port\":null"),
                new Wrong(
                        "bind",
                        "\"port\":1,\"bind\":\"localhost\"",
                        "\"port\":1,\"bind\":\"\"",
                        "\"port\":1,\"bind\":1",
                        "\"port\":1,\"bind\":null"),
                new Wrong(
                        "protocol",
                        "\"port\":1,\"protocol\":\"sctp\"",
                        "\"port\":1,\"protocol\":\"stream\"",
                        "\"port\":1,\"protocol\":\"HTTP\""),
                new Wrong(
                        "proxyProtocol",
                        "\"port\":1,\"proxyProtocol\":\"true\"",
                        "\"port\":1,\"proxyProtocol\":1",
                        "\"port\":1,\"proxyProtocol\":null"),
                new Wrong("realIp", "\"port\":1,\"realIp\":\"::1\"", "\"port\":1,\"realIp\":null"),
                new Wrong(
                        "realIp.trusted",
                        "\"port\":1,\"realIp\":{}",
                        "\"port\":1,\"realIp\":{\"trusted\":[]}",
                        "\"port\":1,\"realIp\":{\"trusted\":\"::1\"}",
                        "\"port\":1,\"realIp\":{\"trusted\":null}"),
                new Wrong(
                        "realIp.trusted[0]",
                        "\"port\":1,\"realIp\":{\"trusted\":[\"10.0.0.0/33\"]}",
                        "\"port\":1,\"realIp\":{\"trusted\":[\"proxy.example\"]}",
                        "\"port\":1,\"realIp\":{\"trusted\":[1]}"),
                new Wrong("realIp.trusted[1]", "\"port\":1,\"realIp\":{\"trusted\":[\"::1\",\"::1/129\"]}"),
                new Wrong(
                        "realIp.header",
                        "\"port\":1,\"realIp\":{\"trusted\":[\"::1\"],\"header\":\"a b\"}",
                        "\"port\":1,\"realIp\":{\"trusted\":[\"::1\"],\"header\":\"\"}",
                        "\"port\":1,\"realIp\":{\"trusted\":[\"::1\"],\"header\":null}",
                        "\"port\":1,\"realIp\":{\"trusted\":[\"::1\"],\"header\":\"proxy_protocol\"}"),
                new Wrong("realIp.recursive", "\"port\":1,\"realIp\":{\"trusted\":[\"::1\"],\"recursive\":\"on\"}"),
                new Wrong("realIp.from", "\"port\":1,\"realIp\":{\"trusted\":[\"::1\"],\"from\":\"::1\"}"),
                new Wrong("accessLog", "\"port\":1,\"accessLog\":\"off\"", "\"port\":1,\"accessLog\":null"),
                new Wrong(
                        "accessLog.path",
                        "\"port\":1,\"accessLog\":{\"path\":\"\"}",
                        "\"port\":1,\"accessLog\":{\"path\":\"logs/\"}",
                        "\"port\":1,\"accessLog\":{\"path\":\"logs/$host.log\"}",
                        "\"port\":1,\"accessLog\":{\"path\":\"a\\u0000b\"}",
                        "\"port\":1,\"accessLog\":{\"path\":\"/\"}",
                        "\"port\":1,\"accessLog\":{\"path\":\"/dev/null/access.log\"}",
                        "\"port\":1,\"accessLog\":{\"path\":\"/dev/null\"}",
                        "\"port\":1,\"accessLog\":{\"path\":1}"),
                new Wrong(
                        "accessLog.format",
                        "\"port\":1,\"accessLog\":{\"format\":\"combind\"}",
                        "\"port\":1,\"accessLog\":{\"format\":\"$nosuch\"}",
                        "\"port\":1,\"accessLog\":{\"format\":\"$status\\n\"}",
                        "\"port\":1,\"accessLog\":{\"format\":\"\"}",
                        "\"port\":1,\"accessLog\":{\"format\":null}"),
                new Wrong(
                        "accessLog.escape",
                        "\"port\":1,\"accessLog\":{\"format\":\"$uri\",\"escape\":\"none\"}",
                        "\"port\":1,\"accessLog\":{\"format\":\"combined\",\"escape\":\"json\"}"),
                new Wrong("accessLog.rotate", "\"port\":1,\"accessLog\":{\"path\":\"stdout\",\"rotate\":{}}"),
                new Wrong(
                        "accessLog.rotate.size",
                        "\"port\":1,\"accessLog\":{\"path\":\"a\",\"rotate\":{\"size\":\"1k\"}}",
                        "\"port\":1,\"accessLog\":{\"path\":\"a\",\"rotate\":{\"size\":\"0\"}}"),
                new Wrong("accessLog.rotate.keep", "\"port\":1,\"accessLog\":{\"path\":\"a\",\"rotate\":{\"keep\":0}}"),
                new Wrong("accessLog.zork", "\"port\":1,\"accessLog\":{\"zork\":1}"),
                new Wrong("client", "\"port\":1,\"client\":1", "\"port\":1,\"client\":null"),
                new Wrong(
                        "client.headerTimeout",
                        "\"port\":1,\"client\":{\"headerTimeout\":\"0s\"}",
                        "\"port\":1,\"client\":{\"headerTimeout\":60}"),
                new Wrong("client.bodyTimeout", "\"port\":1,\"client\":{\"bodyTimeout\":\"0s\"}"),
                new Wrong("client.sendTimeout", "\"port\":1,\"client\":{\"sendTimeout\":\"0ms\"}"),
                new Wrong("client.keepaliveTimeout", "\"port\":1,\"client\":{\"keepaliveTimeout\":\"off\"}"),
                new Wrong("client.keepaliveRequests", "\"port\":1,\"client\":{\"keepaliveRequests\":0}"),
                new Wrong(
                        "client.largeHeaderBuffers",
                        "\"port\":1,\"client\":{\"largeHeaderBuffers\":\"4 8k\"}",
                        "\"port\":1,\"client\":{\"largeHeaderBuffers\":null}"),
                new Wrong(
                        "client.largeHeaderBuffers.count",
                        "\"port\":1,\"client\":{\"largeHeaderBuffers\":{\"count\":0}}",
                        "\"port\":1,\"client\":{\"largeHeaderBuffers\":{\"count\":65}}"),
                new Wrong(
                        "client.largeHeaderBuffers.size",
                        "\"port\":1,\"client\":{\"largeHeaderBuffers\":{\"size\":\"511\"}}",
                        "\"port\":1,\"client\":{\"largeHeaderBuffers\":{\"size\":\"2m\"}}"),
                new Wrong("client.maxHeaders", "\"port\":1,\"client\":{\"maxHeaders\":0}"),
                new Wrong("client.lingeringTimeout", "\"port\":1,\"client\":{\"lingeringTimeout\":\"0s\"}"),
                new Wrong("client.lingeringTime", "\"port\":1,\"client\":{\"lingeringTime\":\"0s\"}"),
                new Wrong("client.maxConnections", "\"port\":1,\"client\":{\"maxConnections\":-1}"),
                new Wrong(
                        "client.maxConnectionsPerAddress",
                        "\"port\":1,\"client\":{\"maxConnectionsPerAddress\":-1}",
                        "\"port\":1,\"client\":{\"maxConnectionsPerAddress\":\"1\"}"),
                new Wrong("client.zork", "\"port\":1,\"client\":{\"zork\":1}"),
                new Wrong("routes", "\"port\":1,\"routes\":{}", "\"port\":1,\"routes\":null"),
                new Wrong(
                        "routes[0].upstream",
                        "\"port\":1,\"routes\":[{\"name\":\"r\"}]",
                        "\"port\":1,\"routes\":[{\"name\":\"r\",\"upstream\":\"none\"}]"),
                new Wrong(
                        "routes[1].name",
                        "\"port\":1,\"routes\":[{\"name\":\"r\",\"upstream\":\"app\"},{\"name\":\"r\",\"upstream\":\"app\"}]"));
    }

    static Stream<Arguments> routeFields() {
        return table(
                WEB + "/routes",
                "{\"name\":\"r\",\"upstream\":\"app\",%s}",
                new Wrong("accessLog", "\"accessLog\":\"off\"", "\"accessLog\":null", "\"accessLog\":{}"),
                new Wrong("responseHeaders.set.X", "\"responseHeaders\":{\"set\":{\"X\":\"$sent_http_x\"}}"),
                new Wrong("hosts", "\"hosts\":\"a\"", "\"hosts\":null"),
                new Wrong(
                        "hosts[0]",
                        "\"hosts\":[\"a:80\"]",
                        "\"hosts\":[\"*\"]",
                        "\"hosts\":[1]",
                        "\"hosts\":[\"\"]",
                        "\"hosts\":[\"*.a.*\"]"),
                new Wrong("path", "\"path\":\"/\"", "\"path\":null"),
                new Wrong("path.type", "\"path\":{\"type\":\"glob\"}", "\"path\":{\"type\":1}"),
                new Wrong(
                        "path.value",
                        "\"path\":{\"value\":\"x\"}",
                        "\"path\":{\"type\":\"regex\",\"value\":\"(\"}",
                        "\"path\":{\"value\":1}"),
                new Wrong(
                        "path.noRegex",
                        "\"path\":{\"type\":\"exact\",\"noRegex\":true}",
                        "\"path\":{\"noRegex\":\"x\"}"),
                new Wrong("methods[0]", "\"methods\":[\"\"]", "\"methods\":[\"G T\"]", "\"methods\":[5]"),
                new Wrong("headers.a b", "\"headers\":{\"a b\":\"1\"}"),
                new Wrong(
                        "headers.X",
                        "\"headers\":{\"X\":1}",
                        "\"headers\":{\"X\":\"a\\nb\"}",
                        "\"headers\":{\"X\":null}"),
                new Wrong("address", "\"address\":\"http://127.0.0.1\"", "\"address\":\"ftp://a\"", "\"address\":null"),
                new Wrong("respond", "\"respond\":{}", "\"respond\":1"),
                new Wrong("respond.status", "\"respond\":{\"status\":199}", "\"respond\":{\"status\":\"200\"}"),
                new Wrong("respond.body", "\"respond\":{\"body\":\"$nope\"}", "\"respond\":{\"body\":5}"),
                new Wrong(
                        "rewritePrefix",
                        "\"rewritePrefix\":\"x\"",
                        "\"rewritePrefix\":1",
                        "\"path\":{\"type\":\"regex\",\"value\":\"x\"},\"rewritePrefix\":\"/\""),
                new Wrong("proxy", "\"proxy\":1", "\"proxy\":null"),
                new Wrong(
                        "proxy.connectTimeout",
                        "\"proxy\":{\"connectTimeout\":\"0s\"}",
                        "\"proxy\":{\"connectTimeout\":60}"),
                new Wrong("proxy.sendTimeout", "\"proxy\":{\"sendTimeout\":\"x\"}"),
                new Wrong("proxy.readTimeout", "\"proxy\":{\"readTimeout\":null}"),
                new Wrong(
                        "proxy.nextUpstream",
                        "\"proxy\":{\"nextUpstream\":\"error\"}",
                        "\"proxy\":{\"nextUpstream\":[\"off\",\"error\"]}"),
                new Wrong("proxy.nextUpstream[1]", "\"proxy\":{\"nextUpstream\":[\"error\",\"http_501\"]}"),
                new Wrong(
                        "proxy.nextUpstreamTries",
                        "\"proxy\":{\"nextUpstreamTries\":-1}",
                        "\"proxy\":{\"nextUpstreamTries\":1001}"),
                new Wrong("proxy.nextUpstreamTimeout", "\"proxy\":{\"nextUpstreamTimeout\":\"1\"}"),
                new Wrong("proxy.buffering", "\"proxy\":{\"buffering\":1}"),
                new Wrong(
                        "proxy.bufferSize",
                        "\"proxy\":{\"bufferSize\":\"0\",\"busyBuffersSize\":\"16k\"}",
                        "\"proxy\":{\"bufferSize\":\"8kb\"}"),
                new Wrong("proxy.buffers", "\"proxy\":{\"buffers\":8}"),
                // proxying.md 8: at least 2
                new Wrong("proxy.buffers.count", "\"proxy\":{\"buffers\":{\"count\":1}}"),
                new Wrong("proxy.buffers.size", "\"proxy\":{\"buffers\":{\"size\":8192}}"),
                new Wrong("proxy.buffers.number", "\"proxy\":{\"buffers\":{\"number\":8}}"),
                // between the larger of a buffer and bufferSize, and all buffers but one; its default too
                new Wrong(
                        "proxy.busyBuffersSize",
                        "\"proxy\":{\"busyBuffersSize\":\"4k\"}",
                        "\"proxy\":{\"busyBuffersSize\":\"57k\"}",
                        "\"proxy\":{\"bufferSize\":\"64k\"}"),
                new Wrong("proxy.maxTempFileSize", "\"proxy\":{\"maxTempFileSize\":\"4k\"}"),
                new Wrong("proxy.limitRate", "\"proxy\":{\"limitRate\":\"-1\"}"),
                new Wrong("proxy.requestBuffering", "\"proxy\":{\"requestBuffering\":\"on\"}"),
                new Wrong(
                        "proxy.requestBufferSize",
                        "\"proxy\":{\"requestBufferSize\":\"0\"}",
                        "\"proxy\":{\"requestBufferSize\":\"2g\"}",
                        "\"proxy\":{\"requestBufferSize\":65536}"),
                new Wrong("proxy.interceptErrors", "\"proxy\":{\"interceptErrors\":1}"),
                new Wrong("proxy.ignoreClientAbort", "\"proxy\":{\"ignoreClientAbort\":\"on\"}"),
                new Wrong("proxy.httpVersion", "\"proxy\":{\"httpVersion\":1.1}", "\"proxy\":{\"httpVersion\":\"2\"}"),
                new Wrong("proxy.redirect", "\"proxy\":{\"redirect\":false}", "\"proxy\":{\"redirect\":\"/ /x/\"}"),
                new Wrong("requestHeaders.remove[0]", "\"requestHeaders\":{\"remove\":[\"host\"]}"),
                new Wrong("responseHeaders.set.Connection", "\"responseHeaders\":{\"set\":{\"Connection\":\"close\"}}"),
                new Wrong("responseHeaders.set.keep-alive", "\"responseHeaders\":{\"set\":{\"keep-alive\":\"\"}}"),
                new Wrong(
                        "responseHeaders.remove[1]",
                        "\"responseHeaders\":{\"remove\":[\"A\",\"Upgrade\"]}",
                        "\"responseHeaders\":{\"remove\":[\"A\",\"Transfer-Encoding\"]}"),
                new Wrong("proxy.noSuchField", "\"proxy\":{\"noSuchField\":true}"),
                new Wrong("errorPages", "\"errorPages\":{}", "\"errorPages\":null"),
                new Wrong(
                        "errorPages[0].codes",
                        "\"errorPages\":[{}]",
                        "\"errorPages\":[{\"codes\":[]}]",
                        "\"errorPages\":[{\"codes\":502}]"),
                // as nginx has it: from 300 to 599, and 499 never gets to a client
                new Wrong(
                        "errorPages[0].codes[1]",
                        "\"errorPages\":[{\"codes\":[502,299]}]",
                        "\"errorPages\":[{\"codes\":[502,600]}]",
                        "\"errorPages\":[{\"codes\":[502,499]}]",
                        "\"errorPages\":[{\"codes\":[502,\"504\"]}]",
                        "\"errorPages\":[{\"codes\":[502,502]}]"),
                new Wrong("errorPages[1].codes[0]", "\"errorPages\":[{\"codes\":[502]},{\"codes\":[502]}]"),
                new Wrong("errorPages[0].status", "\"errorPages\":[{\"codes\":[502],\"status\":199}]"),
                new Wrong("errorPages[0].body", "\"errorPages\":[{\"codes\":[502],\"body\":\"$nope\"}]"),
                new Wrong("errorPages[0].contentType", "\"errorPages\":[{\"codes\":[502],\"contentType\":\"\"}]"),
                new Wrong("errorPages[0].uri", "\"errorPages\":[{\"codes\":[502],\"uri\":\"/x\"}]"),
                new Wrong("maxBodySize", "\"maxBodySize\":\"1x\"", "\"maxBodySize\":1", "\"maxBodySize\":\"-1\""),
                new Wrong(
                        "requestHeaders.set.Host",
                        "\"requestHeaders\":{\"set\":{\"Host\":\"$nope\"}}",
                        "\"requestHeaders\":{\"set\":{\"Host\":1}}"),
                new Wrong(
                        "requestHeaders.set.Content-Length", "\"requestHeaders\":{\"set\":{\"Content-Length\":\"1\"}}"),
                new Wrong("responseHeaders.remove[0]", "\"responseHeaders\":{\"remove\":[\"a b\"]}"),
                new Wrong("responseHeaders.add", "\"responseHeaders\":{\"add\":{}}"),
                new Wrong("accessLog", "\"accessLog\":{}"));
    }

    @ParameterizedTest
    @MethodSource({"serverFields", "upstreamFields", "listenerFields", "routeFields"})
    void eachFieldWrongInEachWay(String path, String document, String field) {
        Api.Reply reply = api.post(path, document);
        assertThat(reply.status()).as(reply.text()).isEqualTo(400);
        assertThat(reply.header("Content-Type")).isEqualTo("application/problem+json");
        assertThat(reply.fields()).as(reply.text()).contains(field);
        assertThat(reply.json().path("code").asString()).isEqualTo("INVALID");
        assertThat(reply.json().path("requestId").asString()).isEqualTo(reply.header("X-Request-Id"));
    }

    @Test
    void everythingThatIsWrongIsToldAtOnce() {
        Api.Reply reply = api.put(APP, """
                {"name": "b", "zork": 1, "keepalive": {"requests": 0},
                 "servers": [{"address": "x:0", "weight": "5"}, {"failTimeout": "1500ms", "backup": 1}]}
                """);
        assertThat(reply.fields())
                .containsExactlyInAnyOrder(
                        "name",
                        "zork",
                        "keepalive.requests",
                        "servers[0].address",
                        "servers[0].weight",
                        "servers[1].address",
                        "servers[1].failTimeout",
                        "servers[1].backup");
    }
}
