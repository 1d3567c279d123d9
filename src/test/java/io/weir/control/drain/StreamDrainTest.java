package io.weir.control.drain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.config.AccessLogConfig;
import io.weir.config.ActiveConfig;
import io.weir.config.AdminState;
import io.weir.config.DrainConfig;
import io.weir.config.ListenerProtocol;
import io.weir.config.MethodSpec;
import io.weir.config.ProxyConfig;
import io.weir.config.ServerConfig;
import io.weir.config.StreamClientSettings;
import io.weir.config.StreamListenerConfig;
import io.weir.config.StreamSettings;
import io.weir.config.TimeSpan;
import io.weir.config.UpstreamConfig;
import io.weir.proxy.Backend;
import io.weir.proxy.Client;
import io.weir.proxy.DataPlane;
import io.weir.proxy.Proxy;
import io.weir.proxy.http.HttpDecoders;
import io.weir.proxy.http.TempFiles;
import io.weir.upstream.Upstreams;
import io.weir.zone.Ticker;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Drains of a server of TCP, with sessions on real sockets and a clock that the test moves. */
class StreamDrainTest {

    private static final Duration LIMIT = Duration.ofSeconds(60);

    @TempDir
    private Path directory;

    private final MovableClock clock = new MovableClock();
    private final Upstreams upstreams = new Upstreams(Ticker.system(), host -> List.of(InetAddress.getAllByName(host)));
    private final Drains drains = new Drains(upstreams, clock);
    private final int port = Proxy.freePort();
    private final Backend first = greeting("first");
    private final Backend second = greeting("other");
    private final ServerConfig server = ServerConfig.of(1, first.address());
    private DataPlane dataPlane;
    private ActiveConfig active;

    /** Says its name, and holds the session until the client ends it. */
    private static Backend greeting(String name) {
        return Backend.with(connection -> {
            connection.write(name);
            connection.in().read();
        });
    }

    @BeforeEach
    void start() throws IOException {
        dataPlane = new DataPlane(
                1, Ticker.system(), upstreams, HttpDecoders.STRICT, new TempFiles(directory), "no routes yet\n");
        active = new ActiveConfig(List.of(upstreams, dataPlane, drains));
        configure(server);
    }

    @AfterEach
    void close() {
        dataPlane.close();
        first.close();
        second.close();
    }

    private void configure(ServerConfig changed) {
        UpstreamConfig app = UpstreamConfig.ofStream(
                "app", MethodSpec.ROUND_ROBIN, List.of(changed, ServerConfig.of(2, second.address())));
        StreamListenerConfig listener = new StreamListenerConfig(
                "echo",
                ListenerProtocol.TCP,
                "127.0.0.1",
                port,
                false,
                null,
                AccessLogConfig.STREAM_DEFAULT,
                StreamClientSettings.DEFAULT,
                false,
                List.of(),
                "app",
                StreamSettings.DEFAULT);
        active.prepare(new ProxyConfig(active.current().revision() + 1, List.of(app), List.of(listener)))
                .commit();
    }

    /** With five minutes. */
    private void drain() {
        configure(server.withDrain(
                AdminState.DRAIN,
                new DrainConfig(DrainConfig.Then.KEEP, TimeSpan.parse("5m"), clock.instant(), AdminState.UP, null)));
    }

    private Client session(String name) throws IOException {
        Client client = Client.to(port);
        byte[] said = client.in().readNBytes(name.length());
        assertThat(new String(said, StandardCharsets.US_ASCII)).isEqualTo(name);
        return client;
    }

    private int sessions() {
        return Objects.requireNonNull(upstreams.group("app")).load(1).conns();
    }

    @Test
    void aServerIsDrainedWhenItsLastSessionHasEnded() throws Exception {
        Client session = session("first");
        drain();
        session("other").close();
        session("other").close();
        assertThat(drains.look()).isEqualTo(new Drains.Findings(List.of(), List.of()));
        session.close();
        await().atMost(LIMIT).until(() -> sessions() == 0);
        assertThat(drains.look().due()).extracting(Drains.Due::result).containsExactly(DrainConfig.Result.DRAINED);
    }

    @Test
    void sessionsThatAreLeftAtTheDeadlineAreCutAndNoOthers() throws Exception {
        try (Client session = session("first");
                Client other = session("other")) {
            drain();
            clock.skip("5M");
            Drains.Findings findings = drains.look();
            assertThat(findings.cut()).containsExactly(new ServerKey("app", 1));
            findings.cut().forEach(key -> dataPlane.dropSessions(key.upstream(), key.id()));
            assertThat(session.isClosed()).isTrue();
            await().atMost(LIMIT).until(() -> sessions() == 0 && first.open() == 0);
            assertThat(second.open()).isEqualTo(1);
            assertThat(Objects.requireNonNull(upstreams.group("app")).load(2).conns())
                    .isEqualTo(1);
            other.close();
            await().atMost(LIMIT).until(() -> second.open() == 0);
        }
    }
}
