package io.weir.upstream;

import static io.weir.upstream.Requests.REFUSES;
import static io.weir.zone.Servers.server;
import static io.weir.zone.Servers.weights;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The tables of spec section 13.1 to 13.4, recorded from nginx, as requests see them. */
class WorkedExamplesTest {

    private Requests requests = new Requests(weights(1));

    @AfterEach
    void nothingIsInProgress() {
        requests.assertAtRest();
    }

    @Test
    void fiveOneOne() {
        requests = new Requests(weights(5, 1, 1));
        assertThat(requests.served(14)).isEqualTo("aabacaaaabacaa");
    }

    @Test
    void oneDeadPeerOfThree() {
        requests = new Requests(weights(1, 1, 1));
        requests.answer('c', REFUSES);
        assertThat(requests.request()).isEqualTo("a 200");
        assertThat(requests.request()).isEqualTo("b 200");
        assertThat(requests.request()).isEqualTo("c 502, a 200");
        assertThat(requests.request()).isEqualTo("b 200");
        assertThat(requests.request()).isEqualTo("a 200");
        assertThat(requests.request()).isEqualTo("b 200");
    }

    @Test
    void failureBelowTheLimit() {
        requests =
                new Requests(server('a', 4).withFails(3, "10s"), server('b', 4).withFails(3, "10s"));
        String[][] table = {
            {"a 200", "a -4,4,0; b 4,4,0"},
            {"b 200", "a 0,4,0; b 0,4,0"},
            {"a 502, b 200", "a -4,3,1; b 4,4,0"},
            {"b 200", "a -1,4,1; b 1,4,0"},
            {"b 200", "a 3,4,1; b -3,4,0"},
            {"a 200", "a -1,4,1; b 1,4,0"},
            {"b 200", "a 3,4,1; b -3,4,0"}
        };
        for (int i = 0; i < table.length; i++) {
            requests.answer('a', i == 2 ? REFUSES : 200);
            assertThat(requests.request()).as("request %d", i + 1).isEqualTo(table[i][0]);
            assertThat(requests.state()).as("after request %d", i + 1).isEqualTo(table[i][1]);
        }
    }

    @Test
    void outageAndRecovery() {
        requests = new Requests(server('a', 5).withFails(1, "2s"), server('b'));
        assertThat(requests.request()).isEqualTo("a 200");
        assertThat(requests.state()).isEqualTo("a -1,5,0; b 1,1,0");

        requests.answer('a', REFUSES);
        assertThat(requests.request()).isEqualTo("a 502, b 200");
        assertThat(requests.state()).isEqualTo("a -2,0,1; b 2,1,0");
        for (int i = 0; i < 3; i++) {
            assertThat(requests.request()).isEqualTo("b 200");
            assertThat(requests.state()).isEqualTo("a -2,0,1; b 2,1,0");
        }

        requests.answer('a', 200);
        requests.ticker.advanceSeconds(3);
        String[][] table = {
            {"b 200", "a -2,1,1; b 2,1,0"},
            {"b 200", "a -1,2,1; b 1,1,0"},
            {"b 200", "a 1,3,1; b -1,1,0"},
            {"a 200", "a 0,4,0; b 0,1,0"}
        };
        for (String[] row : table) {
            assertThat(requests.request()).isEqualTo(row[0]);
            assertThat(requests.state()).isEqualTo(row[1]);
        }
        assertThat(requests.request()).isEqualTo("a 200");
        assertThat(requests.peer('a').effectiveWeight()).isEqualTo(5);
        assertThat(requests.served(7)).isEqualTo("aabaaaa");
    }
}
