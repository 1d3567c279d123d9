package io.weir.proxy.loop;

import java.net.InetAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** How many clients a listener has, in all and by address. Safe on every thread. */
public final class ClientLimits {

    private final AtomicInteger open = new AtomicInteger();
    private final Map<InetAddress, Integer> openByAddress = new ConcurrentHashMap<>();

    /** Counts one more, and tells how many there are now. */
    public int enter() {
        return open.incrementAndGet();
    }

    /** Counts one more of this address, and tells how many there are now. */
    public int enter(InetAddress address) {
        return openByAddress.merge(address, 1, Integer::sum);
    }

    /** @param limit 0 for none */
    public static boolean exceeds(int number, int limit) {
        return limit > 0 && number > limit;
    }

    public void leave() {
        open.decrementAndGet();
    }

    public void leave(InetAddress address) {
        openByAddress.computeIfPresent(address, (same, number) -> number == 1 ? null : number - 1);
    }

    /** Those who have not left. */
    public int open() {
        return open.get();
    }
}
