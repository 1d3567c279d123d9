package io.weir.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.config.ActiveConfig;
import io.weir.config.HeaderRules;
import io.weir.config.HttpListenerConfig;
import io.weir.config.KeepaliveConfig;
import io.weir.config.MethodSpec;
import io.weir.config.NextUpstream;
import io.weir.config.PathMatch;
import io.weir.config.ProxyConfig;
import io.weir.config.ProxySettings;
import io.weir.config.RouteConfig;
import io.weir.config.RouteTarget;
import io.weir.config.ServerConfig;
import io.weir.config.Template;
import io.weir.config.TimeSpan;
import io.weir.config.UpstreamConfig;
import io.weir.proxy.http.HttpDecoders;
import io.weir.upstream.UpstreamGroup;
import io.weir.upstream.Upstreams;
import io.weir.zone.PeerSnapshot;
import io.weir.zone.Ticker;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.awaitility.Awaitility;

/** A data plane for a test: kernel and proxy without the control plane, on a port of its own. */
public final class Proxy implements AutoCloseable {

    static {
        // its own pace, a tenth of a second, would be most of the time of most tests
        Awaitility.setDefaultPollDelay(Duration.ZERO);
        Awaitility.setDefaultPollInterval(Duration.ofMillis(5));
        // how slow a machine may be says nothing about what is tested
        Awaitility.setDefaultTimeout(Duration.ofSeconds(60));
    }

    private final Disk disk = Disk.create();
    private final Upstreams upstreams;
    private final DataPlane dataPlane;
    private final ActiveConfig active;
    private final int port = freePort();

    private Proxy(int threads, Ticker ticker) {
        upstreams = new Upstreams(ticker, host -> List.of(InetAddress.getAllByName(host)));
        dataPlane = new DataPlane(threads, ticker, upstreams, HttpDecoders.STRICT, disk, "no routes yet\n");
        active = new ActiveConfig(List.of(upstreams, dataPlane));
    }

    /** Starts with one listener {@code web}. */
    public static Proxy start(List<UpstreamConfig> groups, RouteConfig... routes) {
        return start(2, groups, routes);
    }

    public static Proxy start(int threads, List<UpstreamConfig> groups, RouteConfig... routes) {
        return start(threads, Ticker.system(), groups, routes);
    }

    /** Starts with a clock that the test may move. */
    public static Proxy start(int threads, Ticker ticker, List<UpstreamConfig> groups, RouteConfig... routes) {
        Proxy proxy = new Proxy(threads, ticker);
        proxy.apply(groups, routes);
        return proxy;
    }

    /** Changes the configuration, as the control plane would. */
    public void apply(List<UpstreamConfig> groups, RouteConfig... routes) {
        apply(new ProxyConfig(
                active.current().revision() + 1,
                groups,
                List.of(new HttpListenerConfig("web", "127.0.0.1", port, List.of(routes)))));
    }

    /** What the clients of {@code web} are granted from now on. */
    void grant(ClientSpec client) {
        ProxyConfig current = active.current();
        HttpListenerConfig web = (HttpListenerConfig) current.listeners().get(0);
        apply(new ProxyConfig(
                current.revision() + 1,
                current.upstreams(),
                List.of(new HttpListenerConfig(
                        web.name(),
                        web.bind(),
                        web.port(),
                        web.proxyProtocol(),
                        web.realIp(),
                        web.accessLog(),
                        client.settings(),
                        web.routes()))));
    }

    public void apply(ProxyConfig config) {
        active.prepare(config).commit();
    }

    public ActiveConfig active() {
        return active;
    }

    /** The files that temporary files are kept in: a disk that can be told to be full. */
    public Disk disk() {
        return disk;
    }

    public DataPlane dataPlane() {
        return dataPlane;
    }

    public int port() {
        return port;
    }

    public UpstreamGroup group(String name) {
        return upstreams.group(name);
    }

    public List<PeerSnapshot> peers(String group) {
        return upstreams.group(group).snapshot().peers();
    }

