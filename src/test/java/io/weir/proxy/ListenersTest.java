package io.weir.proxy;

import static io.weir.proxy.Proxy.group;
import static io.weir.proxy.RouteSpec.answering;
import static io.weir.proxy.RouteSpec.to;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.weir.config.ActiveConfig;
import io.weir.config.HttpListenerConfig;
import io.weir.config.InvalidConfigException;
import io.weir.config.ListenerConfig;
import io.weir.config.ProxyConfig;
import io.weir.config.RouteConfig;
import io.weir.config.UpstreamConfig;
import io.weir.config.Violation;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Listeners that come, change and go while clients are there: prepare and commit of the data plane. */
@ExtendWith(Leaks.class)
class ListenersTest {

    private static ListenerConfig listener(String name, int port, RouteConfig... routes) {
        return new HttpListenerConfig(name, "127.0.0.1", port, List.of(routes));
    }

    private static ProxyConfig config(Proxy proxy, List<UpstreamConfig> groups, ListenerConfig... listeners) {
        return new ProxyConfig(proxy.active().current().revision() + 1, groups, List.of(listeners));
    }

    private static void assertNobodyListens(int port) {
        assertThatThrownBy(() -> Client.get(port, "/")).isInstanceOf(ConnectException.class);
    }

    @Test
    void listenersAreAddedAndRemoved() throws Exception {
        int other = Proxy.freePort();
        try (Proxy proxy = Proxy.start(List.of(), answering("web").route())) {
            ListenerConfig web = listener("web", proxy.port(), answering("web").route());
            proxy.apply(config(
                    proxy,
                    List.of(),
                    web,
                    listener("other", other, answering("other").route())));
            assertThat(Client.get(proxy.port(), "/").body()).isEqualTo("web");
            assertThat(Client.get(other, "/").body()).isEqualTo("other");
            assertThat(proxy.dataPlane().addresses())
                    .containsExactlyInAnyOrder("127.0.0.1:" + proxy.port(), "127.0.0.1:" + other);
            proxy.apply(config(proxy, List.of(), web));
            assertNobodyListens(other);
            assertThat(proxy.dataPlane().addresses()).containsExactly("127.0.0.1:" + proxy.port());
            proxy.apply(config(
                    proxy, List.of(), listener("web", other, answering("moved").route())));
            assertNobodyListens(proxy.port());
            assertThat(Client.get(other, "/").body()).isEqualTo("moved");
        }
    }

