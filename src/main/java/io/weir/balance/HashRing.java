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

    /** Unsigned, ascending, no two equal. */
    private final int[] points;

    /** The name of each point. */
    private final int[] owners;

    private HashRing(List<Mark> marks, List<String> names, int[] points, int[] owners) {
        this.marks = marks;
        this.names = names;
        this.points = points;
        this.owners = owners;
    }

    /** How many points the servers have at most. */
    static long size(List<ServerConfig> servers) {
        long size = 0;
        for (ServerConfig server : servers) {
            size += (long) POINTS_PER_WEIGHT * server.weight();
        }
        return size;
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
        // a point above, its owner below: one sort orders both, and the earlier server wins where two points meet;
        // the point's highest bit is flipped, so that signed numbers sort as unsigned ones
        long[] sorted = new long[Math.toIntExact(size)];
        int at = 0;
        for (int i = 0; i < names.size(); i++) {
            at = addPoints(names.get(i), i, weights.getOrDefault(names.get(i), 0), sorted, at);
        }
        Arrays.sort(sorted);
        int[] points = new int[sorted.length];
        int[] owners = new int[sorted.length];
        int count = 0;
        for (long entry : sorted) {
            int point = (int) (entry >>> 32) ^ Integer.MIN_VALUE;
            if (count == 0 || points[count - 1] != point) {
                points[count] = point;
                owners[count] = (int) entry;
                count++;
            }
        }
        return new HashRing(marks, names, Arrays.copyOf(points, count), Arrays.copyOf(owners, count));
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
        return points.length;
    }

    int point(int index) {
        return points[index];
    }

    /** Which of the {@link #names} owns the point at an index. */
    int owner(int index) {
        return owners[index];
    }

    /** The index of the first point that is not below {@code hash} (unsigned); the size if there is none. */
    int find(int hash) {
        int low = 0;
        int high = points.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (Integer.compareUnsigned(points[middle], hash) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
