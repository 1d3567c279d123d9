package io.weir.control.change;

import io.weir.control.store.StoreException;
import io.weir.control.store.StoreHealth;
import io.weir.control.store.StoreLinks;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;

/**
 * A thread that applies what other nodes have stored, tries again what could not be applied, and tells the others what
 * runs here. Apart from {@link StoreWatch}, so that a node still tells that it lives while it works on a large change.
 */
final class Follower {

    private static final Logger log = LoggerFactory.getLogger(Follower.class);

    /** What it has been woken for. */
    private enum Reason {
        NEWS,
        SOMETHING_TO_TELL,
        RETRY
    }

    private static final long FIRST_RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long LAST_RETRY_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Configuration configuration;
    private final StoreHealth health;
    private final StoreLinks links;
    private final boolean shared;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition wakened = lock.newCondition();
    private boolean behind;
    private boolean untold;
    private volatile boolean stopped;

    Follower(Configuration configuration, StoreHealth health, StoreLinks links, boolean shared) {
        this.configuration = configuration;
        this.health = health;
        this.links = links;
        this.shared = shared;
    }

    /** Once. */
    void start() {
        Thread started = new Thread(this::run, "weir-follower");
        started.setDaemon(true);
        started.start();
    }

    void stop() {
        stopped = true;
        follow();
    }

    /** What is stored is something else than what is known here. */
    void follow() {
        wake(true, false);
    }

    /** What runs here is something else than what was told. */
    void tell() {
        wake(false, true);
    }

    private void wake(boolean toFollow, boolean toTell) {
        lock.lock();
        try {
            behind |= toFollow;
            untold |= toTell;
            wakened.signal();
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        boolean pending = false;
        long pause = FIRST_RETRY_NANOS;
        while (!stopped) {
            try {
                Reason reason = await(pending, pause);
                if (stopped) {
                    return;
                }
                if (reason != Reason.SOMETHING_TO_TELL) {
                    pause = reason == Reason.NEWS ? FIRST_RETRY_NANOS : Math.min(pause * 2, LAST_RETRY_NANOS);
                    pending = true;
                    pending = health.down() != null || !configuration.follow();
                }
                pending |= configuration.failure() != null;
                if (shared && health.down() == null) {
                    links.tell();
                }
            } catch (InterruptedException e) {
                return;
            } catch (StoreException | DataAccessException e) {
                // told where it was found
                log.debug("not followed", e);
            } catch (RuntimeException | Error e) {
                log.error("Following the other nodes failed; it is tried again", e);
            }
        }
    }

    /** Waits for something to do; with {@code pending}, at most so long. */
    private Reason await(boolean pending, long nanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long left = nanos;
            while (!behind && !untold && left > 0) {
                if (pending) {
                    left = wakened.awaitNanos(left);
                } else {
                    wakened.await();
                }
            }
            Reason reason = behind ? Reason.NEWS : untold ? Reason.SOMETHING_TO_TELL : Reason.RETRY;
            behind = false;
            untold = false;
            return reason;
        } finally {
            lock.unlock();
        }
    }
}
