package io.weir.zone;

import io.weir.config.AdminState;
import io.weir.config.ServerConfig;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * One address of one server, and all that is known about it now.
 *
 * <p>Transitions are methods that take the time, in nanoseconds of the zone's {@link Ticker}. The caller holds the zone
 * lock for everything but identity, {@link #isRemoved}, {@link #keepsIdle} and the count of idle connections, which are safe
 * on every thread.
 *
 * <p>Failures are counted in whole seconds of the ticker, as nginx does: with {@code fail_timeout=10} a peer is left
 * alone for more than 10 and up to 11 seconds. The first request after that is a probe, and starts the time anew for
 * all others, so that there is at most one probe in each {@code fail_timeout}.
 *
 * <p>Differs from nginx: {@code slow_start} is there, and begins when a peer is added to a running group, is no longer
 * down or draining, or has passed a probe.
 *
 * @see <a href="https://nginx.org/en/docs/http/ngx_http_upstream_module.html#server">nginx: server</a>
 */
public final class Peer {

    /** Earlier than any second of any ticker, and so far from overflow that seconds can be subtracted. */
    private static final long LONG_AGO = Long.MIN_VALUE / 2;

    private static final long NANOS_PER_SECOND = 1_000_000_000;

    private final int id;
    private final SocketAddress address;
    private final String name;
    private final AtomicInteger idle = new AtomicInteger();
    private final PeerCounters counters = new PeerCounters();
    private final StateClock stateClock;
    private volatile String server;
    private volatile String route;
    private volatile boolean removed;

    /** Whether the operator wants it up: the same as of {@code adminState}, for other threads. */
    private volatile boolean wanted;

    /** The id that its address makes; null until somebody asks. */
    private volatile @Nullable String addressSid;

    // what the operator asked for
    private AdminState adminState;
    private boolean backup;
    private int weight;
    private int maxConns;
    private int maxFails;
    private long failTimeoutSeconds;
    private long slowStartMillis;

    /** The only peer of a group: never taken out, never retried, never warmed up. */
    private boolean lone;

    /** Where it stands; null before it has a place, and after it was removed. */
    private @Nullable PeerGroup tier;

    private int place = -1;

    // what is true now
    private int conns;
    private int effectiveWeight;
    private long currentWeight;
    private int fails;
    private long accessed = LONG_AGO;
    private long checked = LONG_AGO;
    private long mark;
    private long selectedAt;
    private boolean selected;

    /** What it gains in each round while it is {@link Standing#STEADY}; else 0, and a pick has to look closer. */
    private int steadyGain;

    /**
     * The rounds that {@code currentWeight} lacks; null if it lacks none. An index lets steady peers gain together.
     */
    private @Nullable Rounds rounds;

    /** For methods that go by times; null until one of them asks. */
    private @Nullable PeerTimes times;

    /** While its weight climbs; null for nearly all peers nearly always, so that a pick need not look further. */
    private @Nullable SlowStart slowStart;

    Peer(PeerSpec spec, long now) {
        ServerConfig config = spec.server();
        id = config.id();
        address = spec.address();
        name = PeerSpec.print(address);
        server = config.address().text();
        route = config.route();
        adminState = config.state();
        effectiveWeight = config.weight();
        weight = effectiveWeight;
        take(config);
        stateClock = new StateClock(currentState(), now);
    }

    private void take(ServerConfig config) {
        server = config.address().text();
        route = config.route();
        adminState = config.state();
        wanted = adminState == AdminState.UP;
        backup = config.backup();
        weight = config.weight();
        maxConns = config.maxConns();
        maxFails = config.maxFails();
        failTimeoutSeconds = config.failTimeout().value().toSeconds();
        slowStartMillis = config.slowStart().value().toMillis();
    }

    // ---- identity, safe on every thread ----

    /** The id of its server; a server with several addresses has several peers. */
    public int id() {
        return id;
    }

    /** Printable: {@code ip:port}, {@code [v6]:port} or {@code unix:path}. */
    public String name() {
        return name;
    }

    /** Its server as the operator wrote it. */
    public String server() {
        return server;
    }

    /** An {@code InetSocketAddress} or a {@code UnixDomainSocketAddress}. */
    public SocketAddress address() {
        return address;
    }

    /** What binds requests to it: the route of its server, or else the MD5 of its name in lower-case hexadecimal. */
    public String sid() {
        return sid(route);
    }

    /** Its id with this configuration of its server. */
    public String sid(ServerConfig config) {
        return sid(config.route());
    }

    private String sid(String ofServer) {
        if (!ofServer.isEmpty()) {
            return ofServer;
        }
        String known = addressSid;
        if (known == null) {
            known = md5(name);
            addressSid = known;
        }
        return known;
    }

    private static String md5(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("MD5").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has MD5", e);
        }
    }

    /** Whether it is no longer part of the group; attempts in progress go on. */
    public boolean isRemoved() {
        return removed;
    }

    /**
     * Whether connections to it may wait for further requests: it is part of the group, and up. What drains or is down shall
     * see its connections end.
     */
    public boolean keepsIdle() {
        return wanted && !removed;
    }

    /** Notes that a connection to it was put into a cache. */
    public void idleAdded() {
        idle.incrementAndGet();
    }

    /** Notes that a connection to it was taken out of a cache. */
    public void idleRemoved() {
        idle.decrementAndGet();
    }

    @Override
    public String toString() {
        return name;
    }

    // ---- choosing; the caller holds the zone lock ----

    /** The configured weight. */
    public int weight() {
        return weight;
    }

    public int conns() {
        return conns;
    }

    /** Attempts since it was added. */
    long requests() {
        return counters.requests();
    }

    /** Its place in its tier, from 0; -1 if it is in none. */
    public int place() {
        return place;
    }

    void place(@Nullable PeerGroup group, int index) {
        tier = group;
        place = index;
        noteSteadiness();
    }

    private void noteSteadiness() {
        steadyGain = standing() == Standing.STEADY ? weight : 0;
    }

    private void noteChange() {
        noteSteadiness();
        PeerGroup group = tier;
        if (group != null) {
            group.changed(this);
        }
    }

    public long currentWeight() {
        Rounds joined = rounds;
        return joined == null ? currentWeight : currentWeight + weight * joined.count();
    }

    /** From now on it gains its weight with each of these rounds, instead of by {@link #gainWeight}. */
    public void joinRounds(Rounds joined) {
        currentWeight -= weight * joined.count();
        joined.add(weight);
        rounds = joined;
    }

    /** Takes what it gained with the rounds, if it took part in any. */
    public void leaveRounds() {
        Rounds left = rounds;
        if (left != null) {
            currentWeight = currentWeight();
            left.remove(weight);
            rounds = null;
        }
    }

    /** The current weight without what it gains with the rounds: does not change while others are picked. */
    public long weightApartFromRounds() {
        return currentWeight;
    }

    /** What holds of it until its tier is told of a change, or {@link #retrySecond} comes. */
    public Standing standing() {
        if (adminState != AdminState.UP || (maxConns > 0 && conns >= maxConns)) {
            return Standing.OUT;
        }
        if (isFailed()) {
            return Standing.FAILED;
        }
        return slowStart != null || effectiveWeight < weight ? Standing.UNSTEADY : Standing.STEADY;
    }

    /** The first second in which a peer that has failed is eligible again. */
    public long retrySecond() {
        return checked + failTimeoutSeconds + 1;
    }

    /**
     * Whether a request may go there: up, not failed too often lately, not at {@code max_conns}.
     *
     * @param second see {@link #second}
     */
    public boolean isAvailable(long second) {
        return steadyGain > 0 || adminState == AdminState.UP && hasRoom(second);
    }

    /** The same for a request that is bound to it, which it takes also while it is draining. */
    public boolean isAvailableToBound(long second) {
        return adminState != AdminState.DOWN && hasRoom(second);
    }

    private boolean hasRoom(long second) {
        return !isOut(second) && (maxConns == 0 || conns < maxConns);
    }

    private boolean isOut(long second) {
        return isFailed() && second - checked <= failTimeoutSeconds;
    }

    private boolean isFailed() {
        return fails > 0 && maxFails > 0 && fails >= maxFails && !lone;
    }

    /** The whole second of a moment; time about failures is told in these. */
    public static long second(long nanos) {
        return Math.floorDiv(nanos, NANOS_PER_SECOND);
    }

    /** The weight that methods which compare ratios use: the configured one, or less while it warms up; at least 1. */
    public int ceiling(long now) {
        SlowStart climb = slowStart;
        if (climb == null) {
            return weight;
        }
        if (climb.isOver(now)) {
            slowStart = null;
            return weight;
        }
        return climb.ceiling(weight, now);
    }

    private int effectiveWeight(long now) {
        return Math.min(effectiveWeight, ceiling(now));
    }

    /**
     * One step of smooth weighted round robin: adds the effective weight to the current one. Then an effective weight
     * that failures have lowered recovers by 1.
     *
     * @return what was added
     */
    public int gainWeight(long now) {
        if (steadyGain > 0) {
            currentWeight += steadyGain;
            return steadyGain;
        }
        int gain = effectiveWeight(now);
        currentWeight += gain;
        if (effectiveWeight < weight) {
            effectiveWeight++;
        }
        return gain;
    }

    /** The winner of a round pays what all who took part gained. */
    public void payWeight(long total) {
        currentWeight -= total;
    }

    /** How long it takes to answer. */
    public PeerTimes times() {
        PeerTimes known = times;
        if (known == null) {
            known = new PeerTimes();
            times = known;
        }
        return known;
    }

    /**
     * How many times {@code fail_timeout} has gone by since it was last looked after: picked after such a time, or failed.
     *
     * @param second see {@link #second}
     * @return 0 within the first, at most 63
     */
    public int windowsSinceChecked(long second) {
        long since = second - checked;
        return since <= failTimeoutSeconds ? 0 : (int) Math.min(63, since / (failTimeoutSeconds + 1));
    }

    /** Marks it for one pick, so that it can be told whether a request has tried it. */
    public void mark(long value) {
        mark = value;
    }

    public boolean isMarked(long value) {
        return mark == value;
    }

    // ---- attempts; the caller holds the zone lock ----

    /** An attempt begins. */
    void acquire(long now) {
        conns++;
        counters.begun();
        selected = true;
        selectedAt = now;
        long second = second(now);
        if (!lone && second - checked > failTimeoutSeconds) {
            checked = second;
        }
        noteChange();
    }

    /**
     * An attempt ends.
     *
     * @param failure why it counts as a failure, or null if it does not
     */
    void release(long now, @Nullable FailureReason failure) {
        conns--;
        if (failure != null) {
            counters.failed(failure);
        }
        boolean wasFailed = isFailed();
        if (lone) {
            fails = 0;
        } else if (failure != null) {
            fails++;
            checked = second(now);
            accessed = checked;
            if (maxFails > 0) {
                effectiveWeight = Math.max(0, effectiveWeight - weight / maxFails);
            }
        } else if (accessed < checked) {
            fails = 0;
        }
        failsChanged(wasFailed, now);
    }

    /** A session has its connection, which is all that a peer of sessions can be held to; as nginx's notify of a connect. */
    public void established(long now) {
        boolean wasFailed = isFailed();
        if (accessed < checked) {
            fails = 0;
        }
        failsChanged(wasFailed, now);
    }

    private void failsChanged(boolean wasFailed, long now) {
        if (wasFailed && !isFailed()) {
            warmUp(now);
        }
        followState(now);
        noteChange();
    }

    /** Adds the bytes of an attempt that ended. */
    public void countTransfer(long sentBytes, long receivedBytes) {
        counters.transferred(sentBytes, receivedBytes);
    }

    /**
     * Adds the response of an attempt that ended; times count from the begin of the attempt.
     *
     * @param status of the response head, 100 or more
     */
    public void countResponse(int status, long headerNanos, long responseNanos) {
        counters.answered(status, headerNanos, responseNanos);
    }

    /**
     * Adds a session of a stream that ended, and had got a connection; times count from the begin of the attempt.
     *
     * @param firstByteNanos -1 if nothing came from the peer
     */
    public void countSession(long connectNanos, long firstByteNanos, long sessionNanos) {
        counters.connected(connectNanos, firstByteNanos, sessionNanos);
    }

    // ---- configuration; the caller holds the zone lock ----

    AdminState adminState() {
        return adminState;
    }

    /** Follows a new configuration of its server. */
    void configure(ServerConfig config, boolean onlyPeer, long now) {
        boolean comesBack = adminState != AdminState.UP && config.state() == AdminState.UP;
        if (config.weight() != weight) {
            effectiveWeight = fails == 0 ? config.weight() : Math.min(effectiveWeight, config.weight());
        }
        if (config.backup() != backup) {
            // the sum of its old tier means nothing in the new one
            currentWeight = 0;
        }
        take(config);
        lone = onlyPeer;
        if (slowStart != null) {
            slowStart = lone || slowStartMillis == 0 ? null : new SlowStart(slowStart.since(), slowStartMillis);
        }
        if (comesBack) {
            warmUp(now);
        }
        followState(now);
    }

    /** Begins {@code slow_start}, if it has one. Time takes the place of recovery by requests, so that it ends in time. */
    void warmUp(long now) {
        if (!lone && slowStartMillis > 0) {
            slowStart = new SlowStart(now, slowStartMillis);
            effectiveWeight = weight;
        }
    }

    void remove() {
        removed = true;
    }

    // ---- state ----

    private PeerState currentState() {
        if (adminState == AdminState.DOWN) {
            return PeerState.DOWN;
        }
        if (isFailed()) {
            return PeerState.UNAVAIL;
        }
        return adminState == AdminState.DRAIN ? PeerState.DRAINING : PeerState.UP;
    }

    private void followState(long now) {
        if (stateClock.follow(currentState(), now) && stateClock.state() == PeerState.UNAVAIL) {
            counters.becameUnavailable();
        }
    }

    PeerSnapshot snapshot(long now, boolean primaryEligible) {
        long second = second(now);
        boolean eligible = isAvailable(second);
        return new PeerSnapshot(
                id,
                server,
                name,
                backup,
                adminState,
                stateClock.state(),
                eligible,
                reasons(now, eligible && backup && primaryEligible),
                warmedPercent(now),
                weight,
                effectiveWeight(now),
                currentWeight(),
                conns,
                maxConns,
                fails,
                idle.get(),
                counters.snapshot(stateClock.downNanos(now)),
                isOut(second) ? unavailableFor(now) : 0,
                selected ? Math.max(0, now - selectedAt) : -1,
                stateClock.inStateNanos(now));
    }

    private int warmedPercent(long now) {
        SlowStart climb = slowStart;
        return climb == null || climb.isOver(now) ? -1 : climb.percent(now);
    }

    private Set<PeerReason> reasons(long now, boolean standby) {
        Set<PeerReason> reasons = EnumSet.noneOf(PeerReason.class);
        if (adminState == AdminState.DOWN) {
            reasons.add(PeerReason.ADMIN_DOWN);
        } else if (adminState == AdminState.DRAIN) {
            reasons.add(PeerReason.DRAINING);
        }
        if (isOut(second(now))) {
            reasons.add(PeerReason.MAX_FAILS);
        }
        if (maxConns > 0 && conns >= maxConns) {
            reasons.add(PeerReason.MAX_CONNS);
        }
        if (slowStart != null && !slowStart.isOver(now)) {
            reasons.add(PeerReason.WARMING);
        }
        if (standby) {
            reasons.add(PeerReason.BACKUP_STANDBY);
        }
        return Set.copyOf(reasons);
    }

    /** Until the first second in which it is no longer left alone. */
    private long unavailableFor(long now) {
        long seconds = retrySecond() - second(now);
        return seconds * NANOS_PER_SECOND - Math.floorMod(now, NANOS_PER_SECOND);
    }
}
