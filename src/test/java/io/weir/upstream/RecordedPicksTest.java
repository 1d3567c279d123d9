package io.weir.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.config.AdminState;
import io.weir.config.MethodSpec;
import io.weir.config.NextUpstream;
import io.weir.config.RequestValues;
import io.weir.config.ServerConfig;
import io.weir.config.Template;
import io.weir.zone.FailureReason;
import io.weir.zone.Peer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.StringJoiner;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The attempts that nginx made for hundreds of keys and clients; see {@code recorded/README.md}. */
class RecordedPicksTest {

    private static final int FIRST_PORT = 29101;

    /** What nginx was asked after a start, in order. */
    record Recording(String method, String weights, String second, List<Line> lines) {
        @Override
        public String toString() {
            return method + " " + weights + " second " + second;
        }
    }

    record Line(String subject, String attempts) {}

    /** A request with its subject both as argument {@code k} and as the client's address, if it is one. */
    private record Request(String subject) implements RequestValues {

        @Override
        public String value(Template template) {
            return template.text().equals("$arg_k") ? subject : "";
        }

        @Override
        public @Nullable InetAddress clientAddress() {
            try {
                return InetAddress.getByName(subject);
            } catch (UnknownHostException e) {
                throw new AssertionError(e);
            }
        }
    }

    static Stream<Recording> recordings() {
        Map<String, Recording> recordings = new LinkedHashMap<>();
        try (BufferedReader in = new BufferedReader(new InputStreamReader(
                Objects.requireNonNull(RecordedPicksTest.class.getResourceAsStream("/recorded/picks.csv")),
                StandardCharsets.UTF_8))) {
            assertThat(in.readLine()).startsWith("# nginx version");
            in.readLine();
            in.lines()
                    .map(line -> line.split(","))
                    .forEach(f -> recordings
                            .computeIfAbsent(
                                    f[0] + f[1] + f[2], key -> new Recording(f[0], f[1], f[2], new ArrayList<>()))
                            .lines()
                            .add(new Line(f[3], f[4])));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return recordings.values().stream();
    }

    @ParameterizedTest
    @MethodSource("recordings")
    void sameAttemptsAsNginx(Recording recording) {
        Requests group = new Requests();
        group.method(method(recording.method));
        group.configure(servers(recording));
        boolean refuses = recording.second.equals("refused") || recording.second.equals("failed");
        List<PeerConnection> held = new ArrayList<>();
        if (recording.second.equals("full")) {
            held.add(holdSecond(group, recording));
        }
        if (recording.second.equals("failed")) {
            recording.lines.forEach(line -> attempts(group, line.subject, refuses));
        }
        for (Line line : recording.lines) {
            assertThat(attempts(group, line.subject, refuses)).as(line.subject).isEqualTo(line.attempts);
        }
        held.forEach(connection -> connection.free(Outcome.OK, null));
        group.assertAtRest();
    }

    private static MethodSpec method(String name) {
        return switch (name) {
            case "ip_hash" -> new MethodSpec("ip_hash", Map.of());
            case "hash" -> new MethodSpec("hash", Map.of("key", "$arg_k"));
            default -> new MethodSpec("hash", Map.of("key", "$arg_k", "consistent", true));
        };
    }

    private static List<ServerConfig> servers(Recording recording) {
        List<ServerConfig> servers = new ArrayList<>();
        for (String weight : recording.weights.split(":")) {
            int id = servers.size();
            servers.add(ServerConfig.of(id, "127.0.0.1:" + (FIRST_PORT + id))
                    .withWeight(Integer.parseInt(weight))
                    .withFails(0, "10s"));
        }
        ServerConfig second = servers.get(1);
        servers.set(
                1,
                switch (recording.second) {
                    case "down" -> second.withState(AdminState.DOWN);
                    case "failed" -> second.withFails(1, "1h");
                    case "full" -> second.withFails(1, "10s").withMaxConns(1);
                    default -> second;
                });
        return servers;
    }

    /** As the recording does: whoever comes to the second server first stays there. */
    private static PeerConnection holdSecond(Requests group, Recording recording) {
        for (Line line : recording.lines) {
            PeerConnection connection = group.open(new Request(line.subject));
            if (Objects.requireNonNull(connection.get()).id() == 1) {
                return connection;
            }
            connection.free(Outcome.OK, null);
        }
        throw new AssertionError("nobody goes to the second server");
    }

    private static String attempts(Requests group, String subject, boolean secondRefuses) {
        PeerConnection connection = group.open(new Request(subject));
        StringJoiner ports = new StringJoiner(" ");
        for (Peer peer = connection.get(); peer != null; peer = connection.get()) {
            ports.add(Integer.toString(FIRST_PORT + peer.id()));
            if (peer.id() != 1 || !secondRefuses) {
                connection.free(Outcome.OK, null);
                break;
            }
            connection.free(Outcome.FAILED, FailureReason.CONNECT);
            assertThat(connection.mayRetry(NextUpstream.ERROR, false, true, true))
                    .isTrue();
        }
        return ports.toString();
    }
}
