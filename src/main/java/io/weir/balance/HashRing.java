package io.weir.balance;

import io.weir.config.ServerConfig;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The points of a consistent hash: 160 for each unit of weight of each server, spread over the 32-bit numbers. Where they
 * lie depends on the texts of the servers alone, so that a server that comes or goes takes or leaves its own share.
 * Immutable; several peers of one server text share its points.
 *
 * <p>A point takes 8 bytes, and building takes no more than the ring itself.
 *
 * <p>The points are those of nginx and of the Perl module Cache::Memcached::Fast.
 *
 * @see <a href="https://nginx.org/en/docs/http/ngx_http_upstream_module.html#hash">hash</a>
 */
final class HashRing {

    private static final int POINTS_PER_WEIGHT = 160;

    /** One peer, as far as the ring depends on it. */
    private record Mark(String text, int weight) {}

    private final List<Mark> marks;

    /** The names, each once. */
    private final List<String> names;

    /**
     * The points, ascending, no two equal: a point above, the index of its name below. The highest bit is flipped, so that
     * signed numbers sort as unsigned ones.
     */
    private final long[] entries;

    /** How many of the entries count. */
    private final int size;

    private HashRing(List<Mark> marks, List<String> names, long[] entries, int size) {
        this.marks = marks;
        this.names = names;
        this.entries = entries;
        this.size = size;
    }

    /** The ring of these peers' servers, in order. */
    static HashRing of(List<ServerConfig> servers) {
        List<Mark> marks = marks(servers);
        Map<String, Integer> places = new HashMap<>();
        List<String> names = new ArrayList<>();
        // Several peers of one text make the same points, the heaviest the most of them; each stands once in the end.
        Map<String, Integer> weights = new HashMap<>();
        long size = 0;
        for (Mark mark : marks) {
            int before = weights.getOrDefault(mark.text, 0);
            if (places.putIfAbsent(mark.text, names.size()) == null) {
                names.add(mark.text);
            }
            if (mark.weight > before) {
                weights.put(mark.text, mark.weight);
                size += (long) POINTS_PER_WEIGHT * (mark.weight - before);
            }
        }
        long[] entries = new long[Math.toIntExact(size)];
        int at = 0;
        for (int i = 0; i < names.size(); i++) {
            at = addPoints(names.get(i), i, weights.getOrDefault(names.get(i), 0), entries, at);
        }
        // one sort orders both halves, and the earlier server wins where two points meet
        Arrays.sort(entries);
        int count = 0;
        for (long entry : entries) {
            if (count == 0 || entries[count - 1] >>> 32 != entry >>> 32) {
                entries[count++] = entry;
            }
        }
        // the few that met another leave room at the end: a copy would cost the ring once more
        return new HashRing(marks, names, entries, count);
    }

    private static List<Mark> marks(List<ServerConfig> servers) {
        return servers.stream()
                .map(server -> new Mark(server.address().text(), server.weight()))
                .toList();
    }

    private static int addPoints(String name, int owner, int weight, long[] to, int from) {
        int base = base(name);
        int point = 0;
        int at = from;
        for (int i = 0; i < weight * POINTS_PER_WEIGHT; i++) {
            int state = base;
            for (int shift = 0; shift < 32; shift += 8) {
                state = Crc32.add(state, point >>> shift);
            }
            point = Crc32.value(state);
            to[at++] = (long) (point ^ Integer.MIN_VALUE) << 32 | owner;
        }
        return at;
    }

    /** The state after the host, a zero and the port, as far as the text has one. */
    private static int base(String text) {
        String host = text;
        String port = "";
        if (text.regionMatches(true, 0, "unix:", 0, 5)) {
            host = text.substring(5);
        } else {
            int colon = text.lastIndexOf(':');
            if (colon >= 0 && text.substring(colon + 1).chars().allMatch(c -> c >= '0' && c <= '9')) {
                host = text.substring(0, colon);
                port = text.substring(colon + 1);
            }
        }
        return Crc32.add(Crc32.add(Crc32.add(Crc32.START, host), 0), port);
    }

    /** Whether it is the ring of these peers' servers. */
    boolean isOf(List<ServerConfig> servers) {
        return marks.equals(marks(servers));
    }

    /** The servers' texts, each once, in the order of the peers. */
    List<String> names() {
        return names;
    }

    int size() {
        return size;
    }

    int point(int index) {
        return (int) (entries[index] >>> 32) ^ Integer.MIN_VALUE;
    }

    /** Which of the {@link #names} owns the point at an index. */
    int owner(int index) {
        return (int) entries[index];
    }

    /** The index of the first point that is not below {@code hash} (unsigned); the size if there is none. */
    int find(int hash) {
        int low = 0;
        int high = size;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (Integer.compareUnsigned(point(middle), hash) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
