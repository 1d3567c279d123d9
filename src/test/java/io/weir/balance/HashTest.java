package io.weir.balance;

import static io.weir.zone.Servers.down;
import static io.weir.zone.Servers.server;
import static io.weir.zone.Servers.weights;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.config.ServerConfig;
import io.weir.config.Template;
import io.weir.zone.Servers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.zip.CRC32;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;

/** hash: spec section 10.2 and the table of 13.7, recorded from nginx. */
class HashTest {

    private static Picks picks(List<ServerConfig> servers) {
        return new Picks(new Hash(Template.parse("$arg_user")), servers);
    }

    @ParameterizedTest
    @CsvFileSource(resources = "/recorded/hash.csv", numLinesToSkip = 1)
    void asRecorded(String key, int sum, int equal, int weighted, String probes) {
        assertThat(picks(weights(1, 1, 1)).request(Values.key(key)).attempt()).isEqualTo(letter(equal));
        assertThat(picks(weights(3, 2, 1)).request(Values.key(key)).attempt()).isEqualTo(letter(weighted));
        assertThat(Integer.parseInt(probes.split("/")[0])).isEqualTo(sum);
        String[] last = probes.split("[ /]");
        assertThat(picks(List.of(server('a'), down(server('b')), server('c')))
                        .request(Values.key(key))
                        .attempt())
                .isEqualTo(letter(Integer.parseInt(last[last.length - 1])));
    }

    private static String letter(int index) {
        return String.valueOf(Servers.letter(index));
    }

    @Test
    void emptyKeyGoesByRoundRobin() {
        Picks picks = picks(weights(5, 1, 1));
        assertThat(picks.sequence(7)).isEqualTo("aabacaa");
    }

    @Test
    void after21RejectionsRoundRobinTakesOver() {
        // all 21 probes of this key hit the first
        Picks picks = picks(List.of(down(server('a', 9)), server('b')));
        assertThat(picks.request(Values.key("q20")).attempt()).isEqualTo("b");
        assertThat(picks.currentWeights()).as("b gained 1 and paid 1").isEqualTo("0,0");
    }

    @Test
    void spentProbesStaySpentForTheNextAttempts() {
        Picks picks = picks(List.of(down(server('a', 9)), server('b'), server('c')));
        picks.request(Values.key("q20"));
        String attempts = picks.attempt() + picks.attempt() + picks.attempt();
        assertThat(attempts).isIn("bc-", "cb-");
    }

    @Test
    void bytesOfTheWireAndUtf8() {
        assertThat(Crc32.value(Crc32.add(Crc32.START, "\u00e9"))).isEqualTo(crc(new byte[] {(byte) 0xe9}));
        assertThat(Crc32.value(Crc32.add(Crc32.START, "a\u20ac\u00e9")))
                .isEqualTo(crc("a\u20ac\u00e9".getBytes(StandardCharsets.UTF_8)));
    }

    @Property
    void checksumIsThatOfTheJdk(@ForAll byte[] bytes) {
        int state = Crc32.START;
        for (byte b : bytes) {
            state = Crc32.add(state, b);
        }
        assertThat(Crc32.value(state)).isEqualTo(crc(bytes));
    }

    private static int crc(byte[] bytes) {
        CRC32 crc = new CRC32();
        crc.update(bytes);
        return (int) crc.getValue();
    }
}
