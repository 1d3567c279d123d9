package io.weir.control.listener;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.control.Api;
import io.weir.control.ControlPlaneTest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.web.server.LocalServerPort;
import tools.jackson.databind.JsonNode;

/** Listeners of TCP and of UDP. */
@ControlPlaneTest
class StreamListenerApiIT {

    private static final String LISTENERS = "/api/v1/listeners";
    private static final String DB = LISTENERS + "/db";

    @LocalServerPort
    private int port;

    private Api api;
    private String socket;

    @BeforeEach
    void start() {
        api = new Api(port);
        api.clear();
        api.put("/api/v1/upstreams/db", "{\"protocol\":\"stream\",\"servers\":[{\"address\":\"127.0.0.1:1\"}]}");
        api.put("/api/v1/upstreams/app", "{\"servers\":[{\"address\":\"127.0.0.1:1\"}]}");
        socket = "\"bind\":\"127.0.0.1\",\"port\":" + Api.freePort();
    }

    private JsonNode putTcp(String more) {
        Api.Reply reply = api.put(DB, "{\"protocol\":\"tcp\"," + socket + more + "}");
        assertThat(reply.status()).as(reply.text()).isBetween(200, 201);
        return reply.json();
    }

    @Test
    void aTcpListenerHasNginxsDefaults() {
        Api.Reply created =
                api.post(LISTENERS, "{\"name\":\"db\",\"protocol\":\"tcp\"," + socket + ",\"upstream\":\"db\"}");
        assertThat(created.status()).as(created.text()).isEqualTo(201);
        assertThat(created.header("Location")).isEqualTo(DB);
        assertThat(created.json()).isEqualTo(Api.json("{\"name\":\"db\",\"protocol\":\"tcp\"," + socket + """
                        , "proxyProtocol": false,
                         "accessLog": {"path": "off", "format": "basic", "escape": "default"},
                         "client": {"access": [], "proxyProtocolTimeout": "30s", "prereadTimeout": "30s",
                                    "prereadBufferSize": "16k", "maxConnections": 0, "maxConnectionsPerAddress": 0},
                         "sslPreread": false, "upstream": "db",
                         "proxy": {"connectTimeout": "60s", "timeout": "10m", "halfClose": false,
                                   "nextUpstream": true, "nextUpstreamTries": 0, "nextUpstreamTimeout": "0s",
                                   "uploadRate": "0", "downloadRate": "0", "bufferSize": "16k", "sessionDrop": false},
                         "routes": []}
                        """));
        assertThat(api.get(DB).json()).isEqualTo(created.json());
        Api.Reply again = api.put(DB, created.text());
        assertThat(again.status()).as(again.text()).isEqualTo(200);
        assertThat(again.header("ETag")).isEqualTo(created.header("ETag"));
    }

