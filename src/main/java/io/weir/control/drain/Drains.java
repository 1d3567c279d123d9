package io.weir.control.drain;

import io.weir.config.ActiveConfig;
import io.weir.config.DrainConfig;
import io.weir.config.ProxyConfig;
import io.weir.config.ServerConfig;
import io.weir.config.UpstreamConfig;
import io.weir.upstream.UpstreamGroup;
import io.weir.upstream.Upstreams;
import io.weir.zone.ServerLoad;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * The drains of this node: follows the configuration, whoever changes it, and knows what is left of each. Safe on every
 * thread.
 *
 * <p>What it counts are the connections of this node. Each node cuts its own when the time of a drain is over, and the first
 * that finds nothing left ends the drain for all.
 */
@Component
public class Drains implements ActiveConfig.Subscriber {

    private static final Logger log = LoggerFactory.getLogger(Drains.class);

    /** So many that have ended are remembered, for those who ask for a server that was removed. */
    static final int REMEMBERED = 1000;

    /** A drain that is to end, and why. */
    record Due(ServerKey server, DrainConfig drain, DrainConfig.Result result) {}

    /**
     * What is to be done.
     *
     * @param cut servers at which nothing may go on
     * @param due drains to be ended, those of {@code cut} among them
     */
    record Findings(List<ServerKey> cut, List<Due> due) {}

    private final Upstreams upstreams;
    private final Clock clock;
    private final Waits waits = new Waits();
    private final Map<ServerKey, RunningDrain> running = new LinkedHashMap<>();
    private final Map<ServerKey, PastDrain> past = new LinkedHashMap<>();

    /** Whose time was over for another node before it was here. */
    private final List<ServerKey> uncut = new ArrayList<>();

    private final long[] ended = new long[DrainOutcome.values().length];
    private volatile Runnable watcher = () -> {};
    private volatile boolean watched;

    Drains(Upstreams upstreams, Clock clock) {
        this.upstreams = upstreams;
        this.clock = clock;
    }

    /** Has {@code wake} called whenever {@link #look} may have something to find. */
    void watch(Runnable wake) {
        watcher = wake;
        watched = true;
        wake.run();
    }

    /** Nobody looks any more: who waits is told so, and nobody waits from now on. */
    void unwatch() {
        watched = false;
        watcher = () -> {};
        waits.endAll();
    }

    // ---- the configuration ----

    @Override
    public ActiveConfig.Prepared prepare(ProxyConfig current, ProxyConfig next) {
        return new ActiveConfig.Prepared() {
            @Override
            public void commit() {
                follow(current, next);
            }

            @Override
            public void abort() {}
        };
    }

    private void follow(ProxyConfig current, ProxyConfig next) {
        forgetNamesakes(current, next);
        List<ServerKey> over = followServers(next);
        over.forEach(waits::end);
        watcher.run();
    }

    /** A new group has nothing to do with one that had its name, and may have servers of the same ids. */
    private synchronized void forgetNamesakes(ProxyConfig current, ProxyConfig next) {
        past.keySet()
                .removeIf(key -> current.upstream(key.upstream()).isEmpty()
                        && next.upstream(key.upstream()).isPresent());
    }

    /** @return those whose drains have ended */
    private synchronized List<ServerKey> followServers(ProxyConfig next) {
        Map<ServerKey, RunningDrain> leaving = new LinkedHashMap<>(running);
        Map<ServerKey, ServerConfig> there = new LinkedHashMap<>();
        for (UpstreamConfig upstream : next.upstreams()) {
            for (ServerConfig server : upstream.servers()) {
                DrainConfig drain = server.drain();
                boolean inProgress = drain != null && drain.isInProgress();
                // of 20,000 servers, few are ever looked at
                if (!inProgress && leaving.isEmpty()) {
                    continue;
                }
                ServerKey key = new ServerKey(upstream.name(), server.id());
                if (drain != null && inProgress) {
                    leaving.remove(key);
                    begin(key, server, drain);
                } else if (leaving.containsKey(key)) {
                    there.put(key, server);
                }
            }
        }
        leaving.forEach((key, left) -> end(key, left, there.get(key)));
        return List.copyOf(leaving.keySet());
    }

    private void begin(ServerKey key, ServerConfig server, DrainConfig drain) {
        RunningDrain known = running.get(key);
        if (known != null) {
            known.follow(server, drain);
            return;
        }
        past.remove(key);
        running.put(key, new RunningDrain(server, drain, load(key)));
        log.info("{} ({}) is being drained", key, server.address());
    }

