package io.weir.zone;

import io.weir.config.GroupProtocol;
import io.weir.config.ServerConfig;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All shared state of one upstream group, behind one lock.
 *
 * <p>The lock is held for a pick or a release, never across anything that waits. {@link #reconcile},
 * {@link #load} and {@link #snapshot} take it themselves, {@link #prepare} needs none; everything else wants it held by the caller. Only
 * one thread at a time may change the peers.
 *
 * <p>Differs from nginx: a new configuration does not make a new zone. Peers that stay keep their connections, failures,
 * counters and current weights.
 */
public final class Zone {

    /** So many peers are read under one hold of the lock: some 20 microseconds at worst. */
    private static final int SNAPSHOT_PIECE = 64;

    private final String name;
    private final GroupProtocol protocol;
    private final ReentrantLock lock = new ReentrantLock();
    private final PeerGroup primary = new PeerGroup();
    private final PeerGroup backup = new PeerGroup();
    private final GroupCounters counters = new GroupCounters();
    private volatile long revision;
    private boolean running;
    private boolean single;
    private int zombies;
    private long marks;

    /** A zone without peers, of a group of HTTP servers. */
    public Zone(String name) {
        this(name, GroupProtocol.HTTP);
    }

    /** A zone without peers. */
    public Zone(String name, GroupProtocol protocol) {
        this.name = name;
        this.protocol = protocol;
    }

    /** Of the group. */
    public String name() {
        return name;
    }

    /** Of the group. */
    public GroupProtocol protocol() {
        return protocol;
    }

    public GroupCounters counters() {
        return counters;
    }

    public void lock() {
        lock.lock();
    }

    public void unlock() {
        lock.unlock();
    }

    public PeerGroup primary() {
        return primary;
    }

    public PeerGroup backup() {
        return backup;
    }

    /** Whether it is exactly one primary and no backup: such a peer is never taken out and never retried. */
    public boolean isSingle() {
        return single;
    }

    /** How often a request may be tried: peers that the operator wants up, also while failures keep them out. */
    public int tries() {
        return primary.tries() + backup.tries();
    }

    /** A value that no peer is marked with. */
    public long nextMark() {
        return ++marks;
    }

    /** An attempt at {@code peer} begins. */
    public void acquire(Peer peer, long now) {
        peer.acquire(now);
    }

    /**
     * An attempt ends, also one at a peer that was removed meanwhile.
     *
     * @param failure why it counts as a failure, or null if it does not
     */
    public void release(Peer peer, long now, @Nullable FailureReason failure) {
        peer.release(now, failure);
        if (peer.isRemoved() && peer.conns() == 0) {
            zombies--;
        }
    }

    /** The revision of the configuration that the group follows. */
    public void revision(long value) {
        revision = value;
    }

    /**
     * Makes {@code specs} the peers of the group, in that order, for a method without indexes; takes the lock. See
     * {@link #prepare}.
     *
     * @return the peers that were removed
     */
    public List<Peer> reconcile(List<PeerSpec> specs, long now) {
        Change change = prepare(specs, PeerIndex.Maker.NONE, now);
        lock.lock();
        try {
            return change.apply(now);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Gets ready to make {@code specs} the peers of the group, in that order. A peer with the same server id and address
     * stays and takes the new parameters; others are removed, and finish what they have in progress. Takes no lock, and
     * changes nothing yet.
     */
    public Change prepare(List<PeerSpec> specs, PeerIndex.Maker maker, long now) {
        Map<PeerKey, Peer> leaving = new HashMap<>();
        Set<PeerKey> taken = new HashSet<>();
        for (PeerGroup group : List.of(primary, backup)) {
            for (Peer peer : group.peers()) {
                leaving.put(PeerKey.unique(peer.id(), peer.address(), taken), peer);
            }
        }
        taken.clear();
        Set<Peer> fresh = new HashSet<>();
        Tier primaries = new Tier();
        Tier backups = new Tier();
        for (PeerSpec spec : specs) {
            Peer peer = leaving.remove(PeerKey.unique(spec.server().id(), spec.address(), taken));
            if (peer == null) {
                peer = new Peer(spec, now);
                fresh.add(peer);
            }
            (spec.server().backup() ? backups : primaries).add(peer, spec.server());
        }
        return new Change(
                primaries,
                primaries.indexes(maker, primary),
                backups,
                backups.indexes(maker, backup),
                List.copyOf(leaving.values()),
                fresh);
    }

    /** The peers that a tier shall have, each with its server. */
    private record Tier(List<Peer> peers, List<ServerConfig> servers) {

        Tier() {
            this(new ArrayList<>(), new ArrayList<>());
        }

        void add(Peer peer, ServerConfig server) {
            peers.add(peer);
            servers.add(server);
        }

        List<PeerIndex> indexes(PeerIndex.Maker maker, PeerGroup before) {
            return maker.make(Collections.unmodifiableList(peers), Collections.unmodifiableList(servers), before);
        }
    }

    /** What {@link #prepare} has made ready. Outdated as soon as another change is applied. */
    public final class Change {

        private final Tier primaries;
        private final List<PeerIndex> primaryIndexes;
        private final Tier backups;
        private final List<PeerIndex> backupIndexes;
        private final List<Peer> leaving;
        private final Set<Peer> fresh;

        private Change(
                Tier primaries,
                List<PeerIndex> primaryIndexes,
                Tier backups,
                List<PeerIndex> backupIndexes,
                List<Peer> leaving,
                Set<Peer> fresh) {
            this.primaries = primaries;
            this.primaryIndexes = primaryIndexes;
            this.backups = backups;
            this.backupIndexes = backupIndexes;
            this.leaving = leaving;
            this.fresh = fresh;
        }

        /**
         * Makes it so. The caller holds the zone lock.
         *
         * @return the peers that were removed
         */
        public List<Peer> apply(long now) {
            primary.leave();
            backup.leave();
            single = primaries.peers.size() == 1 && backups.peers.isEmpty();
            configure(primaries, now);
            configure(backups, now);
            for (Peer peer : leaving) {
                peer.remove();
                zombies += peer.conns() > 0 ? 1 : 0;
            }
            primary.become(primaries.peers, primaryIndexes);
            backup.become(backups.peers, backupIndexes);
            running = true;
            return leaving;
        }

        private void configure(Tier tier, long now) {
            for (int i = 0; i < tier.peers.size(); i++) {
                Peer peer = tier.peers.get(i);
                peer.configure(tier.servers.get(i), single, now);
                if (running && fresh.contains(peer)) {
                    peer.warmUp(now);
                }
            }
        }
    }

    /** Two peers of one server may have the same address; they are told apart by their order. */
    private record PeerKey(int id, SocketAddress address, int occurrence) {

        static PeerKey unique(int id, SocketAddress address, Set<PeerKey> taken) {
            PeerKey key = new PeerKey(id, address, 0);
            while (!taken.add(key)) {
                key = new PeerKey(id, address, key.occurrence + 1);
            }
            return key;
        }
    }

    /** What a server has to do now, over all its peers; nothing if it has none. Takes the lock for its peers alone. */
    public ServerLoad load(int serverId) {
        Peer[] primaries;
        Peer[] backups;
        lock.lock();
        try {
            primaries = primary.peers();
            backups = backup.peers();
        } finally {
            lock.unlock();
        }
        Peer[] its = Stream.of(primaries, backups)
                .flatMap(Arrays::stream)
                .filter(peer -> peer.id() == serverId)
                .toArray(Peer[]::new);
        int conns = 0;
        long requests = 0;
        lock.lock();
        try {
            for (Peer peer : its) {
                conns += peer.conns();
                requests += peer.requests();
            }
        } finally {
            lock.unlock();
        }
        return new ServerLoad(conns, requests);
    }

    /** What is true now. Takes the lock for some peers at a time, so that picks go on meanwhile. */
    public ZoneSnapshot snapshot(long now) {
        Peer[] primaries;
        Peer[] backups;
        boolean isSingle;
        int zombieCount;
        lock.lock();
        try {
            primaries = primary.peers();
            backups = backup.peers();
            isSingle = single;
            zombieCount = zombies;
        } finally {
            lock.unlock();
        }
        List<PeerSnapshot> peers = new ArrayList<>(primaries.length + backups.length);
        read(primaries, now, false, peers);
        boolean primaryEligible = peers.stream().anyMatch(PeerSnapshot::eligible);
        read(backups, now, primaryEligible, peers);
        return new ZoneSnapshot(name, protocol, now, revision, isSingle, peers, zombieCount, counters.snapshot());
    }

    @SuppressWarnings("ThreadPriorityCheck")
    private void read(Peer[] from, long now, boolean primaryEligible, List<PeerSnapshot> to) {
        for (int start = 0; start < from.length; start += SNAPSHOT_PIECE) {
            lock.lock();
            try {
                for (Peer peer : Arrays.asList(from).subList(start, Math.min(start + SNAPSHOT_PIECE, from.length))) {
                    to.add(peer.snapshot(now, primaryEligible));
                }
            } finally {
                lock.unlock();
            }
            if (lock.hasQueuedThreads()) {
                // the lock is not fair: without this, who waits would find it taken again
                Thread.yield();
            }
        }
    }
}
