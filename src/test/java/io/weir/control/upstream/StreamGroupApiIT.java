package io.weir.control.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.control.Api;
import io.weir.control.ControlPlaneTest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.web.server.LocalServerPort;
import tools.jackson.databind.JsonNode;

/** Groups of streams. */
@ControlPlaneTest
class StreamGroupApiIT {

    private static final String DB = "/api/v1/upstreams/db";

    @LocalServerPort
    private int port;

    private Api api;

    @BeforeEach
    void start() {
        api = new Api(port);
        api.clear();
    }

    private Api.Reply put(String more) {
        return api.put(DB, "{\"protocol\":\"stream\"" + more + "}");
    }

    @Test
    void aGroupOfStreamsHasNoneOfWhatIsOfHttp() {
        Api.Reply created = put(",\"servers\":[{\"address\":\"127.0.0.1:5432\"}]");
        assertThat(created.status()).as(created.text()).isEqualTo(201);
        assertThat(created.json()).isEqualTo(Api.json("""
                        {"name": "db", "protocol": "stream", "balancing": {"method": "round_robin"},
                         "servers": [{"id": 1, "address": "127.0.0.1:5432", "weight": 1, "maxConns": 0, "maxFails": 1,
                                      "failTimeout": "10s", "slowStart": "0s", "backup": false, "state": "up",
                                      "route": ""}]}
                        """));
        assertThat(api.get(DB).json()).isEqualTo(created.json());
        Api.Reply again = api.put(DB, created.text());
        assertThat(again.status()).as(again.text()).isEqualTo(200);
        assertThat(again.header("ETag")).isEqualTo(created.header("ETag"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "\"balancing\":{\"method\":\"ip_hash\"}; balancing.method",
                "\"balancing\":{\"method\":\"least_time\",\"by\":\"header\"}; balancing.by",
                "\"balancing\":{\"method\":\"hash\",\"key\":\"$uri\"}; balancing.key",
                "\"balancing\":{\"method\":\"random\",\"two\":true,\"by\":\"least_time\"}; balancing.by",
                "\"sticky\":{\"type\":\"cookie\",\"name\":\"srv\"}; sticky",
                "\"keepalive\":{\"connections\":0}; keepalive",
                "\"servers\":[{\"address\":\"127.0.0.1:1\"},{\"address\":\"127.0.0.1\"}]; servers[1].address",
                "\"servers\":[{\"address\":\"[::1]\"}]; servers[0].address",
                "\"servers\":[{\"address\":\"127.0.0.1:1\",\"route\":\"a\"}]; servers[0].route",
            })
    void whatIsOfHttpIsRefusedByItsName(String fields, String field) {
        Api.Reply reply = put("," + fields);
        assertThat(reply.status()).as(reply.text()).isEqualTo(400);
        assertThat(reply.fields()).as(reply.text()).containsExactly(field);
        assertThat(api.get(DB).status()).isEqualTo(404);
    }

    @Test
    void unknownProtocolIsRefused() {
        assertThat(api.put(DB, "{\"protocol\":\"tcp\"}").fields()).containsExactly("protocol");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "{\"method\":\"least_conn\"}",
                "{\"method\":\"hash\",\"key\":\"$ssl_preread_server_name\",\"consistent\":true}",
                "{\"method\":\"random\",\"two\":true,\"by\":\"least_time=first_byte\"}",
                "{\"method\":\"least_time\",\"by\":\"connect\",\"inflight\":true}",
                "{\"method\":\"least_time\",\"by\":\"last_byte\"}",
            })
    void methodsOfStreamsComeBack(String balancing) {
        Api.Reply reply = put(",\"balancing\":" + balancing);
        assertThat(reply.json().path("balancing")).as(reply.text()).isEqualTo(Api.json(balancing));
    }

    @Test
    void serversOneByOneHaveAPortToo() {
        put(",\"servers\":[{\"address\":\"127.0.0.1:1\"}]");
        Api.Reply added = api.post(DB + "/servers", "{\"address\":\"127.0.0.1\"}");
        assertThat(added.status()).isEqualTo(400);
        assertThat(added.fields()).containsExactly("address");
        assertThat(api.put(DB + "/servers", "{\"items\":[{\"address\":\"localhost\"}]}")
                        .fields())
                .containsExactly("items[0].address");
        assertThat(api.patch(DB + "/servers/1", "{\"route\":\"a\"}").fields()).containsExactly("route");
        assertThat(api.post(DB + "/servers", "{\"address\":\"unix:/run/db.sock\"}")
                        .status())
                .isEqualTo(201);
    }

    @Test
    void theProtocolOfAGroupThatNobodyUsesChanges() {
        api.put(DB, "{\"servers\":[{\"address\":\"127.0.0.1:1\"}]}");
        JsonNode stream = api.patch(DB, "{\"protocol\":\"stream\"}").json();
        assertThat(stream.path("protocol").asString()).isEqualTo("stream");
        assertThat(stream.has("keepalive")).isFalse();
        JsonNode http = api.patch(DB, "{\"protocol\":null}").json();
        assertThat(http.at("/keepalive/connections").asInt()).isEqualTo(32);
        api.patch(DB, "{\"keepalive\":{\"connections\":5},\"sticky\":{\"type\":\"cookie\",\"name\":\"srv\"}}");
        Api.Reply refused = api.patch(DB, "{\"protocol\":\"stream\"}");
        assertThat(refused.fields()).containsExactlyInAnyOrder("keepalive", "sticky");
        assertThat(api.patch(DB, "{\"protocol\":\"stream\",\"keepalive\":null,\"sticky\":null}")
                        .status())
                .isEqualTo(200);
    }

    @Test
    void peersHaveTheTimesOfSessions() {
        put(",\"servers\":[{\"address\":\"127.0.0.1:1\"}]");
        JsonNode peer = api.get(DB + "/peers").json().at("/items/0");
        assertThat(peer.path("times"))
                .isEqualTo(Api.json(
                        "{\"connectMillis\":null,\"firstByteMillis\":null,\"sessionMillis\":null,\"downMillis\":0}"));
        assertThat(peer.path("requests").asInt(-1)).isZero();
        assertThat(peer.has("responses")).isFalse();
    }
}
