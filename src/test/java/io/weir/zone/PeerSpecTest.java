package io.weir.zone;

import static io.weir.zone.Servers.address;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.UnixDomainSocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PeerSpecTest {

    @ParameterizedTest
    @CsvSource({
        "127.0.0.1, 127.0.0.1:80",
        "::1, [::1]:80",
        "::, [::]:80",
        "2001:db8::1, [2001:db8::1]:80",
        "2001:DB8:0:0:1:0:0:1, [2001:db8::1:0:0:1]:80",
        "2001:db8:0:1:1:1:1:1, [2001:db8:0:1:1:1:1:1]:80",
        "1:2:3:4:5:6:0:0, [1:2:3:4:5:6::]:80",
        "fe80:0:0:0:0:0:0:a0, [fe80::a0]:80"
    })
    void printsAddressesAsNginxDoes(String ip, String text) {
        assertThat(PeerSpec.print(address(ip, 80))).isEqualTo(text);
    }

    @Test
    void printsUnixSockets() {
        assertThat(PeerSpec.print(UnixDomainSocketAddress.of("/run/app.sock"))).isEqualTo("unix:/run/app.sock");
    }
}
