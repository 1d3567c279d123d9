package io.weir.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.control.Api;
import io.weir.proxy.Backend;
import io.weir.proxy.Client;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Bad input to the program that runs: the right answer, nothing changed, and the traffic goes on. Each field wrong in each way
 * is the matter of the tests of {@code control}.
 */
class BadInputIT {

    private static final String WEB = "/api/v1/listeners/test";

    private final WeirProcess weir = WeirProcess.shared();
    private final Api api = weir.api();
    private final int port = Api.freePort();
    private final Backend backend = Backend.saying("a");
    private String before = "";

    @BeforeEach
    void makeOneOfEach() {
        api.clear();
        api.put("/api/v1/upstreams/app", "{\"servers\":[{\"address\":\"" + backend.address() + "\"}]}");
        assertThat(api.put(
                                WEB,
                                "{\"bind\":\"127.0.0.1\",\"port\":" + port
                                        + ",\"routes\":[{\"name\":\"all\",\"upstream\":\"app\"}]}")
                        .status())
                .isEqualTo(201);
        before = api.everything();
    }

    @AfterEach
    void nothingHasChangedAndTrafficGoesOn() throws IOException {
        assertThat(api.everything()).isEqualTo(before);
        assertTrafficGoesOn();
        backend.close();
    }

    private void assertTrafficGoesOn() throws IOException {
        assertThat(Client.get(port, "/").body()).isEqualTo("a");
    }

    @Test
    void aPortInUseIsNamedAndTheOldListenerStillServes() throws IOException {
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            int taken = other.getLocalPort();
            for (Api.Reply reply : List.of(
                    api.patch(WEB, "{\"port\":" + taken + "}"),
                    api.patch(WEB + "?dryRun=true", "{\"port\":" + taken + "}"),
                    api.post("/api/v1/listeners", "{\"name\":\"b\",\"bind\":\"127.0.0.1\",\"port\":" + taken + "}"))) {
                assertThat(reply.status()).as(reply.text()).isEqualTo(400);
                assertThat(reply.fields()).containsExactly("port");
                assertThat(reply.text()).contains("in use");
            }
            assertTrafficGoesOn();
            assertThat(api.get("/api/v1/status").json().path("listeners")).hasSize(1);
        }
    }

    @Test
    void aDryRunOpensAndClosesNoPort() throws IOException {
        int free = Api.freePort();
        assertThat(api.patch(WEB + "?dryRun=true", "{\"port\":" + free + "}").status())
                .isEqualTo(200);
        try (ServerSocket other = new ServerSocket(free, 1, InetAddress.getLoopbackAddress())) {
            assertThat(other.isBound()).isTrue();
        }
    }

    @Test
    void bodiesThatDoNotComeHoldUpNobody() throws IOException {
        List<Client> slow = new ArrayList<>();
        try {
            for (int i = 0; i < 50; i++) {
                slow.add(Client.to(weir.adminPort())
                        .send(
                                "PUT /api/v1/upstreams/app HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                                        + "Content-Length: 1000\r\n\r\n{\"balancing\":"));
            }
            assertThat(api.patch("/api/v1/upstreams/app", "{}").status()).isEqualTo(200);
            assertTrafficGoesOn();
        } finally {
            for (Client client : slow) {
                client.close();
            }
        }
        assertThat(api.everything()).isEqualTo(before);
    }

    @Test
    void aBodyThatBreaksOffChangesNothing() throws IOException {
        String whole = "{\"balancing\":{\"method\":\"least_conn\"}}";
        try (Client client = Client.to(weir.adminPort())) {
            client.send("PATCH /api/v1/upstreams/app HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                    + "Content-Length: " + (whole.length() + 1) + "\r\n\r\n" + whole);
            client.socket().shutdownOutput();
            assertThat(client.read().status()).isEqualTo(400);
        }
    }

    @Test
    void tenMegabytesAndBrokenJsonAreRefusedWhileTrafficFlows() {
        assertThat(api.put("/api/v1/upstreams/app", " ".repeat(10_000_000)).status())
                .isEqualTo(413);
        assertThat(api.put("/api/v1/upstreams/app", "{\"servers\":[").status()).isEqualTo(400);
        assertThat(api.delete("/api/v1/upstreams").status()).isEqualTo(405);
    }

    @Test
    void whatIsNoHttpIsRefusedOnBothSides() throws IOException {
        for (int to : List.of(port, weir.adminPort())) {
            for (String bytes :
                    List.of("\u0016\u0003\u0001\u0002\0\u0001\0\r\n\r\n", "GET\r\n\r\n", "\0\0\0\0\r\n\r\n")) {
                try (Client client = Client.to(to)) {
                    assertThat(client.send(bytes).read().status()).isEqualTo(400);
                }
            }
        }
        await().untilAsserted(() ->
                assertThat(weir.metrics().sum("weir_peer_requests_active")).isZero());
    }
}