    /**
     * Returns once the loop has done with all that had come before. Of a proxy with one thread, whose route {@code target}
     * answers by itself.
     */
    public void awaitTurn(String target) throws IOException {
        assertThat(Client.get(port, target).status()).isEqualTo(200);
    }

    /** Waits until no peer has a connection in use. */
    public void assertAtRest() {
        await().untilAsserted(() -> {
            for (UpstreamGroup group : upstreams.groups()) {
                assertThat(group.snapshot().peers())
                        .allSatisfy(peer ->
                                assertThat(peer.conns()).as(peer.address()).isZero());
            }
        });
    }

    @Override
    public void close() {
        try {
            assertAtRest();
            await().atMost(Duration.ofSeconds(10))
                    .untilAsserted(() -> assertThat(disk.openFiles()).isZero());
        } finally {
            dataPlane.close();
            disk.remove();
        }
    }

    public static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    // ---- shorthand for configurations ----

    /** A group with one server for each address, with nginx's defaults. */
    public static UpstreamConfig group(String name, String... addresses) {
        return group(name, KeepaliveConfig.DEFAULT, s -> s, addresses);
    }

    public static UpstreamConfig group(
            String name, KeepaliveConfig keepalive, UnaryOperator<ServerConfig> change, String... addresses) {
        List<ServerConfig> servers = new ArrayList<>();
        for (String address : addresses) {
            servers.add(change.apply(ServerConfig.of(servers.size() + 1, address)));
        }
        return new UpstreamConfig(name, MethodSpec.ROUND_ROBIN, keepalive, servers);
    }

    /** A route of all requests to a group. */
    public static RouteConfig route(String group) {
        return route("all", PathMatch.ALL, new RouteTarget.Upstream(group));
    }

    public static RouteConfig route(String name, PathMatch path, RouteTarget target) {
        return new RouteConfig(
                name,
                List.of(),
                path,
                List.of(),
                Map.of(),
                target,
                null,
                ProxySettings.DEFAULT,
                RouteConfig.DEFAULT_MAX_BODY_SIZE,
                HeaderRules.NONE,
                HeaderRules.NONE);
    }

    public static RouteConfig with(RouteConfig r, ProxySettings settings) {
        return new RouteConfig(
                r.name(),
                r.hosts(),
                r.path(),
                r.methods(),
                r.headers(),
                r.target(),
                r.rewritePrefix(),
                settings,
                r.maxBodySize(),
                r.requestHeaders(),
                r.responseHeaders());
    }

    /** The route with fields set on the way there and on the way back: name, value, name, value. */
    public static RouteConfig withHeaders(RouteConfig r, List<String> request, List<String> response) {
        return new RouteConfig(
                r.name(),
                r.hosts(),
                r.path(),
                r.methods(),
                r.headers(),
                r.target(),
                r.rewritePrefix(),
                r.proxy(),
                r.maxBodySize(),
                rules(request),
                rules(response));
    }

    private static HeaderRules rules(List<String> pairs) {
        Map<String, Template> set = new LinkedHashMap<>();
        for (int i = 0; i < pairs.size(); i += 2) {
            set.put(pairs.get(i), Template.parse(pairs.get(i + 1)));
        }
        return new HeaderRules(set, List.of());
    }

    /** A route that tells the client which peers were tried, with what result. */
    public static RouteConfig telling(RouteConfig route) {
        return withHeaders(route, List.of(), List.of("X-Upstream", "$upstream_addr", "X-Attempts", "$upstream_status"));
    }

    public static ProxySettings settings(String connect, String send, String read, NextUpstream... conditions) {
        Set<NextUpstream> next = EnumSet.noneOf(NextUpstream.class);
        next.addAll(Arrays.asList(conditions));
        return new ProxySettings(
                TimeSpan.parse(connect), TimeSpan.parse(send), TimeSpan.parse(read), next, 0, TimeSpan.parse("0s"));
    }
}
