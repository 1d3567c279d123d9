package io.weir.control.store;

import io.weir.control.node.NodeProperties;
import jakarta.annotation.PreDestroy;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.stereotype.Component;

/**
 * The configuration that ran last, on this node's own disk, for a start without the database. Only where the database is a
 * server: a file of H2 is as near as this one.
 *
 * <p>Written on a thread of its own, so that neither traffic nor a change waits for the disk; of changes that come faster
 * than that the last is written. Safe on every thread.
 */
@Component
public class LastGood {

    private static final Logger log = LoggerFactory.getLogger(LastGood.class);

    private final LastGoodFile file;
    private final boolean used;
    private final AtomicReference<@Nullable Stored> next = new AtomicReference<>();
    private final ExecutorService writer = Executors.newSingleThreadExecutor(task -> {
        Thread thread = new Thread(task, "weir-last-good");
        thread.setDaemon(true);
        return thread;
    });

    private volatile long revision;

    LastGood(NodeProperties properties, JdbcConnectionDetails details) {
        file = new LastGoodFile(properties.lastGood());
        used = Database.isShared(details.getJdbcUrl());
    }

    /** Where it is. */
    public Path path() {
        return file.path();
    }

    /** The revision that was written or read last; 0 if none was. */
    public long revision() {
        return revision;
    }

    /**
     * What ran last.
     *
     * @return null if that is not known
     * @throws LastGoodException if the file cannot be used
     */
    public @Nullable Stored read() {
        Stored stored = used ? file.read() : null;
        if (stored != null) {
            revision = stored.revision();
        }
        return stored;
    }

    /** Keeps what runs now. Returns at once. */
    public void keep(Stored stored) {
        if (used && next.getAndSet(stored) == null) {
            writer.execute(this::write);
        }
    }

    private void write() {
        Stored stored = next.getAndSet(null);
        if (stored == null) {
            return;
        }
        try {
            file.write(stored);
            revision = stored.revision();
        } catch (IOException | RuntimeException e) {
            log.error("The last good configuration cannot be kept in {}: {}", file.path(), e.toString());
        }
    }

    /** Writes what is left. */
    @PreDestroy
    void close() throws InterruptedException {
        writer.shutdown();
        if (!writer.awaitTermination(10, TimeUnit.SECONDS)) {
            log.warn("The last good configuration is not written yet");
        }
    }
}
