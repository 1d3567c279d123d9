package io.weir.proxy;

import static io.weir.proxy.RouteSpec.answering;
import static io.weir.proxy.RouteSpec.to;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.config.AccessLogConfig;
import io.weir.config.Cidr;
import io.weir.config.HttpListenerConfig;
import io.weir.config.KeepaliveConfig;
import io.weir.config.MethodSpec;
import io.weir.config.ProxyConfig;
import io.weir.config.RealIpConfig;
import io.weir.config.RouteConfig;
import io.weir.config.ServerConfig;
import io.weir.config.UpstreamConfig;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** {@code set_real_ip_from}, {@code real_ip_header}, {@code real_ip_recursive}: what the decided address is good for. */
@ExtendWith(Leaks.class)
class ClientAddressTest {

    private static final RouteConfig SHOWN = answering(
                    200, "$remote_addr:$remote_port $realip_remote_addr:$realip_remote_port")
            .route();

    private static RealIpConfig realIp(String header, boolean recursive, String... trusted) {
        return new RealIpConfig(Stream.of(trusted).map(Cidr::parse).toList(), header, recursive);
    }

    private static void apply(Proxy proxy, List<UpstreamConfig> groups, RealIpConfig realIp, RouteConfig route) {
        proxy.apply(new ProxyConfig(
                proxy.active().current().revision() + 1,
                groups,
                List.of(new HttpListenerConfig(
                        "web", "127.0.0.1", proxy.port(), false, realIp, AccessLogConfig.DEFAULT, List.of(route)))));
    }

    private static String get(Client client, String... fields) throws IOException {
        return client.request("GET / HTTP/1.1\r\nHost: x\r\n" + lines(fields) + "\r\n")
                .body();
    }

    private static String lines(String... fields) {
        StringBuilder lines = new StringBuilder();
        for (String field : fields) {
            lines.append(field).append("\r\n");
        }
        return lines.toString();
    }

    /** One proxy's connection carries many clients. */
    @Test
    void eachRequestHasItsOwnClient() throws Exception {
        try (Proxy proxy = Proxy.start(List.of(), SHOWN)) {
            apply(proxy, List.of(), realIp("X-Real-IP", false, "127.0.0.0/8"), SHOWN);
            try (Client client = Client.to(proxy.port())) {
                String peer = "127.0.0.1:" + client.socket().getLocalPort();
                assertThat(get(client, "X-Real-IP: 192.0.2.1")).isEqualTo("192.0.2.1: " + peer);
                assertThat(get(client, "X-Real-IP: [2001:db8::1]:567")).isEqualTo("2001:db8::1:567 " + peer);
                assertThat(get(client)).isEqualTo(peer + " " + peer);
                assertThat(get(client, "X-Real-IP: nobody")).isEqualTo(peer + " " + peer);
                assertThat(get(client, "X-Forwarded-For: 192.0.2.1")).isEqualTo(peer + " " + peer);
            }
        }
    }

    @Test
    void nobodyIsBelievedUnlessTrusted() throws Exception {
        try (Proxy proxy = Proxy.start(List.of(), SHOWN);
                Client client = Client.to(proxy.port())) {
            String[] spoofed = {
                "X-Forwarded-For: 192.0.2.1",
                "X-Real-IP: 192.0.2.1",
                "Forwarded: for=192.0.2.1",
                "proxy_protocol: 192.0.2.1"
            };
            assertThat(get(client, spoofed)).startsWith("127.0.0.1:");
            apply(proxy, List.of(), realIp("X-Forwarded-For", true, "10.0.0.0/8", "::1"), SHOWN);
            assertThat(get(client, spoofed)).startsWith("127.0.0.1:");
            apply(proxy, List.of(), realIp("X-Forwarded-For", true, "10.0.0.0/8", "127.0.0.1"), SHOWN);
            assertThat(get(client, spoofed)).startsWith("192.0.2.1: ");
            // what a client puts in front of its own address is not reached
            assertThat(get(client, "X-Forwarded-For: 6.6.6.6, 192.0.2.1, 10.0.0.1"))
                    .startsWith("192.0.2.1: ");
        }
    }

