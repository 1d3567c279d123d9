package io.weir.control.drain;

import io.weir.config.AdminState;
import io.weir.config.DrainConfig;
import io.weir.config.IncompleteCommitException;
import io.weir.config.InvalidConfigException;
import io.weir.config.ServerConfig;
import io.weir.config.UpstreamConfig;
import io.weir.control.change.Configuration;
import io.weir.control.change.Refusal;
import io.weir.control.state.ConfigState;
import io.weir.control.state.Draft;
import io.weir.control.state.Resource;
import io.weir.control.store.StoreException;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;

/**
 * Ends drains: cuts what is left when their time is over, and changes the configuration as they ask. Has a thread of its own,
 * which looks only while a drain is in progress.
 *
 * <p>A change that cannot be stored is tried again until it can; the drain goes on meanwhile.
 */
@Component
class DrainWatch implements SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(DrainWatch.class);

    /** Soon enough for a script that waits, and next to nothing to do. */
    private static final long LOOK_MILLIS = 100;

    /** After a change that was refused. */
    private static final long RETRY_MILLIS = 1000;

    private static final long STOP_LIMIT_SECONDS = 5;

    private final Drains drains;
    private final Configuration configuration;
    private final SessionDropper dropper;
    private final Clock clock;

    /** Null while nobody looks; guarded by this object. */
    private @Nullable ScheduledThreadPoolExecutor thread;

    /** Whether a look is to come; guarded by this object. */
    private boolean planned;

    private boolean toldOfFailure;

    DrainWatch(Drains drains, Configuration configuration, SessionDropper dropper, Clock clock) {
        this.drains = drains;
        this.configuration = configuration;
        this.dropper = dropper;
        this.clock = clock;
    }

    @Override
    public void start() {
        synchronized (this) {
            thread = new ScheduledThreadPoolExecutor(1, task -> {
                Thread made = new Thread(task, "weir-drains");
                made.setDaemon(true);
                return made;
            });
            thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        }
        drains.watch(this::wake);
    }

    /** Before the web server, which would wait for those who wait here. */
    @Override
    public void stop() {
        drains.unwatch();
        ScheduledThreadPoolExecutor ended;
        synchronized (this) {
            ended = thread;
            thread = null;
            planned = false;
        }
        if (ended == null) {
            return;
        }
        // not interrupted: it may be in the middle of a change, and an interrupt there would close the database
        ended.shutdown();
        try {
            if (!ended.awaitTermination(STOP_LIMIT_SECONDS, TimeUnit.SECONDS)) {
                log.warn("a drain is still being ended");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public synchronized boolean isRunning() {
        return thread != null;
    }

    private synchronized void wake() {
        if (!planned) {
            plan(0);
        }
    }

    /** The caller holds the lock. */
    private void plan(long delayMillis) {
        if (thread != null && drains.isBusy()) {
            planned = true;
            thread.schedule(this::turn, delayMillis, TimeUnit.MILLISECONDS);
        }
    }

    private void turn() {
        boolean done = false;
        try {
            done = look();
        } catch (RuntimeException e) {
            log.error("drains could not be looked after", e);
        } finally {
            synchronized (this) {
                planned = false;
                plan(done ? LOOK_MILLIS : RETRY_MILLIS);
            }
        }
    }

    /** @return whether all that was to be done could be */
    private boolean look() {
        Drains.Findings findings = drains.look();
        // first of all, as it does not wait for the store
        findings.cut().forEach(this::cut);
        boolean done = true;
        for (Drains.Due due : findings.due()) {
            done &= end(due);
        }
        if (done) {
            toldOfFailure = false;
        }
        return done;
    }

    private void cut(ServerKey server) {
        log.info("{}: the time of its drain is over, what is left is cut", server);
        dropper.dropSessions(server.upstream(), server.id());
    }

    private boolean end(Drains.Due due) {
        Instant now = clock.instant().truncatedTo(ChronoUnit.MILLIS);
        try {
            configuration.change(false, state -> draft(state, due, now));
            return true;
        } catch (IncompleteCommitException e) {
            // it is stored, and told of
            return true;
        } catch (StoreException | Refusal | InvalidConfigException e) {
            if (!toldOfFailure) {
                toldOfFailure = true;
                log.warn(
                        "{}: its drain cannot be ended yet, and this is tried again: {}", due.server(), e.getMessage());
            }
            return false;
        }
    }

    /** As the drain asks; nothing if it was changed or has ended meanwhile. */
    private static Draft draft(ConfigState state, Drains.Due due, Instant now) {
        ServerKey key = due.server();
        UpstreamConfig group = state.config()
                .upstream(key.upstream())
                .orElseThrow(() -> Refusal.notFound("upstream group " + key.upstream()));
        List<ServerConfig> servers = group.servers().stream()
                .flatMap(server -> server.id() == key.id() && due.drain().equals(server.drain())
                        ? Stream.ofNullable(ended(server, due, now))
                        : Stream.of(server))
                .toList();
        return state.with(
                group.withServers(servers), state.nextServerId(group.name()), Resource.server(group.name(), key.id()));
    }

    /** Null for none. */
    private static @Nullable ServerConfig ended(ServerConfig server, Drains.Due due, Instant now) {
        DrainConfig drain = Objects.requireNonNull(server.drain()).ended(due.result(), now);
        return switch (drain.then()) {
            case KEEP -> server.withDrain(server.state(), drain);
            case DOWN -> server.withDrain(AdminState.DOWN, drain);
            case REMOVE -> null;
        };
    }
}
