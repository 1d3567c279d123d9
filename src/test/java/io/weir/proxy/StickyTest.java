package io.weir.proxy;

import static io.weir.proxy.Proxy.route;
import static io.weir.proxy.Proxy.telling;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.config.KeepaliveConfig;
import io.weir.config.MethodSpec;
import io.weir.config.ServerConfig;
import io.weir.config.StickyConfig;
import io.weir.config.Template;
import io.weir.config.TimeSpan;
import io.weir.config.UpstreamConfig;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** sticky, and methods that go by what a request is, on real sockets: balancing.md sections 10 and 12. */
@ExtendWith(Leaks.class)
class StickyTest {

    private static final int KEYS = 500;

    private static UpstreamConfig group(MethodSpec method, StickyConfig sticky, String... addresses) {
        List<ServerConfig> servers = new ArrayList<>();
        for (String address : addresses) {
            servers.add(ServerConfig.of(servers.size() + 1, address));
        }
        return new UpstreamConfig("app", method, sticky, KeepaliveConfig.DEFAULT, servers);
    }

    private static Client.Response get(Proxy proxy, String target, String fields) throws Exception {
        try (Client client = Client.to(proxy.port())) {
            return client.request("GET " + target + " HTTP/1.1\r\nHost: x\r\n" + fields + "Connection: close\r\n\r\n");
        }
    }

    private static StickyConfig cookie(String expires, String path) {
        return new StickyConfig.Cookie("my-srv", expires, "", path, true, true, "lax");
    }

    @Test
    void cookieBringsTheClientBack() throws Exception {
        try (Backend a = Backend.saying("a");
                Backend b = Backend.saying("b");
                Proxy proxy = Proxy.start(
                        List.of(group(MethodSpec.ROUND_ROBIN, cookie("", "/"), a.address(), b.address())),
                        route("app"))) {
            Client.Response first = get(proxy, "/", "");
            String field = Objects.requireNonNull(first.field("Set-Cookie"));
            assertThat(field).matches("my-srv=[0-9a-f]{32}; httponly; secure; samesite=lax; path=/");
            String cookie = "Cookie: other=1; " + field.substring(0, field.indexOf(';')) + "\r\n";
            for (int i = 0; i < 4; i++) {
                Client.Response next = get(proxy, "/", cookie);
                assertThat(next.body()).isEqualTo(first.body());
                assertThat(next.field("Set-Cookie")).isEqualTo(field);
            }
        }
    }

    @Test
    void cookieNamesThePeerThatAnsweredInTheEnd() throws Exception {
        int dead = Proxy.freePort();
        try (Backend b = Backend.saying("b");
                Proxy proxy = Proxy.start(
                        List.of(group(MethodSpec.ROUND_ROBIN, cookie("max", ""), "127.0.0.1:" + dead, b.address())),
                        telling(route("app")))) {
            Client.Response response = get(proxy, "/", "");
            assertThat(response.field("X-Attempts")).isEqualTo("502, 200");
            assertThat(response.field("Set-Cookie"))
                    .isEqualTo(
                            "my-srv=" + sid(b.address())
                                    + "; expires=Thu, 31-Dec-37 23:55:55 GMT; max-age=315360000; httponly; secure; samesite=lax");
        }
    }

    private static String sid(String address) throws Exception {
        byte[] digest = MessageDigest.getInstance("MD5").digest(address.getBytes(StandardCharsets.US_ASCII));
        return HexFormat.of().formatHex(digest);
    }

    @Test
    void sessionsAreLearnedFromResponses() throws Exception {
        StickyConfig learn = new StickyConfig.Learn(
                Template.parse("$upstream_cookie_sid"), Template.parse("$cookie_sid"), TimeSpan.parse("1m"), true, 100);
        try (Backend a = Backend.replying(
                        "HTTP/1.1 200 OK\r\nSet-Cookie: sid=s1; Path=/\r\nContent-Length: 1\r\n\r\na");
                Backend b = Backend.saying("b");
                Proxy proxy = Proxy.start(
                        List.of(group(MethodSpec.ROUND_ROBIN, learn, a.address(), b.address())), route("app"))) {
            Client.Response first = get(proxy, "/", "");
            assertThat(first.body()).isEqualTo("a");
            assertThat(first.field("Set-Cookie")).isEqualTo("sid=s1; Path=/");
            for (int i = 0; i < 4; i++) {
                assertThat(get(proxy, "/", "Cookie: sid=s1\r\n").body()).isEqualTo("a");
            }
        }
    }