    @Test
    void portInUseIsRefusedByNameAndNothingChanges() throws Exception {
        int free = Proxy.freePort();
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Proxy proxy = Proxy.start(List.of(), answering("web").route())) {
            ProxyConfig next = config(
                    proxy,
                    List.of(),
                    listener("web", proxy.port(), answering("changed").route()),
                    listener("free", free, answering("free").route()),
                    listener("taken", taken.getLocalPort(), answering("taken").route()));
            assertThatThrownBy(() -> proxy.active().prepare(next))
                    .isInstanceOfSatisfying(InvalidConfigException.class, e -> {
                        assertThat(e.violations()).extracting(Violation::field).containsExactly("listeners[2].port");
                        assertThat(e.violations().get(0).message()).contains("in use");
                    });
            assertThat(Client.get(proxy.port(), "/").body()).isEqualTo("web");
            assertNobodyListens(free);
            assertThat(proxy.dataPlane().addresses()).containsExactly("127.0.0.1:" + proxy.port());
            // once the port is free the same change goes through
            taken.close();
            proxy.apply(next);
            assertThat(Client.get(free, "/").body()).isEqualTo("free");
            assertThat(Client.get(proxy.port(), "/").body()).isEqualTo("changed");
        }
    }

    @Test
    void abortedChangeLeavesNothingBound() throws Exception {
        int free = Proxy.freePort();
        try (Proxy proxy = Proxy.start(List.of(), answering("web").route())) {
            proxy.active()
                    .prepare(config(
                            proxy,
                            List.of(),
                            listener("web", proxy.port(), answering("changed").route()),
                            listener("free", free, answering("free").route())))
                    .abort();
            assertNobodyListens(free);
            assertThat(Client.get(proxy.port(), "/").body()).isEqualTo("web");
        }
    }

    /** Prepare shows nothing: who connects meanwhile waits for the routes to come. */
    @Test
    void clientOfAListenerThatIsPreparedMeetsItsRoutes() throws Exception {
        int port = Proxy.freePort();
        try (Proxy proxy = Proxy.start(List.of())) {
            ActiveConfig.Change change = proxy.active()
                    .prepare(config(
                            proxy,
                            List.of(),
                            listener("new", port, answering("new").route())));
            try (Client client = Client.to(port)) {
                client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
                Thread.sleep(50);
                assertThat(client.in().available()).isZero();
                change.commit();
                assertThat(client.read().body()).isEqualTo("new");
            }
        }
    }

    @Test
    void twoListenersSwapPorts() throws Exception {
        int other = Proxy.freePort();
        try (Proxy proxy = Proxy.start(List.of())) {
            proxy.apply(config(
                    proxy,
                    List.of(),
                    listener("a", proxy.port(), answering(200, "a $server_name").route()),
                    listener("b", other, answering(200, "b $server_name").route())));
            try (Client kept = Client.to(other)) {
                String get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
                assertThat(kept.request(get).body()).isEqualTo("b b");
                proxy.apply(config(
                        proxy,
                        List.of(),
                        listener("a", other, answering(200, "a $server_name").route()),
                        listener(
                                "b",
                                proxy.port(),
                                answering(200, "b $server_name").route())));
                assertThat(Client.get(proxy.port(), "/").body()).isEqualTo("b b");
                assertThat(Client.get(other, "/").body()).isEqualTo("a a");
                assertThat(kept.request(get).body()).isEqualTo("a a");
            }
        }
    }

    /** What runs ends as if nothing were, and its connection with it; idle ones end at once. */
    @Test
    void drainedListenerFinishesWhatRunsAndClosesWhatIsIdle() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        try (Backend backend = Backend.with(connection -> {
                    connection.readRequest();
                    connection.write("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nslow");
                    go.await();
                    connection.write("down");
                });
                Backend late = Backend.with(connection -> {
                    connection.readRequest();
                    go.await();
                    connection.write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nlate");
                });
                Proxy proxy = Proxy.start(
                        List.of(group("app", backend.address()), group("late", late.address())),
                        to("app").route(),
                        RouteSpec.named("late", new io.weir.config.RouteTarget.Upstream("late"))
                                .exact("/late")
                                .route(),
                        answering("fixed").exact("/fixed").route());
                Client begun = Client.to(proxy.port());
                Client waiting = Client.to(proxy.port());
                Client idle = Client.to(proxy.port())) {
            begun.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
            assertThat(HttpText.readHead(begun.in())).contains("Content-Length: 8");
            waiting.send("GET /late HTTP/1.1\r\nHost: x\r\n\r\n");
            await().until(() -> late.requests().size() == 1);
            assertThat(idle.request("GET /fixed HTTP/1.1\r\nHost: x\r\n\r\n").body())
                    .isEqualTo("fixed");

            proxy.apply(config(proxy, List.of()));
            assertNobodyListens(proxy.port());
            assertThat(idle.isClosed()).isTrue();
            go.countDown();
            assertThat(new String(HttpText.readExactly(begun.in(), 8))).isEqualTo("slowdown");
            Client.Response response = waiting.read();
            assertThat(response.body()).isEqualTo("late");
            assertThat(response.field("Connection")).isEqualTo("close");
            assertThat(begun.isClosed()).isTrue();
            assertThat(waiting.isClosed()).isTrue();
            await().until(() -> proxy.dataPlane().connections().open() == 0);
        }
    }

    @Test
    void portMayBeTakenAgainWhileAnOldRequestStillRuns() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        try (Backend backend = Backend.with(connection -> {
                    connection.readRequest();
                    go.await();
                    connection.write("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nold");
                });
                Proxy proxy = Proxy.start(
                        List.of(group("app", backend.address())), to("app").route());
                Client client = Client.to(proxy.port())) {
            client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
            await().until(() -> backend.requests().size() == 1);
            proxy.apply(config(proxy, List.of()));
            proxy.apply(config(
                    proxy,
                    List.of(),
                    listener("new", proxy.port(), answering("new").route())));
            assertThat(Client.get(proxy.port(), "/").body()).isEqualTo("new");
            go.countDown();
            assertThat(client.read().body()).isEqualTo("old");
        }
    }

    @Test
    void stopLetsRequestsEnd() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        try (Backend slow = Backend.with(connection -> {
                    connection.readRequest();
                    go.await();
                    connection.write("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nend");
                });
                Proxy proxy = Proxy.start(
                        List.of(group("app", slow.address())), to("app").route());
                Client client = Client.to(proxy.port())) {
            client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
            await().until(() -> slow.requests().size() == 1);
            Thread stop = new Thread(() -> proxy.dataPlane().stop(Duration.ofMinutes(10)));
            stop.start();
            await().until(() -> !isListening(proxy.port()));
            go.countDown();
            assertThat(client.read().body()).isEqualTo("end");
            stop.join();
        }
    }

    @Test
    void stopCutsWhatDoesNotEnd() throws Exception {
        try (Backend never = Backend.with(connection -> {
                    connection.readRequest();
                    connection.readRequest();
                });
                Proxy proxy = Proxy.start(
                        List.of(group("app", never.address())), to("app").route());
                Client client = Client.to(proxy.port())) {
            client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
            await().until(() -> never.requests().size() == 1);
            proxy.dataPlane().stop(Duration.ofMillis(100));
            assertThat(client.read().status()).isEqualTo(503);
            assertThat(client.isClosed()).isTrue();
        }
    }

    private static boolean isListening(int port) {
        try (Client client = Client.to(port)) {
            return client.socket().isConnected();
        } catch (java.io.IOException e) {
            return false;
        }
    }
}