    @Test
    void changeHoldsForTheNextRequestOnAnOpenConnection() throws Exception {
        try (Proxy proxy = Proxy.start(List.of(), SHOWN);
                Client client = Client.to(proxy.port())) {
            String[] fields = {"X-Real-IP: 192.0.2.1", "X-Client: 192.0.2.2"};
            assertThat(get(client, fields)).startsWith("127.0.0.1:");
            apply(proxy, List.of(), realIp("X-Real-IP", false, "127.0.0.1"), SHOWN);
            assertThat(get(client, fields)).startsWith("192.0.2.1: ");
            apply(proxy, List.of(), realIp("X-Client", false, "127.0.0.1"), SHOWN);
            assertThat(get(client, fields)).startsWith("192.0.2.2: ");
            apply(proxy, List.of(), null, SHOWN);
            assertThat(get(client, fields)).startsWith("127.0.0.1:");
        }
    }

    @Test
    void serversAreToldOfTheClient() throws Exception {
        RouteConfig route = to("app")
                .setRequest("X-Real-IP", "$remote_addr")
                .setRequest("X-Forwarded-For", "$proxy_add_x_forwarded_for")
                .route();
        try (Backend backend = Backend.echoing();
                Proxy proxy = Proxy.start(List.of(), SHOWN)) {
            apply(
                    proxy,
                    List.of(Proxy.group("app", backend.address())),
                    realIp("X-Forwarded-For", false, "127.0.0.1"),
                    route);
            try (Client client = Client.to(proxy.port())) {
                assertThat(get(client, "X-Forwarded-For: 192.0.2.1, 192.0.2.2"))
                        .contains("X-Real-IP: 192.0.2.2\r\n", "X-Forwarded-For: 192.0.2.1, 192.0.2.2, 192.0.2.2\r\n");
            }
        }
    }

    private static UpstreamConfig group(MethodSpec method, List<Backend> backends) {
        List<ServerConfig> servers = new ArrayList<>();
        for (Backend backend : backends) {
            servers.add(ServerConfig.of(servers.size() + 1, backend.address()));
        }
        return new UpstreamConfig("app", method, KeepaliveConfig.DEFAULT, servers);
    }

    /** The servers that hundred clients behind one proxy meet, each with two requests. */
    private static Set<String> servers(Proxy proxy) throws IOException {
        Set<String> met = new TreeSet<>();
        try (Client client = Client.to(proxy.port())) {
            for (int i = 0; i < 100; i++) {
                String field = "X-Real-IP: 10." + i + ".7.1";
                String first = get(client, field);
                assertThat(get(client, field)).isEqualTo(first);
                met.add(first);
            }
        }
        return met;
    }

    @Test
    void balancingGoesByTheClient() throws Exception {
        List<Backend> backends = List.of(Backend.saying("a"), Backend.saying("b"), Backend.saying("c"));
        List<MethodSpec> methods = List.of(
                new MethodSpec("ip_hash", Map.of()),
                new MethodSpec("hash", Map.of("key", "$remote_addr")),
                new MethodSpec("hash", Map.of("key", "$binary_remote_addr", "consistent", true)));
        try (Proxy proxy = Proxy.start(List.of(), SHOWN)) {
            for (MethodSpec method : methods) {
                List<UpstreamConfig> groups = List.of(group(method, backends));
                apply(proxy, groups, null, to("app").route());
                assertThat(servers(proxy)).as("without trust: %s", method).hasSize(1);
                apply(
                        proxy,
                        groups,
                        realIp("X-Real-IP", false, "127.0.0.1"),
                        to("app").route());
                assertThat(servers(proxy)).as("%s", method).containsExactly("a", "b", "c");
            }
        } finally {
            backends.forEach(Backend::close);
        }
    }

    /** Four bytes, or sixteen; in a header field, what could end its line is a space. */
    @Test
    void binaryAddressIsItsBytes() throws Exception {
        RouteConfig route = answering(200, "$binary_remote_addr")
                .setResponse("X-Binary", "[$binary_remote_addr]")
                .route();
        try (Proxy proxy = Proxy.start(List.of(), route)) {
            apply(proxy, List.of(), realIp("X-Real-IP", false, "127.0.0.1"), route);
            try (Client client = Client.to(proxy.port())) {
                assertThat(get(client, "X-Real-IP: 13.10.200.65")).isEqualTo("\r\n\u00c8A");
                assertThat(get(client, "X-Real-IP: 2001:db8::ff"))
                        .isEqualTo(" \1\r\u00b8" + "\0".repeat(11) + "\u00ff");
                assertThat(client.request("GET / HTTP/1.1\r\nHost: x\r\nX-Real-IP: 13.10.66.65\r\n\r\n")
                                .field("X-Binary"))
                        .isEqualTo("[  BA]");
            }
        }
    }
}
