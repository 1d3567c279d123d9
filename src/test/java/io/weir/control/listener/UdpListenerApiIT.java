package io.weir.control.listener;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.control.Api;
import io.weir.control.ControlPlaneTest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.web.server.LocalServerPort;
import tools.jackson.databind.JsonNode;

/** Listeners of UDP. */
@ControlPlaneTest
class UdpListenerApiIT {

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
        socket = "\"bind\":\"127.0.0.1\",\"port\":" + Api.freePort();
    }

    private JsonNode putTcp(String more) {
        Api.Reply reply = api.put(DB, "{\"protocol\":\"tcp\"," + socket + more + "}");
        assertThat(reply.status()).as(reply.text()).isBetween(200, 201);
        return reply.json();
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
