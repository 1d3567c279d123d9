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
import io.weir.config.UpstreamConfig;
import io.weir.zone.Ticker;
import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
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
            assertThatThrownBy(streams::connect).isInstanceOf(ConnectException.class);
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
            List<Exception> refused = new CopyOnWriteArrayList<>();
            Thread clients = new Thread(() -> {
                while (!done.get()) {
                    try (Client client = streams.connect()) {
                        client.send("GET / HTTP/1.0\r\n\r\n");
                        client.in().read();
                    } catch (ConnectException e) {
                        refused.add(e);
                    } catch (IOException e) {
                        // taken by the listener that goes, which does not wait for a request for long
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
                Streams streams =
                        Streams.start(1, Ticker.system(), to("app").dropping(), two(AdminState.UP, one, other));
                Client first = streams.connect()) {
            assertAlive(first);
            try (Client second = streams.connect()) {
                assertAlive(second);
                streams.apply(to("app").dropping(), two(AdminState.DOWN, one, other));
                assertThat(first.isClosed()).isTrue();
                assertAlive(second);
                assertThat(streams.session()).startsWith("200 4 4 \"" + one.address() + "\"");
                // the other one, by its removal
                streams.apply(to("app").dropping(), servers("app", one.address()));
                assertThat(second.isClosed()).isTrue();
                assertThat(streams.sessions(2).get(1)).startsWith("200 8 8 \"" + other.address() + "\"");
            }
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
            Thread stop = new Thread(() -> streams.proxy().dataPlane().stop(Duration.ofHours(1)));
            stop.start();
            await().until(() -> streams.proxy().dataPlane().addresses().isEmpty());
            assertAlive(client);
            // its time is up
            stop.interrupt();
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
