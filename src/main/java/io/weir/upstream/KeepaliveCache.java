package io.weir.upstream;

import io.weir.config.KeepaliveConfig;
import io.weir.zone.Peer;
import java.net.SocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A group's idle connections on one event loop: found by the peer's address, the most recently stored first; when there
 * are too many, the least recently stored is closed.
 *
 * <p>Confined to the thread of its loop, except {@link #create} and {@link #size}. The limit of the configuration holds
 * for all caches of the group together: when a connection is stored beyond it, this cache gives one up if it holds its
 * fair share already, and otherwise the fullest does, on its own loop, a moment later. Who looks after connections while
 * they are idle, and ends them after {@code keepalive.timeout}, calls {@link #remove}.
 *
 * <p>Differs from nginx: the limit is the group's, not each worker's; and connections to a server that drains or is down are
 * not kept, so that it sees them end.
 *
 * @param <C> a connection; compared by nothing, so that any type will do
 * @see <a href="https://nginx.org/en/docs/http/ngx_http_upstream_module.html#keepalive">nginx: keepalive</a>
 */
public final class KeepaliveCache<C> {

    /** A connection while it is stored. */
    public static final class Entry<C> {

        private final C connection;
        private final Peer peer;
        private final Object owner;
        private boolean stored = true;
        private @Nullable Entry<C> newer;
        private @Nullable Entry<C> older;
        private @Nullable Entry<C> newerOfAddress;
        private @Nullable Entry<C> olderOfAddress;

        private Entry(C connection, Peer peer, Object owner) {
            this.connection = connection;
            this.peer = peer;
            this.owner = owner;
        }

        public C connection() {
            return connection;
        }

        public Peer peer() {
            return peer;
        }
    }

    /** The newest connection of one address; kept while it is empty, as it will most likely be filled again at once. */
    private static final class Shelf<C> {
        private @Nullable Entry<C> newest;
    }

    private final UpstreamGroup group;
    private final Executor loop;
    private final Consumer<C> closer;
    private final Map<SocketAddress, Shelf<C>> byAddress = new HashMap<>();
    private @Nullable Entry<C> newest;
    private @Nullable Entry<C> oldest;
    private int count;

    /** The same for other threads. */
    private volatile int size;

    private KeepaliveCache(UpstreamGroup group, Executor loop, Consumer<C> closer) {
        this.group = group;
        this.loop = loop;
        this.closer = closer;
    }

    /**
     * Makes the cache of one event loop and lets the group know of it.
     *
     * @param loop runs tasks on the thread of that loop; may reject them once it is shut down
     * @param closer closes a connection that the cache gives up; called on that thread
     */
    public static <C> KeepaliveCache<C> create(UpstreamGroup group, Executor loop, Consumer<C> closer) {
        KeepaliveCache<C> cache = new KeepaliveCache<>(group, loop, closer);
        group.idleLimit().register(cache);
        return cache;
    }

    /** Connections stored here; safe on every thread. */
    public int size() {
        return size;
    }

    /**
     * Takes the most recently stored connection to the peer's address out of the cache.
     *
     * @param owner what the connection must have been stored with if the group says {@code local}; compared by equals
     */
    public @Nullable C take(Peer peer, Object owner) {
        Shelf<C> shelf = byAddress.get(peer.address());
        if (shelf == null) {
            return null;
        }
        boolean local = group.keepalive().local();
        for (Entry<C> entry = shelf.newest; entry != null; entry = entry.olderOfAddress) {
            if (!local || entry.owner.equals(owner)) {
                unlink(entry);
                return entry.connection;
            }
        }
        return null;
    }

    /**
     * Keeps a connection that is idle from now on.
     *
     * @param requests served on it so far
     * @param openedNanos when it was opened, by the same clock as {@code now}
     * @return null if it is not to be kept, and the caller closes it
     */
    public @Nullable Entry<C> store(C connection, Peer peer, Object owner, int requests, long openedNanos, long now) {
        KeepaliveConfig config = group.keepalive();
        if (config.connections() == 0
                || requests >= config.requests()
                || now - openedNanos > config.time().nanos()
                || group.isClosed()
                || !peer.keepsIdle()) {
            return null;
        }
        Entry<C> entry = new Entry<>(connection, peer, owner);
        link(entry);
        if (group.idleLimit().added() > config.connections() && !makeRoom(config.connections())) {
            unlink(entry);
            return null;
        }
        return entry;
    }

    /** Has one of the older connections closed, here or elsewhere; false if there is none. */
    private boolean makeRoom(int limit) {
        if (count <= group.idleLimit().share(limit) && group.idleLimit().askFullest(this)) {
            return true;
        }
        if (count == 1) {
            return false;
        }
        evictOldest();
        return true;
    }

    /**
     * Forgets a connection that has ended or shall end; closing it is the caller's affair.
     *
     * @return false if it was not stored any more
     */
    public boolean remove(Entry<C> entry) {
        if (!entry.stored) {
            return false;
        }
        unlink(entry);
        return true;
    }

    /** Closes all connections, and takes part in the group's limit no more; for a loop that shuts down. */
    public void close() {
        group.idleLimit().deregister(this);
        while (oldest != null) {
            evictOldest();
        }
    }

    /** Gives up one connection soon, if the group still has too many. Safe on every thread. */
    void askToEvict() {
        execute(() -> {
            IdleLimit limit = group.idleLimit();
            if (limit.total() <= group.keepalive().connections()) {
                return;
            }
            if (oldest == null) {
                limit.askFullest(this);
            } else {
                evictOldest();
            }
        });
    }

    /** Closes soon what may no longer be kept. Safe on every thread. */
    void askToSweep() {
        execute(this::sweep);
    }

    private void sweep() {
        int limit = group.isClosed() ? 0 : group.keepalive().connections();
        for (Entry<C> entry = oldest; entry != null; ) {
            Entry<C> next = entry.newer;
            if (!entry.peer.keepsIdle()) {
                evict(entry);
            }
            entry = next;
        }
        byAddress.values().removeIf(shelf -> shelf.newest == null);
        int keep = group.idleLimit().leastShare(limit);
        while (count > keep && group.idleLimit().total() > limit) {
            evictOldest();
        }
    }

    private void execute(Runnable task) {
        try {
            loop.execute(task);
        } catch (RejectedExecutionException e) {
            // the loop has shut down, and its connections with it
            group.idleLimit().deregister(this);
        }
    }

    private void evictOldest() {
        Entry<C> entry = oldest;
        if (entry != null) {
            evict(entry);
        }
    }

    private void evict(Entry<C> entry) {
        unlink(entry);
        closer.accept(entry.connection);
    }

    private void link(Entry<C> entry) {
        entry.older = newest;
        if (newest == null) {
            oldest = entry;
        } else {
            newest.newer = entry;
        }
        newest = entry;
        Shelf<C> shelf = byAddress.computeIfAbsent(entry.peer.address(), address -> new Shelf<>());
        Entry<C> before = shelf.newest;
        entry.olderOfAddress = before;
        if (before != null) {
            before.newerOfAddress = entry;
        }
        shelf.newest = entry;
        size = ++count;
        entry.peer.idleAdded();
    }

    private void unlink(Entry<C> entry) {
        Entry<C> newerEntry = entry.newer;
        Entry<C> olderEntry = entry.older;
        if (newerEntry == null) {
            newest = olderEntry;
        } else {
            newerEntry.older = olderEntry;
        }
        if (olderEntry == null) {
            oldest = newerEntry;
        } else {
            olderEntry.newer = newerEntry;
        }
        takeOffShelf(entry);
        entry.stored = false;
        size = --count;
        group.idleLimit().removed();
        entry.peer.idleRemoved();
    }

    private void takeOffShelf(Entry<C> entry) {
        Entry<C> newerEntry = entry.newerOfAddress;
        Entry<C> olderEntry = entry.olderOfAddress;
        if (olderEntry != null) {
            olderEntry.newerOfAddress = newerEntry;
        }
        if (newerEntry != null) {
            newerEntry.olderOfAddress = olderEntry;
            return;
        }
        Shelf<C> shelf = byAddress.get(entry.peer.address());
        if (shelf != null) {
            shelf.newest = olderEntry;
        }
    }
}
