package io.weir.balance;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.config.AdminState;
import io.weir.config.ServerConfig;
import io.weir.config.Template;
import io.weir.zone.Servers;
import io.weir.zone.Zone;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;

/** Consistent hash: spec section 10.3 and the tables of 13.8 and 13.9. */
class ConsistentHashTest {

    private static final int KEYS = 20_000;

    private static Picks picks(List<ServerConfig> servers) {
        return new Picks(new ConsistentHash(Template.parse("$arg_user")), servers);
    }

    private static ServerConfig server(int id, String address, int weight) {
        return ServerConfig.of(id, address).withWeight(weight);
    }

    /** 10.0.0.1:8080, 10.0.0.2:8080 and so on. */
    private static List<ServerConfig> tens(int... weights) {
        return IntStream.range(0, weights.length)
                .mapToObj(i -> server(i, "10.0.0." + (i + 1) + ":8080", weights[i]))
                .toList();
    }

    /** 127.0.0.1:19101, :19102 and :19103. */
    private static List<ServerConfig> locals(int... weights) {
        return IntStream.range(0, weights.length)
                .mapToObj(i -> server(i, "127.0.0.1:" + (19101 + i), weights[i]))
                .toList();
    }

    private static List<ServerConfig> without(List<ServerConfig> servers, int number) {
        List<ServerConfig> left = new ArrayList<>(servers);
        left.set(number - 1, left.get(number - 1).withState(AdminState.DOWN));
        return left;
    }

    private static int pick(List<ServerConfig> servers, String key) {
        return number(picks(servers).request(Values.key(key)).attempt());
    }

    private static int number(String letter) {
        return letter.charAt(0) - 'a' + 1;
    }

    @ParameterizedTest
    @CsvFileSource(resources = "/recorded/ring.csv", numLinesToSkip = 1)
    void asComputed(String key, String crc, int start, int pick, int no1, int no2, int no3, String weighted) {
        int hash = Crc32.value(Crc32.add(Crc32.START, key));
        assertThat(hash).isEqualTo(Integer.parseUnsignedInt(crc, 16));
        assertThat(HashRing.of(tens(1, 1, 1)).find(hash)).isEqualTo(start);
        assertThat(pick(tens(1, 1, 1), key)).isEqualTo(pick);
        assertThat(pick(without(tens(1, 1, 1), 1), key)).isEqualTo(no1);
        assertThat(pick(without(tens(1, 1, 1), 2), key)).isEqualTo(no2);
        assertThat(pick(without(tens(1, 1, 1), 3), key)).isEqualTo(no3);
        if (weighted != null) {
            assertThat(pick(tens(3, 1, 1), key)).isEqualTo(Integer.parseInt(weighted));
        }
    }

    @ParameterizedTest
    @CsvFileSource(resources = "/recorded/ring-start.csv", numLinesToSkip = 1)
    void asRecorded(String key, int equal, int equalStart, int weighted, int weightedStart, int no2) {
        int hash = Crc32.value(Crc32.add(Crc32.START, key));
        assertThat(HashRing.of(locals(1, 1, 1)).find(hash)).isEqualTo(equalStart);
        assertThat(HashRing.of(locals(3, 1, 1)).find(hash)).isEqualTo(weightedStart);
        assertThat(pick(locals(1, 1, 1), key)).isEqualTo(equal);
        assertThat(pick(locals(3, 1, 1), key)).isEqualTo(weighted);
        assertThat(pick(without(locals(1, 1, 1), 2), key)).isEqualTo(no2);
    }

    @Test
    void pointsOfTheRing() {
        HashRing ring = HashRing.of(tens(1, 1, 1));
        assertThat(ring.size()).isEqualTo(480);
        long[] lowest = {0x0109dc03, 0x01154263, 0x0158e054, 0x029b5d5a, 0x02b5b22f, 0x02de7f35};
        int[] owners = {3, 1, 3, 2, 2, 3};
        for (int i = 0; i < lowest.length; i++) {
            assertThat(ring.point(i)).isEqualTo((int) lowest[i]);
            assertThat(ring.owner(i)).isEqualTo(owners[i] - 1);
        }
        assertThat(ring.point(479)).isEqualTo(0xff77e0d0);
        assertThat(ring.owner(479)).isEqualTo(2);
        HashRing first = HashRing.of(tens(1));
        assertThat(IntStream.range(0, first.size()).map(first::point)).contains(0xf1ea5a8f, 0x4bd08e68, 0x84e5eeee);
        assertThat(HashRing.of(tens(3, 1, 1)).size()).isEqualTo(800);
    }

    @Test
    void serverTextWithoutAPort() {
        HashRing ring = HashRing.of(List.of(server(0, "backend1", 1)));
        assertThat(ring.point(0)).isEqualTo(0x00427123);
        assertThat(ring.point(1)).isEqualTo(0x0076e0c9);
    }

