package io.weir.proxy;

import static io.weir.proxy.Proxy.group;
import static io.weir.proxy.RouteSpec.to;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.config.AdminState;
import io.weir.config.ServerConfig;
import io.weir.config.UpstreamConfig;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The end of what is in progress at a server, as a drain asks for it when its time is over. Server 1 is the one. */
@ExtendWith(Leaks.class)
class DroppingTest {

    private static final String GET = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

    /** Answers this much of a response, and then nothing until its connection ends. */
    private static Backend stopping(String begin) {
        return Backend.with(connection -> {
            while (connection.readRequest() != null) {
                connection.write(begin);
                if (connection.in().read() < 0) {
                    return;
                }
            }
        });
    }

    /** The first server as it is while it drains, so that nothing new goes there. */
    private static UpstreamConfig draining(UpstreamConfig group) {
        ServerConfig first = group.servers().get(0).withState(AdminState.DRAIN);
        return group.withServers(List.of(first, group.servers().get(1)));
    }

    @Test
    void aRequestWithoutAnAnswerGoesOnToTheNextServer() throws Exception {
        try (Backend slow = stopping("");
                Backend other = Backend.saying("other")) {
            UpstreamConfig app = group("app", slow.address(), other.address());
            try (Proxy proxy = Proxy.start(List.of(app), to("app").route());
                    Client client = Client.to(proxy.port())) {
                client.send(GET);
                await().until(() -> slow.requests().size() == 1);
                proxy.apply(List.of(draining(app)), to("app").route());
                proxy.dataPlane().dropSessions("app", 2);
                proxy.dataPlane().dropSessions("other", 1);
                assertThat(Client.get(proxy.port(), "/").body()).isEqualTo("other");
                assertThat(slow.open()).as("only what was asked for").isEqualTo(1);
                proxy.dataPlane().dropSessions("app", 1);
                assertThat(client.read().body()).isEqualTo("other");
                await().until(() -> slow.open() == 0);
                assertThat(proxy.peers("app").get(0).fails())
                        .as("no fault of its own")
                        .isZero();
                assertThat(proxy.peers("app").get(0).totals().failures().sum()).isZero();
            }
        }
    }

    @Test
    void aRequestThatMayNotBeSentTwiceIsAnsweredWith502() throws Exception {
        try (Backend slow = stopping("");
                Backend other = Backend.saying("other")) {
            UpstreamConfig app = group("app", slow.address(), other.address());
            try (Proxy proxy = Proxy.start(List.of(app), to("app").route());
                    Client client = Client.to(proxy.port())) {
                client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi");
                await().until(() -> slow.requests().size() == 1);
                proxy.dataPlane().dropSessions("app", 1);
                assertThat(client.read().status()).isEqualTo(502);
                assertThat(other.requests()).isEmpty();
                // the connection of the client goes on
                proxy.apply(List.of(draining(app)), to("app").route());
                assertThat(client.request(GET).body()).isEqualTo("other");
            }
        }
    }

    @Test
    void aResponseInProgressEndsAsOneThatBroke() throws Exception {
        try (Backend slow = stopping("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
                Proxy proxy = Proxy.start(
                        List.of(group("app", slow.address())), to("app").route());
                Client client = Client.to(proxy.port())) {
            client.send(GET);
            await().until(() ->
                    proxy.peers("app").get(0).conns() == 1 && slow.requests().size() == 1);
            byte[] head = client.in().readNBytes("HTTP/1.1 200 OK\r\n".length());
            assertThat(head).isNotEmpty();
            proxy.dataPlane().dropSessions("app", 1);
            assertThat(client.readAll()).contains("abc").doesNotContain("0\r\n\r\n");
        }
    }

    @Test
    void aTunnelEnds() throws Exception {
        try (Backend server = Backend.with(connection -> {
                    connection.readRequest();
                    connection.write("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\nhi");
                    connection.in().read();
                });
                Proxy proxy = Proxy.start(
                        List.of(group("app", server.address())), to("app").route());
                Client client = Client.to(proxy.port())) {
            client.send("GET / HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n");
            StringBuilder got = new StringBuilder();
            while (got.indexOf("\r\n\r\nhi") < 0) {
                got.append((char) client.in().read());
            }
            proxy.dataPlane().dropSessions("app", 2);
            proxy.dataPlane().dropSessions("app", 1);
            assertThat(client.isClosed()).isTrue();
            await().until(() -> server.open() == 0);
        }
    }

    @Test
    void aServerThatDrainsSeesItsIdleConnectionsEnd() throws Exception {
        for (AdminState state : List.of(AdminState.DRAIN, AdminState.DOWN)) {
            CountDownLatch answer = new CountDownLatch(1);
            try (Backend server = Backend.with(connection -> {
                        for (String head = connection.readRequest(); head != null; head = connection.readRequest()) {
                            if (head.startsWith("GET /slow")) {
                                answer.await(60, TimeUnit.SECONDS);
                            }
                            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
                        }
                    });
                    Backend other = Backend.saying("other")) {
                UpstreamConfig app = group("app", server.address(), other.address());
                UpstreamConfig alone = app.withServers(app.servers().subList(0, 1));
                try (Proxy proxy = Proxy.start(List.of(alone), to("app").route());
                        Client idle = Client.to(proxy.port());
                        Client busy = Client.to(proxy.port())) {
                    busy.send("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n");
                    await().until(() -> server.requests().size() == 1);
                    assertThat(idle.request(GET).body()).isEqualTo("ok");
                    assertThat(server.open()).isEqualTo(2);
                    proxy.apply(
                            List.of(app.withServers(List.of(
                                    app.servers().get(0).withState(state),
                                    app.servers().get(1)))),
                            to("app").route());
                    await().until(() -> server.open() == 1);
                    answer.countDown();
                    assertThat(busy.read().body()).isEqualTo("ok");
                    await().until(() -> server.open() == 0);
                    assertThat(idle.request(GET).body()).isEqualTo("other");
                }
            } finally {
                answer.countDown();
            }
        }
    }
}
