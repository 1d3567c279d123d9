package io.weir.proxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.config.ListenerConfig;
import io.weir.config.MethodSpec;
import io.weir.config.ProxyConfig;
import io.weir.config.ServerConfig;
import io.weir.config.UpstreamConfig;
import io.weir.proxy.stream.StreamCounts;
import io.weir.zone.Ticker;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;

/** A data plane for a test with one TCP listener {@code tcp}, which logs its sessions. */
final class Streams implements AutoCloseable {

    /** A line of the log: status, from and to the client, then of the attempts who, to and from them, and whether connected. */
    private static final String FORMAT =
            "$status $bytes_received $bytes_sent \"$upstream_addr\" \"$upstream_bytes_sent\""
                    + " \"$upstream_bytes_received\" \"$upstream_connect_time\"";

    private final Path log;
    private final Proxy proxy;
    private String format = FORMAT;

    private Streams(int threads, Ticker ticker) {
        try {
            log = Files.createTempFile("weir-sessions", ".log");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        proxy = Proxy.start(threads, ticker, List.of());
    }

    static Streams start(StreamSpec listener, UpstreamConfig... groups) {
        return start(2, Ticker.system(), listener, groups);
    }

    static Streams start(int threads, Ticker ticker, StreamSpec listener, UpstreamConfig... groups) {
        Streams streams = new Streams(threads, ticker);
        streams.apply(listener, groups);
        return streams;
    }

    static Streams startLogging(String format, StreamSpec listener, UpstreamConfig... groups) {
        Streams streams = new Streams(1, Ticker.system());
        streams.format = format;
        streams.apply(listener, groups);
        return streams;
    }

    /** A group with one server for each address, with nginx's defaults. */
    static UpstreamConfig servers(String name, String... addresses) {
        return servers(name, s -> s, addresses);
    }

    static UpstreamConfig servers(String name, UnaryOperator<ServerConfig> change, String... addresses) {
        List<ServerConfig> servers = new ArrayList<>();
        for (String address : addresses) {
            servers.add(change.apply(ServerConfig.of(servers.size() + 1, address)));
        }
        return UpstreamConfig.ofStream(name, MethodSpec.ROUND_ROBIN, servers);
    }

    /** Sends back what comes, until that ends. */
    static Backend echo() {
        return Backend.with(connection -> {
            byte[] buffer = new byte[64 * 1024];
            for (int n = connection.in().read(buffer);
                    n >= 0;
                    n = connection.in().read(buffer)) {
                connection.write(Arrays.copyOf(buffer, n));
            }
        });
    }

    /** Says this to whoever connects, and closes once the other side has. */
    static Backend greeting(String text) {
        return Backend.with(connection -> {
            connection.write(text);
            connection.in().readAllBytes();
        });
    }

    void apply(StreamSpec listener, UpstreamConfig... groups) {
        apply(List.of(logged(listener).config("tcp", proxy.port())), groups);
    }

    void apply(List<ListenerConfig> listeners, UpstreamConfig... groups) {
        proxy.apply(new ProxyConfig(proxy.active().current().revision() + 1, List.of(groups), listeners));
    }

    StreamSpec logged(StreamSpec listener) {
        return listener.log(log, format);
    }

    Proxy proxy() {
        return proxy;
    }

    int port() {
        return proxy.port();
    }

    Client connect() throws IOException {
        return Client.to(port());
    }

    /** What {@code tcp} has counted. */
    StreamCounts.Snapshot counts() {
        return proxy.dataPlane().streams().snapshot().stream()
                .filter(counts -> counts.listener().equals("tcp"))
                .findFirst()
                .orElseThrow();
    }

    /** The lines of sessions once there are so many; times of connecting are {@code 0.000}. */
    List<String> sessions(int count) {
        await().untilAsserted(() -> assertThat(read()).hasSizeGreaterThanOrEqualTo(count));
        List<String> lines = read();
        assertThat(lines).hasSize(count);
        return lines.stream()
                .map(line -> line.replaceAll("\\b\\d+\\.\\d{3}\\b", "0.000"))
                .toList();
    }

    /** The one session that there was. */
    String session() {
        return sessions(1).get(0);
    }

    private List<String> read() {
        try {
            String text = Files.readString(log, ISO_8859_1);
            return text.substring(0, text.lastIndexOf('\n') + 1).lines().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        try {
            proxy.close();
        } finally {
            Files.deleteIfExists(log);
        }
    }
}
