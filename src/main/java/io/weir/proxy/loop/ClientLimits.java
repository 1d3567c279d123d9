package io.weir.proxy.loop;

import java.net.InetAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** How many clients a listener has, in all and by address. Safe on every thread. */
public final class ClientLimits {

    /** What became of one who wanted in. */
    public enum Entry {
        IN,
        LISTENER_FULL,
        ADDRESS_FULL
    }

    private final AtomicInteger open = new AtomicInteger();
    private final Map<InetAddress, Integer> openByAddress = new ConcurrentHashMap<>();

    /**
     * Counts one more. Whoever is told that there is no room is counted too, until it leaves.
     *
     * @param most 0 for no limit
     * @param mostPerAddress 0 for no limit
     */
    public Entry enter(InetAddress address, int most, int mostPerAddress) {
        int all = open.incrementAndGet();
        int its = openByAddress.merge(address, 1, Integer::sum);
        if (exceeds(all, most)) {
            return Entry.LISTENER_FULL;
        }
        return exceeds(its, mostPerAddress) ? Entry.ADDRESS_FULL : Entry.IN;
    }

    private static boolean exceeds(int number, int limit) {
        return limit > 0 && number > limit;
    }

    /** One who entered has gone. */
    public void leave(InetAddress address) {
        openByAddress.computeIfPresent(address, (same, number) -> number == 1 ? null : number - 1);
        open.decrementAndGet();
    }

    /** Those who have not left. */
    public int open() {
        return open.get();
    }
}