    /** @param server as it is now; null if it was removed */
    private void end(ServerKey key, RunningDrain left, @Nullable ServerConfig server) {
        running.remove(key);
        Instant now = clock.instant().truncatedTo(ChronoUnit.MILLIS);
        DrainOutcome outcome = left.outcome(server, now);
        if (outcome == DrainOutcome.TIMED_OUT && !left.isCut()) {
            uncut.add(key);
        }
        if (server != null) {
            left.saw(load(key));
        }
        past.put(key, left.ended(outcome, now));
        if (past.size() > REMEMBERED) {
            past.remove(past.keySet().iterator().next());
        }
        ended[index(outcome)]++;
        log.info("{} ({}): drain has ended: {}", key, left.server().address(), outcome);
    }

    @SuppressWarnings("EnumOrdinal") // means nothing outside this object
    private static int index(DrainOutcome outcome) {
        return outcome.ordinal();
    }

    private ServerLoad load(ServerKey key) {
        UpstreamGroup group = upstreams.group(key.upstream());
        return group == null ? ServerLoad.NONE : group.load(key.id());
    }

    // ---- what is to be done ----

    /** Whether there is anything to look at. */
    synchronized boolean isBusy() {
        return !running.isEmpty() || !uncut.isEmpty();
    }

    /** Looks at all drains in progress. What is found to be cut is told once, what is due until it has ended. */
    Findings look() {
        Instant now = clock.instant();
        Findings findings = look(now);
        waits.expire(now);
        return findings;
    }

    private synchronized Findings look(Instant now) {
        List<ServerKey> cut = new ArrayList<>(uncut);
        uncut.clear();
        List<Due> due = new ArrayList<>();
        running.forEach((key, drain) -> {
            drain.saw(load(key));
            if (drain.isToBeCut(now)) {
                drain.cut();
                cut.add(key);
            }
            DrainConfig.Result result = drain.due();
            if (result != null) {
                due.add(new Due(key, drain.drain(), result));
            }
        });
        return new Findings(cut, due);
    }

    // ---- what others ask ----

    /** Drains in progress. */
    public synchronized int active() {
        return running.size();
    }

    /** Drains that have ended so, since the start. */
    public synchronized long ended(DrainOutcome outcome) {
        return ended[index(outcome)];
    }

    /** What is known of a server that is there. */
    public synchronized DrainReport report(String upstream, ServerConfig server) {
        ServerKey key = new ServerKey(upstream, server.id());
        ServerLoad load = load(key);
        DrainConfig drain = server.drain();
        PastDrain before = past.get(key);
        if (drain == null) {
            return before == null
                    ? DrainReport.none(key, server, load.conns())
                    : before.report(key, server.state(), load.conns());
        }
        if (drain.isInProgress()) {
            RunningDrain known = running.get(key);
            return DrainReport.inProgress(key, server, drain, load.conns(), known == null ? 0 : known.requests(load));
        }
        Long requests = before != null && before.isOf(drain) ? Long.valueOf(before.requests()) : null;
        return DrainReport.ended(key, server, drain, load.conns(), requests);
    }

    /** What is known of the drain of a server that was removed; null if nothing is. */
    public synchronized @Nullable DrainReport reportRemoved(String upstream, Predicate<ServerConfig> which) {
        DrainReport last = null;
        for (Map.Entry<ServerKey, PastDrain> entry : past.entrySet()) {
            PastDrain drain = entry.getValue();
            if (entry.getKey().upstream().equals(upstream) && which.test(drain.server())) {
                last = drain.report(entry.getKey(), null, 0);
            }
        }
        return last;
    }

    /**
     * Tells once when the drain of a server is no longer in progress, or after a time; at once if it is not now.
     *
     * @throws io.weir.control.change.Refusal if too many wait already
     */
    public void await(ServerKey server, Duration longest, Runnable whenOver) {
        if (!addWait(server, longest, whenOver)) {
            whenOver.run();
        } else if (!watched) {
            waits.endAll();
        }
    }

    private synchronized boolean addWait(ServerKey server, Duration longest, Runnable whenOver) {
        if (!watched || !running.containsKey(server)) {
            return false;
        }
        waits.add(server, clock.instant().plus(longest), whenOver);
        return true;
    }
}
