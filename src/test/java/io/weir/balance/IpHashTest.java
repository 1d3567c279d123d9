package io.weir.balance;

import static io.weir.zone.Servers.down;
import static io.weir.zone.Servers.server;
import static io.weir.zone.Servers.weights;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.config.GroupProtocol;
import io.weir.config.MethodSpec;
import io.weir.config.RequestValues;
import io.weir.config.ServerConfig;
import io.weir.zone.Servers;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.CsvSource;

/** ip_hash: spec section 10.1 and the table of 13.6, recorded from nginx. */
class IpHashTest {

    private static Picks picks(List<ServerConfig> servers) {
        BalancingMethod method = BalancingMethods.create(
                new MethodSpec("ip_hash", Map.of()), GroupProtocol.HTTP, new SplittableRandom(1));
        return new Picks(method, servers);
    }

    @ParameterizedTest
    @CsvFileSource(resources = "/recorded/ip_hash.csv", numLinesToSkip = 1)
    void asRecorded(String client, int hash, int equal, int weighted, String probes) {
        RequestValues request = Values.client(client);
        assertThat(picks(weights(1, 1, 1)).request(request).attempt()).isEqualTo(letter(equal));
        assertThat(picks(weights(3, 2, 1)).request(request).attempt()).isEqualTo(letter(weighted));
        assertThat(Integer.parseInt(probes.split("/")[0])).isEqualTo(hash);
        String[] last = probes.split("[ /]");
        assertThat(picks(List.of(server('a'), down(server('b')), server('c')))
                        .request(request)
                        .attempt())
                .isEqualTo(letter(Integer.parseInt(last[last.length - 1])));
    }

    private static String letter(int index) {
        return String.valueOf(Servers.letter(index));
    }

    @ParameterizedTest
    @CsvSource({"127.0.0.1, a", "192.0.2.1, d", "10.1.2.3, a", "172.16.5.4, c", "8.8.8.8, d", "2001:db8::1, a"})
    void fourEqualPeers(String client, String pick) {
        assertThat(picks(weights(1, 1, 1, 1)).request(Values.client(client)).attempt())
                .isEqualTo(pick);
    }

    @Test
    void clientWithoutAnIpAddress() {
        assertThat(picks(weights(1, 1, 1)).request(RequestValues.NONE).attempt())
                .isEqualTo("b");
    }

    @Test
    void retriesGoOnFromTheHashOfThePickBefore() {
        // 6255 and 3159 are a, 3607 is b
        Picks picks = picks(weights(1, 1, 1)).request(Values.client("192.0.2.1"));
        assertThat(picks.attempt() + picks.attempt()).isEqualTo("ab");
        assertThat(picks(List.of(down(server('a')), server('b'), server('c')))
                        .request(Values.client("192.0.2.1"))
                        .attempt())
                .isEqualTo("b");
    }

    @Test
    void nobodyIsEligible() {
        Picks picks = picks(List.of(down(server('a')), down(server('b'))));
        assertThat(picks.request(Values.client("192.0.2.1")).attempt()).isEqualTo("-");
    }
}