    @Test
    void hashGoesByItsKey() throws Exception {
        MethodSpec hash = new MethodSpec("hash", Map.of("key", "$arg_user$http_x_tenant", "consistent", true));
        try (Backend a = Backend.saying("a");
                Backend b = Backend.saying("b");
                Backend c = Backend.saying("c");
                Proxy proxy =
                        Proxy.start(List.of(group(hash, null, a.address(), b.address(), c.address())), route("app"))) {
            StringBuilder seen = new StringBuilder();
            for (int user = 0; user < 12; user++) {
                String first = get(proxy, "/?user=" + user, "").body();
                seen.append(first);
                assertThat(get(proxy, "/other?user=" + user, "").body()).isEqualTo(first);
                assertThat(get(proxy, "/", "X-Tenant: " + user + "\r\n").body()).isEqualTo(first);
            }
            assertThat(seen.chars().distinct().count()).isGreaterThan(1);
        }
    }

    /** balancing.md 10.3: only keys of the peer that goes move, and they come back with it. */
    @Test
    void onlyKeysOfThePeerThatGoesMove() throws Exception {
        MethodSpec hash = new MethodSpec("hash", Map.of("key", "$arg_user", "consistent", true));
        try (Backend a = Backend.saying("a");
                Backend b = Backend.saying("b");
                Backend c = Backend.saying("c");
                Backend d = Backend.saying("d")) {
            UpstreamConfig four = group(hash, null, a.address(), b.address(), c.address(), d.address());
            UpstreamConfig three = group(hash, null, a.address(), b.address(), c.address());
            try (Proxy proxy = Proxy.start(List.of(four), route("app"))) {
                String before = ownersOfKeys(proxy);
                proxy.apply(List.of(three), route("app"));
                String without = ownersOfKeys(proxy);
                proxy.apply(List.of(four), route("app"));

                assertThat(before.chars().distinct().count()).isEqualTo(4);
                assertThat(without).doesNotContain("d");
                for (int key = 0; key < KEYS; key++) {
                    if (before.charAt(key) != 'd') {
                        assertThat(without.charAt(key)).as("key %d", key).isEqualTo(before.charAt(key));
                    }
                }
                assertThat(ownersOfKeys(proxy)).isEqualTo(before);
            }
        }
    }

    /** The letter of the peer that each key goes to. */
    private static String ownersOfKeys(Proxy proxy) throws Exception {
        StringBuilder owners = new StringBuilder();
        try (Client client = Client.to(proxy.port())) {
            for (int key = 0; key < KEYS; key++) {
                owners.append(client.request("GET /?user=key" + key + " HTTP/1.1\r\nHost: x\r\n\r\n")
                        .body());
            }
        }
        return owners.toString();
    }

    @Test
    void ipHashGoesByTheConnectionAndNoFieldChangesThat() throws Exception {
        try (Backend a = Backend.saying("a");
                Backend b = Backend.saying("b");
                Backend c = Backend.saying("c");
                Proxy proxy = Proxy.start(
                        List.of(group(
                                new MethodSpec("ip_hash", Map.of()), null, a.address(), b.address(), c.address())),
                        route("app"))) {
            // 127.0.0.1 is the third, balancing.md 13.6
            for (int i = 0; i < 3; i++) {
                assertThat(get(proxy, "/", "X-Forwarded-For: 10.1.2." + i + "\r\nX-Real-IP: 8.8.8.8\r\n")
                                .body())
                        .isEqualTo("c");
            }
        }
    }
}