    @Test
    void unixPrefixIsNoPartOfTheHost() {
        HashRing one = HashRing.of(List.of(server(0, "unix:/run/app.sock", 1)));
        HashRing other = HashRing.of(List.of(server(0, "UNIX:/run/app.sock", 1)));
        assertThat(IntStream.range(0, 160).map(one::point).toArray())
                .isEqualTo(IntStream.range(0, 160).map(other::point).toArray());
    }

    private static int[] spread(List<ServerConfig> servers) {
        Picks picks = picks(servers);
        return IntStream.range(0, KEYS)
                .map(i -> number(picks.request(Values.key("key" + i)).attempt()))
                .toArray();
    }

    @Test
    void sharesOfThreeServersAndWhatAFourthTakes() {
        int[] before = spread(tens(1, 1, 1));
        long[] shares = new long[4];
        for (int number : before) {
            shares[number]++;
        }
        assertThat(shares).containsExactly(0, 6255, 6284, 7461);
        int[] after = spread(tens(1, 1, 1, 1));
        int moved = 0;
        for (int i = 0; i < KEYS; i++) {
            if (before[i] != after[i]) {
                moved++;
                assertThat(after[i]).as("no key moves between two that stay").isEqualTo(4);
            }
        }
        assertThat(moved / (double) KEYS).isBetween(0.2315, 0.2325);
    }

    @Test
    void removalMovesTheKeysOfTheRemovedAlone() {
        int servers = 20;
        int[] weights = IntStream.generate(() -> 1).limit(servers).toArray();
        List<ServerConfig> all = tens(weights);
        List<ServerConfig> left = all.stream().filter(s -> s.id() != 6).toList();
        int[] before = spread(all);
        int[] after = spread(left);
        int moved = 0;
        for (int i = 0; i < KEYS; i++) {
            if (before[i] == 7) {
                moved++;
                assertThat(after[i]).isNotEqualTo(7);
            } else {
                assertThat(after[i]).isEqualTo(before[i]);
            }
        }
        assertThat(moved).isBetween(KEYS / servers / 2, KEYS / servers * 2);
    }

    @Test
    void peersOfOneTextTakeTurns() {
        Picks picks = picks(List.of(
                server(0, "10.0.0.1:8080", 1),
                server(1, "10.0.0.1:8080", 2),
                tens(1, 1).get(1)));
        // alpha belongs to 10.0.0.1
        StringBuilder letters = new StringBuilder();
        for (int i = 0; i < 6; i++) {
            letters.append(picks.request(Values.key("alpha")).attempt());
        }
        assertThat(letters).hasToString("babbab");
    }

    @Test
    void retryStaysOnTheRing() {
        Picks picks = picks(tens(1, 1, 1)).request(Values.key("alpha"));
        assertThat(picks.attempt() + picks.attempt()).isEqualTo("ab");
    }

    @Test
    void ringIsBuiltAnewOnlyIfTextsOrWeightsChange() {
        Picks picks = picks(tens(1, 1, 1));
        Object ring = ring(picks, tens(1, 1, 1));
        assertThat(ring(picks, without(tens(1, 1, 1), 2))).isSameAs(ring);
        assertThat(ring(picks, tens(1, 1, 2))).isNotSameAs(ring);
    }

    private static Object ring(Picks picks, List<ServerConfig> servers) {
        picks.configure(servers);
        return ConsistentHash.ring(picks.zone.primary());
    }

    @Test
    @Timeout(60)
    void ringOfALargeGroupIsBuiltWhileAnotherThreadHoldsTheLock() throws Exception {
        List<ServerConfig> servers = IntStream.range(0, 10_000)
                .mapToObj(i -> server(i, "10.0." + i / 250 + "." + (1 + i % 250) + ":8080", 1))
                .toList();
        ConsistentHash method = new ConsistentHash(Template.parse("$arg_user"));
        Zone zone = new Zone("g");
        ExecutorService control = Executors.newSingleThreadExecutor();
        zone.lock();
        try {
            Zone.Change change = control.submit(() -> zone.prepare(Servers.specs(servers), method::indexes, 0))
                    .get();
            change.apply(0);
            assertThat(ConsistentHash.ring(zone.primary()).size()).isBetween(1_599_000, 1_600_000);
        } finally {
            zone.unlock();
            control.shutdown();
        }
    }

    @Test
    void aRingTakesEightBytesAPointAlsoWhileItIsBuilt() {
        List<ServerConfig> servers = tens(1000, 1000);
        long before = Servers.allocated();
        HashRing ring = HashRing.of(servers);
        long allocated = Servers.allocated() - before;
        assertThat(ring.size()).isBetween(319_900, 320_000);
        assertThat(allocated).isBetween(8L * ring.size(), 9L * ring.size());
    }

    @Test
    void nobodyIsEligible() {
        List<ServerConfig> servers = without(without(tens(1, 1), 1), 2);
        assertThat(picks(servers).request(Values.key("alpha")).attempt()).isEqualTo("-");
    }
}
