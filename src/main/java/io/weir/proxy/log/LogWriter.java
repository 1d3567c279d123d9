package io.weir.proxy.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the lines of one log, batch after batch, on a thread of its own. What comes faster than it can be written waits up
 * to a limit and is dropped and counted beyond it: a slow disk costs lines, not memory and never a request's time.
 *
 * <p>{@link #write} is safe on every thread and does not wait. A writer that was retired still writes what comes late, such
 * as the line of a connection that outlives its listener, and holds no file and no thread in between.
 */
public final class LogWriter {

    private static final Logger log = LoggerFactory.getLogger(LogWriter.class);

    /** More than a second of the lines that a busy machine makes. */
    static final long MOST_WAITING = 16L * 1024 * 1024;

    private static final long WARNING_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final String name;
    private final Sink sink;
    private final LongAdder droppedOfAll;
    private final LongAdder dropped = new LongAdder();

    // guarded by itself, as are the three below it
    private final ArrayDeque<LineBuffer> waiting = new ArrayDeque<>();
    private long waitingBytes;
    private boolean retired;
    private @Nullable Thread thread;

    // of the writing thread
    private long told;
    private long toldNanos = System.nanoTime() - WARNING_NANOS;
    private boolean failing;

    LogWriter(String name, Sink sink, LongAdder droppedOfAll) {
        this.name = name;
        this.sink = sink;
        this.droppedOfAll = droppedOfAll;
    }

    Sink sink() {
        return sink;
    }

    /** Takes over whole lines. */
    public void write(LineBuffer lines) {
        synchronized (waiting) {
            if (waitingBytes + lines.length() <= MOST_WAITING) {
                waiting.add(lines);
                waitingBytes += lines.length();
                wake();
                return;
            }
        }
        drop(lines.lines());
    }

    /** The caller holds the lock. */
    private void wake() {
        if (thread == null) {
            thread = new Thread(this::run, "weir-log-" + name);
            thread.setDaemon(true);
            thread.start();
        } else {
            waiting.notifyAll();
        }
    }

    /** No new request will be logged here: frees the file and the thread once what waits is written. */
    void retire() {
        synchronized (waiting) {
            retired = true;
            wake();
        }
    }

    /** Requests are logged here again. */
    void revive() {
        synchronized (waiting) {
            retired = false;
        }
    }

    /**
     * Writes what waits, and ends.
     *
     * @param limitMillis after which what still waits is given up
     */
    void close(long limitMillis) {
        retire();
        Thread running;
        synchronized (waiting) {
            running = thread;
        }
        if (running != null) {
            try {
                running.join(limitMillis);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            if (running.isAlive()) {
                log.warn("{}: lines that wait to be written are lost, since it takes nothing", name);
            }
        }
    }

    private void run() {
        for (LineBuffer lines = next(); lines != null; lines = next()) {
            put(lines);
            tell();
        }
    }

    /** The next batch; null when there is none and none is to come. */
    private @Nullable LineBuffer next() {
        boolean closed = false;
        while (true) {
            synchronized (waiting) {
                LineBuffer lines = waiting.poll();
                if (lines != null) {
                    waitingBytes -= lines.length();
                    return lines;
                }
                if (closed) {
                    thread = null;
                    return null;
                }
                if (!retired) {
                    try {
                        waiting.wait();
                    } catch (InterruptedException e) {
                        log.debug("{}: interrupted, and goes on", name);
                    }
                    continue;
                }
            }
            // not under the lock, since it may take time
            sink.close();
            closed = true;
        }
    }

    private void put(LineBuffer lines) {
        ByteBuffer bytes = lines.toByteBuffer();
        try {
            sink.write(bytes);
            if (failing) {
                failing = false;
                log.info("{} is written again", name);
            }
        } catch (IOException | RuntimeException e) {
            drop(newlines(bytes));
            if (!failing) {
                failing = true;
                log.warn("{} cannot be written, its lines are dropped: {}", name, Logs.reason(e));
            }
        }
    }

    private static int newlines(ByteBuffer rest) {
        int lines = 0;
        for (int i = rest.position(); i < rest.limit(); i++) {
            if (rest.get(i) == '\n') {
                lines++;
            }
        }
        return lines;
    }

    private void drop(int lines) {
        dropped.add(lines);
        droppedOfAll.add(lines);
    }

    /** At most one warning a minute. */
    private void tell() {
        long all = dropped.sum();
        long now = System.nanoTime();
        if (all > told && now - toldNanos >= WARNING_NANOS) {
            log.warn("{}: {} lines were dropped, {} since the start", name, all - told, all);
            told = all;
            toldNanos = now;
        }
    }
}
