package io.weir.proxy.log;

import io.weir.config.AccessLogConfig;
import io.weir.config.ActiveConfig;
import io.weir.config.Checks;
import io.weir.config.ListenerConfig;
import io.weir.config.ProxyConfig;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The logs that are open: one writer for each file, however many listeners log to it. Changes come from control threads,
 * one at a time; {@link #dropped} is safe on every thread.
 */
public final class Logs implements AutoCloseable {

    /** For what waits when Weir stops, all logs together. */
    private static final long CLOSE_MILLIS = 5_000;

    private final Clock clock;
    private final LongAdder dropped = new LongAdder();
    private final Map<String, LogWriter> writers = new HashMap<>();

    /**
     * Those that no listener logs to now. Lines of requests that run on may still come to them, and if their file is
     * logged to again it must be by them, or lines would change places. As many as an operator thinks up names.
     */
    private final Map<String, LogWriter> retired = new HashMap<>();

    public Logs(Clock clock) {
        this.clock = clock;
    }

    /** Lines that were lost since the start, since they could not be written, or not fast enough. */
    public long dropped() {
        return dropped.sum();
    }

    /**
     * Opens the files that {@code next} logs to and nobody does yet.
     *
     * @param checks gets what cannot be opened; the change is to be aborted then
     */
    public ActiveConfig.Prepared prepare(ProxyConfig next, Checks checks) {
        Map<String, Sink> opened = new LinkedHashMap<>();
        try {
            open(next, opened, checks);
        } catch (RuntimeException | Error e) {
            new Change(next, opened).abort();
            throw e;
        }
        return new Change(next, opened);
    }

    private void open(ProxyConfig next, Map<String, Sink> opened, Checks checks) {
        for (int i = 0; i < next.listeners().size(); i++) {
            AccessLogConfig config = next.listeners().get(i).accessLog();
            String name = name(config);
            if (config.writes() && !writers.containsKey(name) && !opened.containsKey(name)) {
                try {
                    opened.put(name, open(config));
                } catch (IOException | RuntimeException e) {
                    checks.check(
                            false, "listeners[" + i + "].accessLog.path", name + " cannot be opened: " + reason(e));
                }
            }
        }
    }

    private Sink open(AccessLogConfig config) throws IOException {
        Path file = config.file();
        if (file == null) {
            return new StandardOutput();
        }
        FileSink sink = new FileSink(file, config.rotate(), clock);
        try {
            sink.open();
        } catch (IOException | RuntimeException | Error e) {
            sink.forget();
            throw e;
        }
        return sink;
    }

    private static String name(AccessLogConfig config) {
        Path file = config.file();
        return file == null ? config.path() : file.toString();
    }

    private final class Change implements ActiveConfig.Prepared {

        private final ProxyConfig next;
        private final Map<String, Sink> opened;

        Change(ProxyConfig next, Map<String, Sink> opened) {
            this.next = next;
            this.opened = opened;
        }

        @Override
        public void commit() {
            opened.forEach((name, sink) -> writers.put(name, revive(name, sink)));
            Map<String, LogWriter> unused = new HashMap<>(writers);
            for (ListenerConfig listener : next.listeners()) {
                LogWriter used = unused.remove(name(listener.accessLog()));
                if (used != null && used.sink() instanceof FileSink file) {
                    file.rotation(listener.accessLog().rotate());
                }
            }
            unused.forEach((name, writer) -> {
                writers.remove(name);
                retired.put(name, writer);
                writer.retire();
            });
        }

        @Override
        public void abort() {
            for (Sink sink : opened.values()) {
                if (sink instanceof FileSink file) {
                    file.forget();
                }
            }
        }
    }

    private LogWriter revive(String name, Sink opened) {
        LogWriter before = retired.remove(name);
        if (before == null) {
            return new LogWriter(name, opened, dropped);
        }
        // it opens the file by itself, which is now known to be possible
        opened.close();
        before.revive();
        return before;
    }

    /** The writer of a log that was prepared and committed; null if nothing is logged. */
    public @Nullable LogWriter writer(AccessLogConfig config) {
        return config.writes() ? writers.get(name(config)) : null;
    }

    /** Writes what waits and closes everything. */
    @Override
    public void close() {
        long end = System.nanoTime() + CLOSE_MILLIS * 1_000_000;
        retired.putAll(writers);
        writers.clear();
        retired.values().forEach(LogWriter::retire);
        retired.values().forEach(writer -> writer.close(Math.max(1, (end - System.nanoTime()) / 1_000_000)));
    }

    /** In words, without the path, which is named anyway. */
    static String reason(Exception e) {
        if (e instanceof AccessDeniedException) {
            return "permission denied";
        }
        if (e instanceof FileAlreadyExistsException) {
            return "a file is in the place of its folder";
        }
        if (e instanceof FileSystemException failure && failure.getReason() != null) {
            return failure.getReason();
        }
        String message = e.getMessage();
        return message == null ? e.toString() : message;
    }
}
