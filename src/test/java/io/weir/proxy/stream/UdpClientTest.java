package io.weir.proxy.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class UdpClientTest {

    private static UdpClient client(String sender, int port, String recipient) {
        return new UdpClient(new InetSocketAddress(sender, port), new InetSocketAddress(recipient, 53));
    }

    @Test
    void isTheSameByAddressAndPortOfBothEnds() {
        UdpClient one = client("192.0.2.1", 1000, "192.0.2.9");
        UdpClient same = client("192.0.2.1", 1000, "192.0.2.9");
        assertThat(one).isEqualTo(same).isEqualByComparingTo(same);
        List<UdpClient> others = List.of(
                client("192.0.2.1", 1001, "192.0.2.9"),
                client("192.0.2.2", 1000, "192.0.2.9"),
                client("192.0.2.1", 1000, "192.0.2.10"),
                client("::c000:201", 1000, "192.0.2.9"));
        for (UdpClient other : others) {
            assertThat(one).isNotEqualTo(other).isNotEqualByComparingTo(other);
            assertThat(Integer.signum(one.compareTo(other))).isEqualTo(-Integer.signum(other.compareTo(one)));
        }
    }

    /** The hash of an address is the sum of its parts and the port, so a sender can make as many that are equal. */
    @Test
    void clientsWithTheSameHashAreToldApart() {
        Map<UdpClient, Integer> table = new HashMap<>();
        for (int i = 0; i < 20_000; i++) {
            table.put(client("10.0." + (i >> 8) + "." + (i & 255), 40_000 - i, "192.0.2.9"), i);
        }
        assertThat(table.keySet().stream().mapToInt(UdpClient::hashCode).distinct())
                .hasSize(1);
        for (int i = 0; i < 20_000; i++) {
            assertThat(table.get(client("10.0." + (i >> 8) + "." + (i & 255), 40_000 - i, "192.0.2.9")))
                    .isEqualTo(i);
        }
    }
}
