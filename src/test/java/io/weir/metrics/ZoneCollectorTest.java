package io.weir.metrics;

import static io.weir.zone.Servers.down;
import static io.weir.zone.Servers.server;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.weir.config.ActiveConfig;
import io.weir.config.AdminState;
import io.weir.config.KeepaliveConfig;
import io.weir.config.MethodSpec;
import io.weir.config.NextUpstream;
import io.weir.config.ProxyConfig;
import io.weir.config.ProxySettings;
import io.weir.config.ServerConfig;
import io.weir.config.StreamSettings;
import io.weir.config.UpstreamConfig;
import io.weir.upstream.KeepaliveCache;
import io.weir.upstream.Outcome;
import io.weir.upstream.PeerConnection;
import io.weir.upstream.UpstreamGroup;
import io.weir.upstream.Upstreams;
import io.weir.zone.FailureReason;
import io.weir.zone.FakeTicker;
import io.weir.zone.Peer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ZoneCollectorTest {

    private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");
    private static final String A = "{group=\"g\",peer=\"127.0.0.1:9000\"";
    private static final String B = "{group=\"g\",peer=\"127.0.0.1:9001\"";

    private final FakeTicker ticker = new FakeTicker();
    private final Upstreams upstreams = new Upstreams(ticker, host -> {
        throw new UnknownHostException(host);
    });
    private final ActiveConfig active = new ActiveConfig(List.of(upstreams));
    private final PrometheusRegistry registry = new PrometheusRegistry();
    private Instant now = NOW;

    ZoneCollectorTest() {
        Clock clock = new Clock() {
            @Override
            public ZoneOffset getZone() {
                return ZoneOffset.UTC;
            }

            @Override
            public Clock withZone(ZoneId zone) {
                return this;
            }

            @Override
            public Instant instant() {
                return now;
            }
        };
        registry.register(new ZoneCollector(upstreams, active, clock, new BuildInfo("1.2.3", "abc")));
    }

    private void configure(UpstreamConfig... groups) {
        active.prepare(new ProxyConfig(active.current().revision() + 1, List.of(groups), List.of()))
                .commit();
    }

    private static UpstreamConfig group(String name, ServerConfig... servers) {
        return new UpstreamConfig(name, MethodSpec.ROUND_ROBIN, KeepaliveConfig.DEFAULT, List.of(servers));
    }

    private UpstreamGroup group() {
        return Objects.requireNonNull(upstreams.group("g"));
    }

    private Page page() {
        return Page.scrape(registry);
    }

    private void advance(int seconds) {
        ticker.advanceSeconds(seconds);
        now = now.plusSeconds(seconds);
    }

    private void respond(PeerConnection connection, int status) {
        connection.connected();
        ticker.advanceSeconds(0.02);
        connection.headerReceived(status);
        ticker.advanceSeconds(0.02);
        connection.addBytes(100, 5_000);
        connection.free(Outcome.OK, null);
    }

    /** Two peers: one answers twice, the other fails. */
    private void traffic() {
        configure(group("g", server('a', 2), server('b').withMaxConns(9)));
        PeerConnection first = group().open(ProxySettings.DEFAULT);
        first.get();
        respond(first, 200);
        PeerConnection second = group().open(ProxySettings.DEFAULT);
        second.get();
        second.status(502);
        second.free(Outcome.FAILED, FailureReason.CONNECT);
        assertThat(second.mayRetry(NextUpstream.ERROR, false, true, true)).isTrue();
        second.get();
        respond(second, 404);
        group().countRequest(200, 40_000_000);
        group().countRequest(404, 50_000_000);
    }

    @Test
    void nothingButTheNodeWithoutGroups() {
        Page page = page();
        assertThat(page.series().keySet())
                .containsExactlyInAnyOrder(
                        "weir_build_info{revision=\"abc\",version=\"1.2.3\"}", "weir_config_revision");
        assertThat(page.value("weir_config_revision")).isZero();
    }

    @Test
    void countersOfAPeer() {
        traffic();
        Page page = page();
        assertThat(page.value("weir_peer_requests_total" + A + "}")).isEqualTo(2);
        assertThat(page.value("weir_peer_requests_total" + B + "}")).isEqualTo(1);
        assertThat(page.value("weir_peer_responses_total{code=\"2xx\",group=\"g\",peer=\"127.0.0.1:9000\"}"))
                .isEqualTo(1);
        assertThat(page.value("weir_peer_responses_total{code=\"4xx\",group=\"g\",peer=\"127.0.0.1:9000\"}"))
                .isEqualTo(1);
        assertThat(page.value("weir_peer_failures_total" + B + ",reason=\"connect\"}"))
                .isEqualTo(1);
        assertThat(page.value("weir_peer_unavailable_total" + B + "}")).isEqualTo(1);
        assertThat(page.value("weir_peer_sent_bytes_total" + A + "}")).isEqualTo(200);
        assertThat(page.value("weir_peer_received_bytes_total" + A + "}")).isEqualTo(10_000);
        assertThat(page.value("weir_peer_time_to_header_seconds_count" + A + "}"))
                .isEqualTo(2);
        assertThat(page.value("weir_peer_time_to_header_seconds_sum" + A + "}")).isEqualTo(0.04, within(1e-9));
        assertThat(page.value("weir_peer_response_duration_seconds_bucket" + A + ",le=\"0.025\"}"))
                .isZero();
        assertThat(page.value("weir_peer_response_duration_seconds_bucket" + A + ",le=\"0.05\"}"))
                .isEqualTo(2);
        assertThat(page.value("weir_peer_response_duration_seconds_bucket" + A + ",le=\"+Inf\"}"))
                .isEqualTo(2);
        assertThat(page.value("weir_peer_response_duration_seconds_count" + A + "}"))
                .isEqualTo(2);
        assertThat(page.value("weir_peer_response_duration_seconds_sum" + A + "}"))
                .isEqualTo(0.08, within(1e-9));
    }

    @Test
    void stateOfAPeer() {
        traffic();
        PeerConnection held = group().open(ProxySettings.DEFAULT);
        held.get();
        KeepaliveCache<String> cache = KeepaliveCache.create(group(), Runnable::run, c -> {});
        PeerConnection other = group().open(ProxySettings.DEFAULT);
        Peer peer = Objects.requireNonNull(other.get());
        other.free(Outcome.OK, null);
        cache.store("connection", peer, "route", 1, 0, 0);

        Page page = page();
        assertThat(page.value("weir_peer_state" + A + ",state=\"up\"}")).isEqualTo(1);
        assertThat(page.value("weir_peer_state" + A + ",state=\"unavail\"}")).isZero();
        assertThat(page.value("weir_peer_state" + B + ",state=\"unavail\"}")).isEqualTo(1);
        assertThat(page.value("weir_peer_eligible" + A + "}")).isEqualTo(1);
        assertThat(page.value("weir_peer_eligible" + B + "}")).isZero();
        assertThat(page.value("weir_peer_admin_state" + B + ",state=\"enabled\"}"))
                .isEqualTo(1);
        assertThat(page.value("weir_peer_weight" + A + "}")).isEqualTo(2);
        assertThat(page.value("weir_peer_weight_effective" + B + "}")).isZero();
        assertThat(page.value("weir_peer_info" + A + ",role=\"primary\",zone=\"g\"}"))
                .isEqualTo(1);
        assertThat(page.value("weir_peer_requests_active" + A + "}")).isEqualTo(1);
        assertThat(page.value("weir_peer_connections" + A + ",state=\"active\"}"))
                .isEqualTo(1);
        assertThat(page.value("weir_peer_connections" + A + ",state=\"idle\"}")).isEqualTo(1);
        assertThat(page.value("weir_peer_max_connections" + B + "}")).isEqualTo(9);
        assertThat(page.value("weir_group_keepalive_connections{group=\"g\"}")).isEqualTo(1);
        held.free(Outcome.OK, null);
    }

    @Test
    void exactlyOneStateIsOne() {
        configure(group(
                "g",
                server('a'),
                down(server('b')),
                server('c').withState(AdminState.DRAIN),
                server('d').withBackup(true)));
        Page page = page();
        for (String family : List.of("weir_peer_state{", "weir_peer_admin_state{")) {
            Map<String, Double> ones = page.series().entrySet().stream()
                    .filter(e -> e.getKey().startsWith(family))
                    .collect(Collectors.groupingBy(
                            e -> e.getKey().replaceFirst(",state=.*", ""),
                            Collectors.summingDouble(Map.Entry::getValue)));
            assertThat(ones)
                    .hasSize(4)
                    .allSatisfy((peer, sum) -> assertThat(sum).isEqualTo(1));
        }
        assertThat(page.value("weir_group_peers{group=\"g\",state=\"up\"}")).isEqualTo(2);
        assertThat(page.value("weir_group_peers{group=\"g\",state=\"down\"}")).isEqualTo(1);
        assertThat(page.value("weir_group_peers{group=\"g\",state=\"draining\"}"))
                .isEqualTo(1);
        assertThat(page.value("weir_group_peers{group=\"g\",state=\"unhealthy\"}"))
                .isZero();
        assertThat(page.value("weir_group_peers_eligible{group=\"g\",role=\"primary\"}"))
                .isEqualTo(1);
        assertThat(page.value("weir_group_peers_eligible{group=\"g\",role=\"backup\"}"))
                .isEqualTo(1);
    }

    @Test
    void countersOfAGroup() {
        traffic();
        Page page = page();
        assertThat(page.value("weir_group_requests_total{code=\"2xx\",group=\"g\"}"))
                .isEqualTo(1);
        assertThat(page.value("weir_group_requests_total{code=\"4xx\",group=\"g\"}"))
                .isEqualTo(1);
        assertThat(page.value("weir_group_requests_total{code=\"5xx\",group=\"g\"}"))
                .isZero();
        assertThat(page.value("weir_group_request_duration_seconds_count{group=\"g\"}"))
                .isEqualTo(2);
        assertThat(page.value("weir_group_request_duration_seconds_sum{group=\"g\"}"))
                .isEqualTo(0.09, within(1e-9));
        assertThat(page.value("weir_group_retries_total{group=\"g\",outcome=\"success\"}"))
                .isEqualTo(1);
        assertThat(page.value("weir_group_retries_total{group=\"g\",outcome=\"exhausted\"}"))
                .isZero();
        assertThat(page.value("weir_group_no_peer_total{group=\"g\"}")).isZero();
        assertThat(page.value("weir_group_zombies{group=\"g\"}")).isZero();
        assertThat(page.value("weir_group_revision{group=\"g\"}")).isEqualTo(1);
        assertThat(page.value("weir_config_revision")).isEqualTo(1);
        assertThat(page.value("weir_metrics_level{group=\"g\",level=\"full\"}")).isEqualTo(1);
        assertThat(page.value("weir_metrics_level{group=\"g\",level=\"compact\"}"))
                .isZero();
    }

    /** A session that gets through at the second peer. */
    private void sessions() {
        configure(UpstreamConfig.ofStream("g", MethodSpec.ROUND_ROBIN, List.of(server('a'), server('b'))));
        PeerConnection session = group().open(StreamSettings.DEFAULT);
        session.get();
        session.status(502);
        session.free(Outcome.FAILED, FailureReason.CONNECT);
        session.get();
        ticker.advanceSeconds(0.01);
        session.connected();
        ticker.advanceSeconds(0.02);
        session.firstByteReceived();
        ticker.advanceSeconds(3);
        session.addBytes(100, 5_000);
        session.status(200);
        session.free(Outcome.OK, null);
        group().countRequest(200, 3_030_000_000L);
    }

    @Test
    void streamsHaveSessionsAndNoRequests() {
        sessions();
        Page page = page();
        assertThat(page.value("weir_stream_peer_sessions_total" + A + "}")).isEqualTo(1);
        assertThat(page.value("weir_stream_peer_sessions_active" + B + "}")).isZero();
        assertThat(page.value("weir_stream_peer_connect_time_seconds_count" + A + "}"))
                .isZero();
        assertThat(page.value("weir_stream_peer_connect_time_seconds_sum" + B + "}"))
                .isEqualTo(0.01, within(1e-9));
        assertThat(page.value("weir_stream_peer_time_to_first_byte_seconds_sum" + B + "}"))
                .isEqualTo(0.03, within(1e-9));
        assertThat(page.value("weir_stream_peer_session_duration_seconds_sum" + B + "}"))
                .isEqualTo(3.03, within(1e-9));
        assertThat(page.value("weir_stream_group_sessions_total{code=\"2xx\",group=\"g\"}"))
                .isEqualTo(1);
        assertThat(page.value("weir_stream_group_session_duration_seconds_count{group=\"g\"}"))
                .isEqualTo(1);
        assertThat(page.value("weir_peer_failures_total" + A + ",reason=\"connect\"}"))
                .isEqualTo(1);
        assertThat(page.value("weir_peer_state" + B + ",state=\"up\"}")).isEqualTo(1);
        assertThat(page.value("weir_peer_received_bytes_total" + B + "}")).isEqualTo(5_000);
        assertThat(page.value("weir_group_retries_total{group=\"g\",outcome=\"success\"}"))
                .isEqualTo(1);
        assertThat(page.value("weir_group_peers_eligible{group=\"g\",role=\"primary\"}"))
                .isEqualTo(1);
        assertThat(page.series().keySet())
                .noneMatch(series -> series.contains("request")
                        || series.contains("response")
                        || series.contains("header")
                        || series.contains("keepalive"));
        assertThat(page.seriesWith("peer=\"127.0.0.1:9001\"")).hasSize(50);
    }

    @Test
    void requestsHaveNoSessions() {
        traffic();
        assertThat(page().seriesWith("weir_stream_")).isEmpty();
        assertThat(page().seriesWith("peer=\"127.0.0.1:9000\"")).hasSize(53);
    }

    @Test
    void knownSeriesAreThereBeforeAnythingHappened() {
        configure(group("g", server('a')));
        Page page = page();
        for (FailureReason reason : FailureReason.values()) {
            String label = PeerFamilies.text(reason);
            assertThat(page.value("weir_peer_failures_total" + A + ",reason=\"" + label + "\"}"))
                    .isZero();
        }
        assertThat(page.value("weir_peer_responses_total{code=\"5xx\",group=\"g\",peer=\"127.0.0.1:9000\"}"))
                .isZero();
        assertThat(page.value("weir_peer_down_seconds_total" + A + "}")).isZero();
    }

    @Test
    void timesAreUnixTimesThatStayPut() {
        configure(group("g", server('a'), server('b')));
        double start = NOW.getEpochSecond();
        assertThat(page().seriesWith("last_selected")).isEmpty();
        assertThat(page().value("weir_peer_state_change_timestamp_seconds" + A + "}"))
                .isEqualTo(start);
        advance(10);
        PeerConnection connection = group().open(ProxySettings.DEFAULT);
        connection.get();
        connection.free(Outcome.FAILED, FailureReason.RESET);
        advance(5);
        // the wall clock is corrected by less than a second
        now = now.plusMillis(300);
        Page page = page();
        assertThat(page.value("weir_peer_last_selected_timestamp_seconds" + A + "}"))
                .isEqualTo(start + 10);
        assertThat(page.value("weir_peer_state_change_timestamp_seconds" + A + "}"))
                .isEqualTo(start + 10);
        assertThat(page.value("weir_peer_state_change_timestamp_seconds" + B + "}"))
                .isEqualTo(start);
        assertThat(page.value("weir_peer_down_seconds_total" + A + "}")).isEqualTo(5);

        now = now.plusSeconds(3600);
        assertThat(page().value("weir_peer_last_selected_timestamp_seconds" + A + "}"))
                .as("follows a clock that was set")
                .isEqualTo(start + 3610.3);
    }

    @Test
    void removedPeerAndGroupLeaveNothingBehind() {
        configure(group("g", server('a'), server('b')), group("h", server('a')));
        assertThat(page().seriesWith("9001")).isNotEmpty();
        assertThat(page().seriesWith("group=\"h\"")).isNotEmpty();
        configure(group("g", server('a')));
        assertThat(page().seriesWith("9001")).isEmpty();
        assertThat(page().seriesWith("group=\"h\"")).isEmpty();
    }

    @Test
    void peersOfOneAddressAreToldApartById() {
        ServerConfig twin = ServerConfig.of(7, "127.0.0.1:9000");
        configure(group("g", server('a'), twin, server('b')), group("h", twin));
        Page page = page();
        assertThat(page.seriesWith("weir_peer_requests_total"))
                .containsExactlyInAnyOrder(
                        "weir_peer_requests_total{group=\"g\",peer=\"127.0.0.1:9000#0\"}",
                        "weir_peer_requests_total{group=\"g\",peer=\"127.0.0.1:9000#7\"}",
                        "weir_peer_requests_total{group=\"g\",peer=\"127.0.0.1:9001\"}",
                        "weir_peer_requests_total{group=\"h\",peer=\"127.0.0.1:9000\"}");
    }

    @Test
    void addressThatANameServerGaveTwiceDoesNotBreakThePage() throws UnknownHostException {
        InetAddress one = InetAddress.getByName("10.0.0.1");
        Upstreams twice = new Upstreams(ticker, host -> List.of(one, one));
        ActiveConfig config = new ActiveConfig(List.of(twice));
        config.prepare(new ProxyConfig(1, List.of(group("g", ServerConfig.of(3, "app:80"))), List.of()))
                .commit();
        PrometheusRegistry own = new PrometheusRegistry();
        own.register(new ZoneCollector(twice, config, Clock.systemUTC(), new BuildInfo("1", "2")));
        assertThat(Page.scrape(own).seriesWith("weir_peer_requests_total"))
                .containsExactlyInAnyOrder(
                        "weir_peer_requests_total{group=\"g\",peer=\"10.0.0.1:80#3\"}",
                        "weir_peer_requests_total{group=\"g\",peer=\"10.0.0.1:80#3.2\"}");
    }

    private static ServerConfig[] many(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> ServerConfig.of(i, "10.0.0.1:" + (1000 + i)))
                .toArray(ServerConfig[]::new);
    }

    @Test
    void largeNodesAreCompact() {
        configure(group("g", many(199)), group("h", server('a')));
        assertThat(page().seriesWith("weir_peer_response_duration_seconds_bucket"))
                .hasSize(200 * 12);
        configure(group("g", many(200)), group("h", server('a')));
        Page page = page();
        assertThat(page.seriesWith("weir_peer_response_duration_seconds")).isEmpty();
        assertThat(page.seriesWith("weir_peer_failures_total")).isEmpty();
        assertThat(page.seriesWith("weir_peer_requests_total")).hasSize(201);
        assertThat(page.value("weir_metrics_level{group=\"h\",level=\"compact\"}"))
                .isEqualTo(1);
        assertThat(page.value("weir_metrics_level{group=\"h\",level=\"full\"}")).isZero();
        assertThat(page.seriesWith("peer=\"10.0.0.1:1000\"")).hasSizeLessThan(36);
    }

    @Test
    void typesAreThoseOfTheContract() {
        traffic();
        Map<String, String> types = page().types();
        assertThat(types)
                .containsEntry("weir_peer_state", "gauge")
                .containsEntry("weir_peer_info", "gauge")
                .containsEntry("weir_peer_requests_total", "counter")
                .containsEntry("weir_peer_response_duration_seconds", "histogram")
                .containsEntry("weir_peer_time_to_header_seconds", "summary")
                .containsEntry("weir_peer_down_seconds_total", "counter")
                .containsEntry("weir_group_request_duration_seconds", "histogram")
                .containsEntry("weir_build_info", "gauge");
        Set<String> unprefixed = types.keySet().stream()
                .filter(name -> !name.startsWith("weir_"))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(unprefixed).isEmpty();
    }

    @Test
    void promtoolHasNoComplaint() throws IOException, InterruptedException {
        traffic();
        lint(page());
        sessions();
        lint(page());
    }

    /** Prometheus's own linter; the test fails where it is not installed (Debian: package prometheus). */
    static void lint(Page page) throws IOException, InterruptedException {
        Process promtool = new ProcessBuilder("promtool", "check", "metrics")
                .redirectErrorStream(true)
                .start();
        try (var in = promtool.getOutputStream()) {
            in.write(page.text().getBytes(StandardCharsets.UTF_8));
        }
        String complaints = new String(promtool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(promtool.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(complaints).isEmpty();
        assertThat(promtool.exitValue()).isZero();
    }

    @Test
    void everyStateHasItsWord() {
        assertThat(PeerFamilies.STATES)
                .isEqualTo(Arrays.asList("up", "draining", "down", "unavail", "checking", "unhealthy"));
    }
}
