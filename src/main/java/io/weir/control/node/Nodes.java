package io.weir.control.node;

import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * This node, and the others on the same database as they were seen last. Safe on every thread; never asks the database,
 * which is up to whoever calls {@link #saw}.
 */
@Component
public class Nodes {

    /** A node tells of itself each second; one that was silent for five times that is dead, or cut off. */
    public static final Duration SILENCE = Duration.ofSeconds(5);

    private static final int LONGEST_NAME = 255;

    /**
     * All other nodes, as of one look at the database.
     *
     * @param nanos when the look began
     */
    private record View(List<Sighting> others, long nanos) {}

    private final AtomicInteger waiting = new AtomicInteger();
    private volatile Node self;
    private volatile @Nullable View view;

    Nodes(NodeProperties properties) {
        String name = properties.name();
        String shown = name == null || name.isBlank() ? hostName() : name.strip();
        self = new Node(
                UUID.randomUUID().toString(),
                shown.length() > LONGEST_NAME ? shown.substring(0, LONGEST_NAME) : shown,
                version(),
                Instant.ofEpochMilli(ManagementFactory.getRuntimeMXBean().getStartTime()),
                0,
                null);
    }

    private static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "localhost";
        }
    }

    /** As in the manifest of the jar; a build directory has none. */
    private static String version() {
        String version = Nodes.class.getPackage().getImplementationVersion();
        return version == null ? "development" : version;
    }

    /** This node. */
    public Node self() {
        return self;
    }

    /** What this node has to tell from now on; whether that is news. Called by one thread at a time. */
    public boolean tell(long revision, @Nullable NotApplied failure) {
        Node s = self;
        Node next = new Node(s.id(), s.name(), s.version(), s.startedAt(), revision, failure);
        self = next;
        return !next.equals(s);
    }

    /** The other nodes, dead ones included, as they were seen last. */
    public List<Sighting> others() {
        View seen = view;
        return seen == null ? List.of() : seen.others;
    }

    /** Whether another node has told of itself lately. Nobody has while the database is down. */
    public boolean isLive(Sighting other) {
        View seen = view;
        return seen != null && isLive(other, seen, System.nanoTime());
    }

    private static boolean isLive(Sighting other, View seen, long now) {
        return other.age().plusNanos(now - seen.nanos).compareTo(SILENCE) < 0;
    }

    /** How many nodes are alive, this one included. */
    public int live() {
        return 1 + (int) others().stream().filter(this::isLive).count();
    }

    /** How many others have been silent for long. */
    public int silent() {
        return others().size() + 1 - live();
    }

    /** Whether somebody waits for news of the other nodes. */
    public boolean isAwaited() {
        return waiting.get() > 0;
    }

    /**
     * Takes what the database says of the nodes.
     *
     * @param nanos when it was asked, by {@link System#nanoTime}
     */
    public void saw(List<Sighting> nodes, long nanos) {
        String own = self.id();
        view = new View(
                nodes.stream().filter(seen -> !seen.node().id().equals(own)).toList(), nanos);
        synchronized (waiting) {
            waiting.notifyAll();
        }
    }

    /**
     * Waits until all nodes that are alive run a revision, or a later one. Whoever dies meanwhile is not waited for.
     *
     * @return null once they do, or who does not at the end of {@code limit}
     */
    public @Nullable Lag await(long revision, Duration limit) {
        long begin = System.nanoTime();
        waiting.incrementAndGet();
        try {
            synchronized (waiting) {
                while (true) {
                    View seen = view;
                    boolean fresh = seen != null && seen.nanos - begin >= 0;
                    List<Node> lacking = lacking(seen, revision);
                    if (fresh && lacking.isEmpty()) {
                        return null;
                    }
                    long left = limit.toNanos() - (System.nanoTime() - begin);
                    if (left <= 0) {
                        return new Lag(revision, lacking, fresh);
                    }
                    TimeUnit.NANOSECONDS.timedWait(waiting, left);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Lag(revision, lacking(view, revision), false);
        } finally {
            waiting.decrementAndGet();
        }
    }

    private List<Node> lacking(@Nullable View seen, long revision) {
        List<Node> lacking = new ArrayList<>();
        if (!self.has(revision)) {
            lacking.add(self);
        }
        if (seen != null) {
            long now = System.nanoTime();
            seen.others.stream()
                    .filter(other -> isLive(other, seen, now) && !other.node().has(revision))
                    .forEach(other -> lacking.add(other.node()));
        }
        return lacking;
    }
}
