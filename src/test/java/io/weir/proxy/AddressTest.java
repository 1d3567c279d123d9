package io.weir.proxy;

import static io.weir.proxy.Proxy.group;
import static io.weir.proxy.RouteSpec.toAddress;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Routes to an address instead of a group: rest-api.md section 2, keepalive.md section 2. */
@ExtendWith(Leaks.class)
class AddressTest {

    /** keepalive.md 11 [V31] */
    @Test
    void implicitGroupKeepsNoConnections() throws Exception {
        try (Backend backend = Backend.echoing();
                Proxy proxy = Proxy.start(
                        1,
                        List.of(),
                        toAddress("http://" + backend.address()).telling().route())) {
            for (int i = 0; i < 3; i++) {
                Client.Response response = Client.get(proxy.port(), "/a?b");
                assertThat(response.field("X-Upstream")).isEqualTo(backend.address());
                // proxying.md 6: host[:port] of the URL
                assertThat(HttpText.field(response.body(), "Host")).isEqualTo(backend.address());
            }
            assertThat(backend.connections()).isEqualTo(3);
        }
    }

    @Test
    void nameIsLookedUpWhenTheRouteIsMade() throws Exception {
        try (Backend backend = Backend.saying("a");
                Proxy proxy = Proxy.start(
                        List.of(),
                        toAddress("http://localhost:" + backend.port()).route())) {
            assertThat(Client.get(proxy.port(), "/").body()).isEqualTo("a");
        }
    }

    /** rest-api.md 2: a value that names a group means that group. */
    @Test
    void valueThatNamesAGroupMeansThatGroup() throws Exception {
        try (Backend a = Backend.echoing();
                Backend b = Backend.echoing();
                Proxy proxy = Proxy.start(
                        1,
                        List.of(group("a", a.address()), group("b", b.address())),
                        toAddress("http://$arg_to").telling().route())) {
            for (String name : List.of("a", "b", "A", "B")) { // in any case: balancing.md 1.5
                Client.Response response = Client.get(proxy.port(), "/?to=" + name);
                assertThat(response.field("X-Upstream")).isEqualTo((name.equalsIgnoreCase("a") ? a : b).address());
                assertThat(HttpText.field(response.body(), "Host")).isEqualTo(name);
            }
            assertThat(a.connections()).isEqualTo(1);
        }
    }

    @Test
    void valueMayBeAnAddressOrAName() throws Exception {
        try (Backend backend = Backend.echoing();
                Proxy proxy = Proxy.start(
                        1,
                        List.of(),
                        toAddress("http://$arg_host:$arg_port").telling().route())) {
            for (String host : List.of("127.0.0.1", "localhost", "127.0.0.1")) {
                Client.Response response = Client.get(proxy.port(), "/?host=" + host + "&port=" + backend.port());
                assertThat(response.field("X-Upstream")).isEqualTo(backend.address());
                assertThat(HttpText.field(response.body(), "Host")).isEqualTo(host + ":" + backend.port());
            }
            // keepalive.md 2: a run-time resolved target has no cache
            assertThat(backend.connections()).isEqualTo(3);
        }
    }

    /** proxying.md 3: a run-time name that cannot be resolved is 502. */
    @Test
    void valueThatLeadsNowhereIsBadGateway() throws Exception {
        try (Proxy proxy =
                Proxy.start(List.of(), toAddress("http://$arg_to").telling().route())) {
            for (String value : List.of("", "no.such.name.invalid:80", "127.0.0.1:99999", "a/b", "unix:/x")) {
                assertThat(Client.get(proxy.port(), "/?to=" + value).status())
                        .as(value)
                        .isEqualTo(502);
            }
            Client.Response refused = Client.get(proxy.port(), "/?to=127.0.0.1:" + Proxy.freePort());
            assertThat(refused.status()).isEqualTo(502);
            assertThat(refused.field("X-Attempts")).isEqualTo("502");
        }
    }

    @Test
    void bodyWaitsWhileTheNameIsLookedUp() throws Exception {
        try (Backend backend = Backend.echoing();
                Proxy proxy = Proxy.start(
                        1, List.of(), toAddress("http://localhost:$arg_port").route());
                Client client = Client.to(proxy.port())) {
            Client.Response response = client.request(
                    "POST /?port=" + backend.port() + " HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello");
            assertThat(response.body()).endsWith("\r\n\r\nhello");
        }
    }
}
