package io.weir.proxy;

import static io.weir.proxy.RouteSpec.to;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.config.AdminState;
import io.weir.config.HttpListenerConfig;
import io.weir.config.KeepaliveConfig;
import io.weir.config.ListenerConfig;
import io.weir.config.MethodSpec;
import io.weir.config.ProxyConfig;
import io.weir.config.RouteConfig;
import io.weir.config.RouteTarget;
import io.weir.config.ServerConfig;
import io.weir.config.UpstreamConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Changes of all kinds under a steady load: no request fails, none goes where it does not belong, none is lost. */
@ExtendWith(Leaks.class)
class LiveChangeTest {

    private static final int CLIENTS = 64;
    private static final int CHANGES = 150;

    /** What clients ask for: /a goes to group a, and /b to group b, by whatever route. */
    private static final List<String> GROUPS = List.of("a", "b");

    private final Random random = new Random(11);
    private final Queue<String> wrong = new ConcurrentLinkedQueue<>();
    private final LongAdder answered = new LongAdder();
    private final AtomicBoolean stop = new AtomicBoolean();

    /** Says the name of its group and the target, with a body of any size. */
    private static Backend backend(String group) {
        return Backend.with(connection -> {
            for (String head = connection.readRequest(); head != null; head = connection.readRequest()) {
                String target = head.substring(head.indexOf(' ') + 1, head.indexOf(" HTTP"));
                String body = group + " " + target + " " + connection.body().length;
                if (target.endsWith("0")) {
                    String chunk = Integer.toHexString(body.length()) + "\r\n" + body + "\r\n0\r\n\r\n";
                    connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk);
                } else {
                    connection.write("HTTP/1.1 200 OK\r\nContent-Length: " + body.length() + "\r\n\r\n" + body);
                }
            }
        });
    }

    private void client(int port, int number) {
        Random own = new Random(number);
        for (int i = 0; !stop.get(); ) {
            try (Client client = Client.to(port)) {
                int requests = 1 + own.nextInt(200);
                for (int r = 0; r < requests && !stop.get(); r++, i++) {
                    String group = GROUPS.get(own.nextInt(2));
                    String target = "/" + group + "/" + number + "/" + i;
                    int body = own.nextInt(4) == 0 ? own.nextInt(3_000) : 0;
                    Client.Response response = client.request((body > 0 ? "PUT " : "GET ") + target
                            + " HTTP/1.1\r\nHost: x\r\n" + (body > 0 ? "Content-Length: " + body + "\r\n" : "")
                            + "\r\n" + "x".repeat(body));
                    String expected = group + " " + target + " " + body;
                    if (response.status() != 200 || !response.body().equals(expected)) {
                        wrong.add(expected + " <> " + response.head() + response.body());
                    }
                    answered.increment();
                }
            } catch (Exception e) {
                wrong.add("client " + number + ": " + e);
            }
        }
    }

    private ServerConfig anyChange(ServerConfig server) {
        return switch (random.nextInt(4)) {
            case 0 -> server.withWeight(1 + random.nextInt(10));
            case 1 -> server.withState(AdminState.DOWN);
            case 2 -> server.withState(AdminState.DRAIN);
            default -> server.withState(AdminState.UP);
        };
    }

    /** The first server is always there and up. */
    private UpstreamConfig group(String name, List<Backend> backends) {
        List<ServerConfig> servers = new ArrayList<>();
        servers.add(ServerConfig.of(0, backends.get(0).address()).withWeight(1 + random.nextInt(5)));
        for (int id = 1; id < backends.size(); id++) {
            if (random.nextInt(3) > 0) {
                UnaryOperator<ServerConfig> change = random.nextBoolean() ? this::anyChange : s -> s;
                servers.add(change.apply(ServerConfig.of(id, backends.get(id).address())));
            }
        }
        KeepaliveConfig keepalive = random.nextInt(5) == 0 ? KeepaliveConfig.NONE : KeepaliveConfig.DEFAULT;
        MethodSpec method =
                random.nextBoolean() ? MethodSpec.ROUND_ROBIN : new MethodSpec("least_conn", java.util.Map.of());
        return new UpstreamConfig(name, method, keepalive, servers);
    }

    /** The same routing in ever other words. */
    private RouteConfig route(String group) {
        RouteSpec spec = random.nextBoolean()
                ? to(group)
                : RouteSpec.named(
                        "via-" + group,
                        new RouteTarget.Address(io.weir.config.Template.parse("http://" + group + "$arg_none")));
        spec = RouteSpec.named(group + random.nextInt(3), spec.route().target());
        switch (random.nextInt(3)) {
            case 0 -> spec.prefix("/" + group);
            case 1 -> spec.prefix("/" + group + "/");
            default -> spec.regex("^/" + group + "/");
        }
        return spec.setResponse("X-Change", "" + random.nextInt()).route();
    }

    @Test
    void noRequestFailsOrGoesAstray() throws Exception {
        List<List<Backend>> backends = new ArrayList<>();
        for (String name : GROUPS) {
            List<Backend> its = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                its.add(backend(name));
            }
            backends.add(its);
        }
        List<Thread> clients = new ArrayList<>();
        try (Proxy proxy = Proxy.start(
                List.of(group("a", backends.get(0)), group("b", backends.get(1))), route("a"), route("b"))) {
            for (int i = 0; i < CLIENTS; i++) {
                int number = i;
                Thread thread = new Thread(() -> client(proxy.port(), number));
                clients.add(thread);
                thread.start();
            }
            int other = Proxy.freePort();
            for (int i = 0; i < CHANGES && wrong.isEmpty(); i++) {
                List<RouteConfig> routes = List.of(route("a"), route("b"));
                List<ListenerConfig> listeners = new ArrayList<>();
                listeners.add(new HttpListenerConfig("web" + random.nextInt(2), "127.0.0.1", proxy.port(), routes));
                if (random.nextBoolean()) {
                    listeners.add(new HttpListenerConfig("other", "127.0.0.1", other, routes));
                }
                proxy.apply(new ProxyConfig(
                        i + 2, List.of(group("a", backends.get(0)), group("b", backends.get(1))), listeners));
                // requests have to come between the changes, some after each
                long seen = answered.sum();
                await().until(() -> answered.sum() > seen + 20 || !wrong.isEmpty());
            }
            stop.set(true);
            for (Thread client : clients) {
                client.join();
            }
            assertThat(wrong).isEmpty();
            proxy.assertAtRest();
            await().until(() -> proxy.group("a").snapshot().zombies() == 0
                    && proxy.group("b").snapshot().zombies() == 0);
            assertThat(proxy.peers("a"))
                    .allSatisfy(peer -> assertThat(peer.fails()).isZero());
        } finally {
            stop.set(true);
            backends.forEach(its -> its.forEach(Backend::close));
        }
    }
}
