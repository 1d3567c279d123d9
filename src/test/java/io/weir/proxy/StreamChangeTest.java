package io.weir.proxy;

import static io.weir.proxy.StreamSpec.to;
import static io.weir.proxy.Streams.echo;
import static io.weir.proxy.Streams.greeting;
import static io.weir.proxy.Streams.servers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.weir.config.AdminState;
import io.weir.config.HttpListenerConfig;
import io.weir.config.ServerConfig;
import io.weir.config.UpstreamConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Changes while sessions run, which end none of them but where that is asked for: stream.md section 11. */
@ExtendWith(Leaks.class)
class StreamChangeTest {

    private static void assertAlive(Client client) throws Exception {
        client.send("ping");
        assertThat(new String(client.in().readNBytes(4))).isEqualTo("ping");
    }

    @Test
    void sessionsKeepToTheirServerAndNewOnesFollow() throws Exception {
        try (Backend old = echo();
                Backend next = greeting("next");
                Streams streams = Streams.start(to("app"), servers("app", old.address()));
                Client client = streams.connect()) {
            assertAlive(client);
            streams.apply(to("app").timeout("1s").deny("10.0.0.0/8"), servers("app", next.address()));
            try (Client other = streams.connect()) {
                assertThat(new String(other.in().readNBytes(4))).isEqualTo("next");
            }
            assertAlive(client);
            streams.apply(to("other"), servers("other", next.address()));
            assertAlive(client);
        }
    }

    @Test
    void sessionsOutliveTheirListener() throws Exception {
        try (Backend backend = echo();
                Streams streams = Streams.start(to("app"), servers("app", backend.address()));
                Client client = streams.connect()) {
            assertAlive(client);
            streams.apply(List.of(), servers("app", backend.address()));
            assertThatThrownBy(streams::connect).isInstanceOf(java.net.ConnectException.class);
            assertAlive(client);
            assertThat(streams.counts().open()).isEqualTo(1);
            client.close();
            await().until(() -> streams.proxy().dataPlane().streams().snapshot().isEmpty());
        }
    }

    @Test
    void aListenerGoesFromHttpToTcpAndBackWithoutRefusingAnybody() throws Exception {
        try (Backend backend = echo();
                Streams streams = Streams.start(to("app"), servers("app", backend.address()));
                Client session = streams.connect()) {
            assertAlive(session);
            AtomicBoolean done = new AtomicBoolean();
            List<Exception> refused = new ArrayList<>();
            Thread clients = new Thread(() -> {
                while (!done.get()) {
                    try (Client client = streams.connect()) {
                        client.send("GET / HTTP/1.0\r\n\r\n");
                        client.in().read();
                    } catch (Exception e) {
                        refused.add(e);
                    }
                }
            });
            clients.start();
            for (int i = 0; i < 5; i++) {
                streams.apply(
                        List.of(new HttpListenerConfig("tcp", "127.0.0.1", streams.port(), List.of())),
                        servers("app", backend.address()));
                assertThat(Client.get(streams.port(), "/").status()).isEqualTo(404);
                streams.apply(to("app"), servers("app", backend.address()));
                try (Client client = streams.connect()) {
                    assertAlive(client);
                }
            }
            done.set(true);
            clients.join();
            assertThat(refused).isEmpty();
            assertAlive(session);
        }
    }

    // ---- session_drop ----

    private static UpstreamConfig two(AdminState first, Backend one, Backend other) {
        return servers("app", s -> s.id() == 1 ? s.withState(first) : s, one.address(), other.address());
    }

    @Test
    void sessionsEndWithTheirServerWhereThatIsWanted() throws Exception {
        try (Backend one = echo();
                Backend other = echo();
                Streams streams = Streams.start(to("app").dropping(), two(AdminState.UP, one, other));
                Client first = streams.connect();
                Client second = streams.connect()) {
            assertAlive(first);
            assertAlive(second);
            streams.apply(to("app").dropping(), two(AdminState.DOWN, one, other));
            // round robin: one of each, in the order in which they were accepted by their loops
            boolean firstIsDropped = one.open() == 0 || dropped(first);
            Client kept = firstIsDropped ? second : first;
            assertThat((firstIsDropped ? first : second).isClosed()).isTrue();
            assertAlive(kept);
            assertThat(streams.session()).startsWith("200 4 4 \"" + one.address() + "\"");
            // the other one, by its removal
            streams.apply(
                    to("app").dropping(),
                    UpstreamConfig.ofStream(
                            "app", io.weir.config.MethodSpec.ROUND_ROBIN, List.of(ServerConfig.of(1, one.address()))));
            assertThat(kept.isClosed()).isTrue();
            assertThat(streams.sessions(2).get(1)).startsWith("200 8 8 \"" + other.address() + "\"");
        }
    }

    private static boolean dropped(Client client) throws Exception {
        client.socket().setSoTimeout(500);
        try {
            return client.isClosed();
        } catch (java.net.SocketTimeoutException e) {
            return false;
        } finally {
            client.socket().setSoTimeout(60_000);
        }
    }

    @Test
    void sessionsEndWithTheirGroupWhereThatIsWanted() throws Exception {
        try (Backend backend = echo();
                Streams streams = Streams.start(to("app").dropping(), servers("app", backend.address()));
                Client client = streams.connect()) {
            assertAlive(client);
            streams.apply(to("other").dropping(), servers("other", backend.address()));
            assertThat(client.isClosed()).isTrue();
        }
    }

    @Test
    void sessionsOfAServerCanBeEnded() throws Exception {
        try (Backend one = echo();
                Streams streams = Streams.start(to("app"), servers("app", one.address()));
                Client client = streams.connect()) {
            assertAlive(client);
            streams.proxy().dataPlane().dropSessions("app", 2);
            streams.proxy().dataPlane().dropSessions("other", 1);
            assertAlive(client);
            streams.proxy().dataPlane().dropSessions("app", 1);
            assertThat(client.isClosed()).isTrue();
            assertThat(streams.session()).startsWith("200 8 8 ");
        }
    }

    // ---- stop ----

    @Test
    void aStopWaitsAndThenEndsSessions() throws Exception {
        try (Backend backend = echo();
                Streams streams = Streams.start(to("app"), servers("app", backend.address()));
                Client client = streams.connect()) {
            assertAlive(client);
            Thread stop = new Thread(() -> streams.proxy().dataPlane().stop(Duration.ofSeconds(3)));
            stop.start();
            await().until(() -> streams.proxy().dataPlane().addresses().isEmpty());
            assertAlive(client);
            assertThat(client.isClosed()).isTrue();
            assertThat(streams.session()).startsWith("200 8 8 ");
            stop.join();
        }
    }

    @Test
    void aStopEndsAsSoonAsTheLastSession() throws Exception {
        try (Backend backend = echo();
                Streams streams = Streams.start(to("app"), servers("app", backend.address()))) {
            Client client = streams.connect();
            assertAlive(client);
            Thread stop = new Thread(() -> streams.proxy().dataPlane().stop(Duration.ofHours(1)));
            stop.start();
            await().until(() -> streams.proxy().dataPlane().addresses().isEmpty());
            client.close();
            stop.join(60_000);
            assertThat(stop.isAlive()).isFalse();
        }
    }
}