    @Test
    void everyFieldComesBack() {
        String all = """
                , "proxyProtocol": true,
                 "realIp": {"trusted": ["10.0.0.0/8"], "header": "proxy_protocol", "recursive": true},
                 "accessLog": {"path": "stdout", "format": "$remote_addr $upstream_first_byte_time", "escape": "json"},
                 "client": {"access": [{"allow": "10.1.2.3/8"}, {"deny": "2001:DB8::/32"}, {"deny": "all"}],
                            "proxyProtocolTimeout": "5s", "prereadTimeout": "500ms", "prereadBufferSize": "4K",
                            "maxConnections": 10, "maxConnectionsPerAddress": 2},
                 "sslPreread": true, "upstream": "db",
                 "proxy": {"connectTimeout": "5s", "timeout": "1h30m", "halfClose": true, "nextUpstream": false,
                           "nextUpstreamTries": 3, "nextUpstreamTimeout": "2s", "uploadRate": "1M",
                           "downloadRate": "2m", "bufferSize": "32768", "proxyProtocol": "v2", "sessionDrop": true},
                 "routes": [{"name": "a", "hosts": ["a.example", "*.b.example"], "alpn": ["h2", "http/1.1"],
                             "upstream": "db"},
                            {"name": "b", "hosts": [], "alpn": ["mqtt"], "upstream": "db"}]
                """;
        JsonNode sent = Api.json("{\"name\":\"db\",\"protocol\":\"tcp\"," + socket + all + "}");
        assertThat(putTcp(all)).isEqualTo(sent);
        assertThat(api.get(DB).json()).isEqualTo(sent);
        JsonNode inList = api.get(LISTENERS).json().path("items").get(0);
        assertThat(inList).isEqualTo(sent);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "\"protocol\":\"sctp\"; protocol",
                "\"upstream\":\"nobody\"; upstream",
                "\"upstream\":\"app\"; upstream",
                "\"upstream\":5; upstream",
                "\"upstream\":null; upstream",
                "\"proxy\":{\"readTimeout\":\"5s\"}; proxy.readTimeout",
                "\"proxy\":{\"timeout\":\"0s\"}; proxy.timeout",
                "\"proxy\":{\"timeout\":10}; proxy.timeout",
                "\"proxy\":{\"nextUpstream\":[\"error\"]}; proxy.nextUpstream",
                "\"proxy\":{\"nextUpstreamTries\":-1}; proxy.nextUpstreamTries",
                "\"proxy\":{\"responses\":1}; proxy.responses",
                "\"proxy\":{\"requests\":1}; proxy.requests",
                "\"proxy\":{\"requests\":-1}; proxy.requests",
                "\"proxy\":{\"bufferSize\":\"1\"}; proxy.bufferSize",
                "\"proxy\":{\"uploadRate\":\"fast\"}; proxy.uploadRate",
                "\"proxy\":{\"proxyProtocol\":\"v3\"}; proxy.proxyProtocol",
                "\"proxy\":{\"proxyProtocol\":true}; proxy.proxyProtocol",
                "\"client\":{\"headerTimeout\":\"5s\"}; client.headerTimeout",
                "\"client\":{\"access\":[{\"allow\":\"here\"}]}; client.access[0].allow",
                "\"client\":{\"access\":[{\"allow\":\"all\"},{}]}; client.access[1]",
                "\"client\":{\"access\":[{\"allow\":\"all\",\"deny\":\"all\"}]}; client.access[0]",
                "\"client\":{\"access\":[{\"deny\":\"all\",\"why\":1}]}; client.access[0].why",
                "\"client\":{\"access\":[\"deny all\"]}; client.access[0]",
                "\"client\":{\"maxConnections\":-1}; client.maxConnections",
                "\"client\":{\"prereadTimeout\":\"0s\"}; client.prereadTimeout",
                "\"accessLog\":{\"path\":\"stdout\",\"format\":\"combined\"}; accessLog.format",
                "\"accessLog\":{\"path\":\"stdout\",\"format\":\"$request\"}; accessLog.format",
                "\"realIp\":{\"trusted\":[\"::1\"]}; realIp.header",
                "\"realIp\":{\"trusted\":[\"::1\"],\"header\":\"X-Real-IP\"},\"proxyProtocol\":true; realIp.header",
                "\"routes\":[{\"name\":\"a\",\"hosts\":[\"a.example\"],\"upstream\":\"db\"}]; routes",
                "\"sslPreread\":true,\"routes\":[{\"name\":\"a\",\"upstream\":\"db\"}]; routes[0].hosts",
                "\"sslPreread\":true,\"routes\":[{\"name\":\"a\",\"hosts\":[\"a\"]}]; routes[0].upstream",
                "\"sslPreread\":true,\"routes\":[{\"name\":\"a\",\"hosts\":[\"a\"],\"upstream\":\"app\"}]; routes[0].upstream",
                "\"sslPreread\":true,\"routes\":[{\"name\":\"a\",\"hosts\":[\"a b\"],\"upstream\":\"db\"}]; routes[0].hosts[0]",
                "\"sslPreread\":true,\"routes\":[{\"name\":\"a\",\"alpn\":[\"\"],\"upstream\":\"db\"}]; routes[0].alpn[0]",
                "\"sslPreread\":true,\"routes\":[{\"name\":\"a\",\"alpn\":[\"h2\"],\"upstream\":\"db\",\"maxBodySize\":\"1m\"}]; routes[0].maxBodySize",
                "\"sslPreread\":\"yes\"; sslPreread",
            })
    void whatIsWrongIsRefusedByItsName(String fields, String field) {
        String upstream =
                fields.contains("\"upstream\":") && fields.startsWith("\"upstream") ? "" : ",\"upstream\":\"db\"";
        String protocol = fields.startsWith("\"protocol") ? "" : "\"protocol\":\"tcp\",";
        String before = api.everything();
        Api.Reply reply = api.put(DB, "{" + protocol + socket + upstream + "," + fields + "}");
        assertThat(reply.status()).as(reply.text()).isEqualTo(400);
        assertThat(reply.fields()).as(reply.text()).containsExactly(field);
        assertThat(api.everything()).isEqualTo(before);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "\"sslPreread\":true; sslPreread",
                "\"proxyProtocol\":true; proxyProtocol",
                "\"proxy\":{\"halfClose\":true}; proxy.halfClose",
            })
    void whatGoesWithTcpOnlyIsRefusedForUdp(String fields, String field) {
        Api.Reply reply = api.put(DB, "{\"protocol\":\"udp\"," + socket + ",\"upstream\":\"db\"," + fields + "}");
        assertThat(reply.status()).as(reply.text()).isEqualTo(400);
        assertThat(reply.fields()).as(reply.text()).containsExactly(field);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "\"upstream\":\"db\"; upstream",
                "\"proxy\":{\"timeout\":\"5s\"}; proxy",
                "\"sslPreread\":false; sslPreread",
                "\"client\":{\"access\":[]}; client.access",
                "\"routes\":[{\"name\":\"a\",\"upstream\":\"app\",\"alpn\":[]}]; routes[0].alpn",
                "\"routes\":[{\"name\":\"a\",\"upstream\":\"db\"}]; routes[0].upstream",
                "\"accessLog\":{\"path\":\"stdout\",\"format\":\"basic\"}; accessLog.format",
            })
    void whatBelongsToStreamsIsRefusedForHttp(String fields, String field) {
        Api.Reply reply = api.put(DB, "{" + socket + "," + fields + "}");
        assertThat(reply.status()).as(reply.text()).isEqualTo(400);
        assertThat(reply.fields()).as(reply.text()).containsExactly(field);
    }

    @Test
    void withoutAGroupThereMustBeRoutes() {
        Api.Reply nothing = api.put(DB, "{\"protocol\":\"tcp\"," + socket + ",\"sslPreread\":true}");
        assertThat(nothing.fields()).containsExactly("upstream");
        JsonNode routed =
                putTcp(",\"sslPreread\":true,\"routes\":[{\"name\":\"a\",\"alpn\":[\"h2\"],\"upstream\":\"db\"}]");
        assertThat(routed.has("upstream")).isFalse();
        assertThat(api.delete(DB + "/routes/a").fields()).as("the last of all").containsExactly("upstream");
        // a listener sent without routes keeps those it has, which are enough
        assertThat(putTcp(",\"sslPreread\":true").path("routes").size()).isEqualTo(1);
        assertThat(api.put(DB, "{\"protocol\":\"tcp\"," + socket + ",\"upstream\":\"db\"}")
                        .fields())
                .as("it would keep routes without what they need")
                .containsExactly("routes");
    }

    @Test
    void routesOfStreamsAreChangedOneByOne() {
        putTcp(",\"upstream\":\"db\",\"sslPreread\":true");
        String routes = DB + "/routes";
        Api.Reply created = api.post(routes, "{\"name\":\"a\",\"hosts\":[\"A.Example\"],\"upstream\":\"db\"}");
        assertThat(created.status()).as(created.text()).isEqualTo(201);
        assertThat(created.header("Location")).isEqualTo(routes + "/a");
        JsonNode a = Api.json("{\"name\":\"a\",\"hosts\":[\"a.example\"],\"alpn\":[],\"upstream\":\"db\"}");
        assertThat(created.json()).isEqualTo(a);
        assertThat(api.post(routes, a.toString()).json().path("code").asString())
                .isEqualTo("NAME_TAKEN");
        assertThat(api.get(routes + "/a").json()).isEqualTo(a);
        JsonNode patched =
                api.patch(routes + "/a", "{\"alpn\":[\"h2\"],\"hosts\":null}").json();
        assertThat(patched).isEqualTo(Api.json("{\"name\":\"a\",\"hosts\":[],\"alpn\":[\"h2\"],\"upstream\":\"db\"}"));
        assertThat(api.patch(routes + "/a", "{\"alpn\":null}").fields()).containsExactly("hosts");
        assertThat(api.put(routes + "/b", "{\"hosts\":[\"b\"],\"upstream\":\"db\"}")
                        .status())
                .isEqualTo(201);
        JsonNode list = api.get(routes).json();
        assertThat(list.path("items").size()).isEqualTo(2);
        Api.Reply turned = api.put(
                routes,
                "{\"items\":[" + list.path("items").get(1) + ","
                        + list.path("items").get(0) + "]}");
        assertThat(turned.json().at("/items/0/name").asString()).isEqualTo("b");
        assertThat(api.get(DB).json().path("routes")).isEqualTo(turned.json().path("items"));
        assertThat(api.put(routes, "{\"items\":[{\"name\":\"c\",\"upstream\":\"db\",\"hosts\":[],\"path\":{}}]}")
                        .fields())
                .contains("items[0].path");
        assertThat(api.post(routes, "{\"name\":\"d\",\"respond\":{},\"hosts\":[\"d\"],\"upstream\":\"db\"}")
                        .fields())
                .containsExactly("respond");
        assertThat(api.delete(routes + "/b").status()).isEqualTo(204);
        assertThat(api.get(routes + "/b").status()).isEqualTo(404);
    }

    @Test
    void aGroupInUseCannotGoOrChangeItsProtocol() {
        putTcp(",\"upstream\":\"db\"");
        Api.Reply gone = api.delete("/api/v1/upstreams/db");
        assertThat(gone.status()).isEqualTo(409);
        assertThat(gone.json().path("code").asString()).isEqualTo("IN_USE");
        assertThat(gone.json().path("detail").asString()).contains("listener db");
        Api.Reply changed = api.patch("/api/v1/upstreams/db", "{\"protocol\":\"http\"}");
        assertThat(changed.status()).isEqualTo(409);
        assertThat(changed.json().path("detail").asString()).contains("listener db");
        assertThat(api.delete(DB).status()).isEqualTo(204);
        assertThat(api.patch("/api/v1/upstreams/db", "{\"protocol\":\"http\"}").status())
                .isEqualTo(200);
    }

    @Test
    void aListenerMayChangeItsKind() {
        Api.Reply http = api.put(
                DB,
                "{" + socket + ",\"client\":{\"headerTimeout\":\"5s\",\"maxConnections\":7},"
                        + "\"accessLog\":{\"path\":\"stdout\"},\"routes\":[{\"name\":\"a\",\"upstream\":\"app\"}]}");
        assertThat(http.status()).as(http.text()).isEqualTo(201);
        Api.Reply refused = api.patch(DB, "{\"protocol\":\"tcp\",\"upstream\":\"db\"}");
        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.fields()).contains("client.headerTimeout", "routes[0].path");
        assertThat(api.get(DB).json()).isEqualTo(http.json());
        Api.Reply tcp = api.patch(
                DB, "{\"protocol\":\"tcp\",\"upstream\":\"db\",\"routes\":null,\"client\":{\"headerTimeout\":null}}");
        assertThat(tcp.status()).as(tcp.text()).isEqualTo(200);
        assertThat(tcp.json().at("/client/maxConnections").asInt()).isEqualTo(7);
        assertThat(tcp.json().at("/accessLog/path").asString()).isEqualTo("stdout");
        assertThat(tcp.json().at("/accessLog/format").asString()).isEqualTo("basic");
        assertThat(tcp.json().path("routes").size()).isZero();
        assertThat(api.patch(DB, "{\"protocol\":\"http\"}").fields()).contains("upstream");
        Api.Reply back = api.patch(DB, "{\"protocol\":null,\"upstream\":null}");
        assertThat(back.status()).as(back.text()).isEqualTo(200);
        assertThat(back.json().path("protocol").asString()).isEqualTo("http");
        assertThat(back.json().at("/client/headerTimeout").asString()).isEqualTo("60s");
        assertThat(back.json().at("/client/maxConnections").asInt()).isEqualTo(7);
        assertThat(back.json().at("/accessLog/format").asString()).isEqualTo("combined");
    }

    @Test
    void theAddressOfTheClientGoesAlongToTcpIfTheHeaderWasNotChosen() {
        api.put(DB, "{" + socket + ",\"proxyProtocol\":true,\"realIp\":{\"trusted\":[\"10.0.0.0/8\"]}}");
        Api.Reply tcp = api.patch(DB, "{\"protocol\":\"tcp\",\"upstream\":\"db\"}");
        assertThat(tcp.status()).as(tcp.text()).isEqualTo(200);
        assertThat(tcp.json().path("realIp"))
                .isEqualTo(
                        Api.json("{\"trusted\":[\"10.0.0.0/8\"],\"header\":\"proxy_protocol\",\"recursive\":false}"));
    }

    @Test
    void aPatchTakesRoutesAway() {
        putTcp(",\"upstream\":\"db\",\"sslPreread\":true,"
                + "\"routes\":[{\"name\":\"a\",\"alpn\":[\"h2\"],\"upstream\":\"db\"}]");
        Api.Reply plain = api.patch(DB, "{\"routes\":null,\"sslPreread\":null}");
        assertThat(plain.status()).as(plain.text()).isEqualTo(200);
        assertThat(plain.json().path("routes").size()).isZero();
    }

    @Test
    void putOfTheOtherKindReplacesAll() {
        api.put(DB, "{" + socket + ",\"routes\":[{\"name\":\"a\",\"upstream\":\"app\"}]}");
        assertThat(putTcp(",\"upstream\":\"db\"").path("routes").size()).isZero();
        Api.Reply http = api.put(DB, "{" + socket + "}");
        assertThat(http.json().path("routes").size()).isZero();
        assertThat(http.json().has("upstream")).isFalse();
    }

    @Test
    void aDryRunChangesNothing() {
        String before = api.everything();
        Api.Reply dry = api.put(DB + "?dryRun=true", "{\"protocol\":\"tcp\"," + socket + ",\"upstream\":\"db\"}");
        assertThat(dry.json().at("/changes/0/resource").asString()).isEqualTo(DB);
        assertThat(api.everything()).isEqualTo(before);
        putTcp(",\"upstream\":\"db\"");
        Api.Reply stale = api.patch(DB, "{\"proxy\":{\"timeout\":\"1h\"}}", "If-Match", "\"1\"");
        assertThat(stale.status()).isEqualTo(412);
    }

    @Test
    void statusTellsTheProtocol() {
        putTcp(",\"upstream\":\"db\",\"sslPreread\":true,"
                + "\"routes\":[{\"name\":\"a\",\"alpn\":[\"h2\"],\"upstream\":\"db\"}]");
        JsonNode status = api.get("/api/v1/status").json();
        assertThat(status.at("/listeners/0/protocol").asString()).isEqualTo("tcp");
        assertThat(status.at("/counts/routes").asInt()).isEqualTo(1);
    }

    @Test
    void aUdpListenerHasWhatGoesWithDatagrams() {
        JsonNode created = api.put(
                        DB,
                        "{\"protocol\":\"udp\"," + socket
                                + ",\"upstream\":\"db\",\"proxy\":{\"requests\":2,\"responses\":0}}")
                .json();
        assertThat(created.path("proxy").path("requests").asInt()).isEqualTo(2);
        assertThat(created.path("proxy").path("responses").asInt(-1)).isZero();
        assertThat(created.path("proxy").has("halfClose")).isFalse();
        assertThat(created.has("routes")).isFalse();
        assertThat(api.get(DB).json()).isEqualTo(created);
        assertThat(api.put(DB, created.toString()).status()).isEqualTo(200);
        JsonNode any = api.patch(DB, "{\"proxy\":{\"responses\":null}}").json();
        assertThat(any.path("proxy").has("responses")).isFalse();
    }

    @Test
    void tcpAndUdpShareAPortAndNoOtherDoes() {
        putTcp(",\"upstream\":\"db\"");
        Api.Reply datagrams = api.put(LISTENERS + "/dns", "{\"protocol\":\"udp\"," + socket + ",\"upstream\":\"db\"}");
        assertThat(datagrams.status()).as(datagrams.text()).isEqualTo(201);
        for (String protocol : new String[] {"tcp", "udp"}) {
            Api.Reply second =
                    api.put(LISTENERS + "/x", "{\"protocol\":\"" + protocol + "\"," + socket + ",\"upstream\":\"db\"}");
            assertThat(second.fields()).as(second.text()).containsExactly("port");
        }
        assertThat(api.put(LISTENERS + "/x", "{" + socket + "}").fields()).containsExactly("port");
    }

    @Test
    void tcpBecomesUdpAndHttpAgain() {
        putTcp(",\"upstream\":\"db\",\"proxy\":{\"timeout\":\"5s\"}");
        Api.Reply udp = api.patch(DB, "{\"protocol\":\"udp\"}");
        assertThat(udp.status()).as(udp.text()).isEqualTo(200);
        assertThat(udp.json().at("/proxy/timeout").asString()).isEqualTo("5s");
        Api.Reply http = api.patch(DB, "{\"protocol\":\"http\",\"upstream\":null,\"proxy\":null}");
        assertThat(http.status()).as(http.text()).isEqualTo(200);
    }
}
