package io.weir.proxy;

import static io.weir.proxy.Proxy.group;
import static io.weir.proxy.Proxy.route;
import static io.weir.proxy.Proxy.telling;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.config.KeepaliveConfig;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A request on its way through, and its response on the way back: proxying.md sections 1, 6 and 7. */
@ExtendWith(Leaks.class)
class ProxyingTest {

    @Test
    void weights511GiveTheOrderOfNginx() throws Exception {
        try (Backend a = Backend.saying("a");
                Backend b = Backend.saying("b");
                Backend c = Backend.saying("c");
                Proxy proxy = Proxy.start(
                        List.of(group(
                                "app",
                                KeepaliveConfig.DEFAULT,
                                s -> s.id() == 1 ? s.withWeight(5) : s,
                                a.address(),
                                b.address(),
                                c.address())),
                        route("app"))) {
            StringBuilder order = new StringBuilder();
            for (int i = 0; i < 14; i++) {
                order.append(Client.get(proxy.port(), "/").body());
            }
            assertThat(order).hasToString("aabacaaaabacaa");
        }
    }

    @Test
    void refusedPeerCostsNoClientAndIsTriedOnce() throws Exception {
        int dead = Proxy.freePort();
        try (Backend a = Backend.saying("a");
                Backend b = Backend.saying("b");
                Proxy proxy = Proxy.start(
                        List.of(group("app", a.address(), b.address(), "127.0.0.1:" + dead)), telling(route("app")))) {
            StringBuilder attempts = new StringBuilder();
            for (int i = 0; i < 6; i++) {
                Client.Response response = Client.get(proxy.port(), "/");
                assertThat(response.status()).isEqualTo(200);
                attempts.append(response.field("X-Attempts")).append("; ");
            }
            // balancing.md 13.2
            assertThat(attempts).hasToString("200; 200; 502, 200; 200; 200; 200; ");
        }
    }

    @Test
    void connectionIsReusedForTheNextRequest() throws Exception {
        try (Backend a = Backend.saying("a");
                Proxy proxy = Proxy.start(1, List.of(group("app", a.address())), route("app"))) {
            for (int i = 0; i < 3; i++) {
                assertThat(Client.get(proxy.port(), "/").body()).isEqualTo("a");
            }
            assertThat(a.connections()).isEqualTo(1);
        }
    }

    @Test
    void pipelinedRequestsAreAnsweredInOrder() throws Exception {
        try (Backend a = Backend.with(connection -> {
                    for (String head = connection.readRequest(); head != null; head = connection.readRequest()) {
                        String body = head.substring(0, head.indexOf("\r\n"));
                        connection.write("HTTP/1.1 200 OK\r\nContent-Length: " + body.length() + "\r\n\r\n" + body);
                    }
                });
                Proxy proxy = Proxy.start(List.of(group("app", a.address())), route("app"));
                Client client = Client.to(proxy.port())) {
            client.send("GET /1 HTTP/1.1\r\nHost: x\r\n\r\nPOST /2 HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"
                    + "GET /3 HTTP/1.1\r\nHost: x\r\n\r\n");
            assertThat(client.read().body()).isEqualTo("GET /1 HTTP/1.1");
            assertThat(client.read().body()).isEqualTo("POST /2 HTTP/1.1");
            assertThat(client.read().body()).isEqualTo("GET /3 HTTP/1.1");
        }
    }
}
