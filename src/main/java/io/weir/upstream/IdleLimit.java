package io.weir.upstream;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What the caches of one group, one on each event loop, know of each other: how many connections are idle in all, and
 * who holds more than its share. Safe on every thread.
 */
final class IdleLimit {

    private final AtomicInteger total = new AtomicInteger();
    private final List<KeepaliveCache<?>> caches = new CopyOnWriteArrayList<>();

    void register(KeepaliveCache<?> cache) {
        caches.add(cache);
    }

    void deregister(KeepaliveCache<?> cache) {
        caches.remove(cache);
    }

    int total() {
        return total.get();
    }

    int added() {
        return total.incrementAndGet();
    }

    void removed() {
        total.decrementAndGet();
    }

    /** What a cache may hold without giving any up: its fair share, at least 1. */
    int share(int limit) {
        return Math.max(1, leastShare(limit));
    }

    /** What every cache may hold at the same time; 0 if there are more caches than connections allowed. */
    int leastShare(int limit) {
        return limit / Math.max(1, caches.size());
    }

    /** Asks the fullest cache other than {@code asking} to give one up; false if all others are empty. */
    boolean askFullest(KeepaliveCache<?> asking) {
        KeepaliveCache<?> fullest = null;
        for (KeepaliveCache<?> cache : caches) {
            if (cache != asking && cache.size() > (fullest == null ? 0 : fullest.size())) {
                fullest = cache;
            }
        }
        if (fullest == null) {
            return false;
        }
        fullest.askToEvict();
        return true;
    }

    /** Asks every cache to close what may no longer be kept. */
    void sweep() {
        caches.forEach(KeepaliveCache::askToSweep);
    }
}
