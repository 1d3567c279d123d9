package io.weir.balance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.weir.config.Checks;
import io.weir.config.GroupProtocol;
import io.weir.config.InvalidConfigException;
import io.weir.config.MethodSpec;
import io.weir.config.ServerConfig;
import io.weir.config.Violation;
import io.weir.zone.Servers;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BalancingMethodsTest {

    private static BalancingMethod create(MethodSpec spec) {
        return BalancingMethods.create(spec, GroupProtocol.HTTP, new SplittableRandom(1));
    }

    private static List<Violation> refused(MethodSpec spec) {
        return refused(spec, GroupProtocol.HTTP);
    }

    private static List<Violation> refused(MethodSpec spec, GroupProtocol protocol) {
        return catchThrowableOfType(
                        InvalidConfigException.class,
                        () -> BalancingMethods.create(spec, protocol, new SplittableRandom(1)))
                .violations();
    }

    private static BalancingMethod createForStreams(String method, Map<String, Object> arguments) {
        return BalancingMethods.create(
                new MethodSpec(method, arguments), GroupProtocol.STREAM, new SplittableRandom(1));
    }

    private static MethodSpec spec(String method) {
        return new MethodSpec(
                method,
                switch (method) {
                    case "hash" -> Map.of("key", "$arg_user");
                    case "least_time" -> Map.of("by", "header");
                    default -> Map.of();
                });
    }

    @Test
    void makesEveryMethodItNames() {
        assertThat(BalancingMethods.names())
                .contains("round_robin", "least_conn", "least_time", "ip_hash", "hash", "random");
        for (String name : BalancingMethods.names()) {
            assertThat(create(spec(name))).isNotNull();
        }
    }

    @Test
    void unknownMethodIsRefused() {
        assertThat(refused(new MethodSpec("fastest", Map.of())))
                .extracting(Violation::field)
                .containsExactly("method");
    }

    @Test
    void unknownArgumentsAreRefusedByName() {
        assertThat(refused(new MethodSpec("least_conn", Map.of("key", "$arg_user", "by", 1))))
                .extracting(Violation::field)
                .containsExactly("by", "key");
    }

    @Test
    void wrongArgumentsAreAllNamed() {
        assertThat(refused(new MethodSpec("hash", Map.of("consistent", "yes", "salt", 1))))
                .extracting(Violation::field)
                .containsExactly("key", "consistent", "salt");
        assertThat(refused(new MethodSpec("hash", Map.of("key", "$no_such"))))
                .containsExactly(new Violation("key", "unknown variable $no_such"));
        assertThat(refused(new MethodSpec("hash", Map.of("key", ""))))
                .extracting(Violation::field)
                .containsExactly("key");
    }

    @Test
    void choiceBetweenTwoNeedsTwo() {
        assertThat(refused(new MethodSpec("random", Map.of("by", "least_conn"))))
                .extracting(Violation::field)
                .containsExactly("by");
        assertThat(refused(new MethodSpec("random", Map.of("two", true, "by", "fastest"))))
                .extracting(Violation::field)
                .containsExactly("by");
        assertThat(create(new MethodSpec("random", Map.of("two", true, "by", "least_conn"))))
                .isNotNull();
    }

    @Test
    void leastTimeMustSayByWhat() {
        assertThat(refused(new MethodSpec("least_time", Map.of("inflight", 1))))
                .extracting(Violation::field)
                .containsExactly("by", "inflight");
        assertThat(refused(new MethodSpec("least_time", Map.of("by", "luck"))))
                .extracting(Violation::field)
                .containsExactly("by");
        assertThat(create(new MethodSpec("random", Map.of("two", true, "by", "least_time=last_byte"))))
                .isNotNull();
    }

    @Test
    void streamsHaveAllButIpHash() {
        assertThat(refused(new MethodSpec("ip_hash", Map.of()), GroupProtocol.STREAM))
                .containsExactly(new Violation(
                        "method",
                        "must be one of hash, least_conn, least_time, random, round_robin: ip_hash goes with protocol"
                                + " http only"));
        assertThat(createForStreams("round_robin", Map.of())).isNotNull();
        assertThat(createForStreams("least_conn", Map.of())).isNotNull();
        assertThat(createForStreams("random", Map.of("two", true))).isNotNull();
    }

    @Test
    void keysOfStreamsHaveVariablesOfSessions() {
        assertThat(createForStreams("hash", Map.of("key", "$ssl_preread_server_name$remote_addr")))
                .isNotNull();
        assertThat(refused(new MethodSpec("hash", Map.of("key", "$request_uri")), GroupProtocol.STREAM))
                .containsExactly(new Violation("key", "unknown variable $request_uri"));
    }

    @Test
    void eachProtocolHasItsTimes() {
        for (String by : List.of("connect", "first_byte", "last_byte")) {
            assertThat(createForStreams("least_time", Map.of("by", by, "inflight", true)))
                    .isNotNull();
            assertThat(createForStreams("random", Map.of("two", true, "by", "least_time=" + by)))
                    .isNotNull();
        }
        assertThat(refused(new MethodSpec("least_time", Map.of("by", "header")), GroupProtocol.STREAM))
                .containsExactly(new Violation("by", "must be one of connect, first_byte, last_byte"));
        assertThat(refused(
                        new MethodSpec("random", Map.of("two", true, "by", "least_time=header")), GroupProtocol.STREAM))
                .containsExactly(new Violation(
                        "by",
                        "must be one of least_conn, least_time=connect, least_time=first_byte, least_time=last_byte"));
        assertThat(refused(new MethodSpec("least_time", Map.of("by", "connect"))))
                .containsExactly(new Violation("by", "must be one of header, last_byte"));
    }

    private static List<Violation> checked(MethodSpec spec, ServerConfig... servers) {
        Checks checks = new Checks();
        create(spec).check(List.of(servers), checks);
        return checks.hasViolations()
                ? catchThrowableOfType(InvalidConfigException.class, checks::done)
                        .violations()
                : List.of();
    }

    @ParameterizedTest
    @ValueSource(strings = {"hash", "ip_hash", "random"})
    void backupAndSlowStartAreRefused(String method) {
        ServerConfig a = Servers.server('a');
        ServerConfig b = Servers.server('b').withBackup(true);
        ServerConfig c = Servers.slowStart(Servers.server('c'), "10s");
        assertThat(checked(spec(method), a, b, c))
                .extracting(Violation::field)
                .containsExactly("servers[1].backup", "servers[2].slowStart");
    }

    @ParameterizedTest
    @ValueSource(strings = {"round_robin", "least_conn", "least_time"})
    void backupAndSlowStartAreWelcome(String method) {
        assertThat(checked(
                        spec(method),
                        Servers.server('a').withBackup(true),
                        Servers.slowStart(Servers.server('c'), "10s")))
                .isEmpty();
    }

    @Test
    void ringThatWouldFillTheMemoryIsRefused() {
        MethodSpec ring = new MethodSpec("hash", Map.of("key", "$uri", "consistent", true));
        assertThat(checked(ring, Servers.server('a', 31_999), Servers.server('b', 1)))
                .isEmpty();
        assertThat(checked(ring, Servers.server('a', 31_999), Servers.server('b', 2)))
                .extracting(Violation::field)
                .containsExactly("servers[*].weight");
    }
}
