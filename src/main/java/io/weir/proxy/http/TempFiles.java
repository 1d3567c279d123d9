package io.weir.proxy.http;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The folder of the temporary files, and the threads that wait for the disk in place of the event loops.
 *
 * <p>A file's name is gone as soon as it is open, so no end of the process leaves one behind; where the system cannot do
 * that, it removes the file as it closes it. A kill between the two is made good at the next start. Safe on every thread.
 */
public class TempFiles implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(TempFiles.class);

    /** One can copy to or from the page cache while the other waits for the disk. More would only wait for it together. */
    private static final int THREADS = 2;

    private static final long REPORT_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final String PREFIX = "weir-body-";

    private static final Set<OpenOption> OPTIONS = Set.of(
            StandardOpenOption.CREATE_NEW,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE,
            StandardOpenOption.DELETE_ON_CLOSE);

    private final Path folder;
    private final FileAttribute<?>[] attributes;
    private final ThreadPoolExecutor threads;
    private final AtomicLong reported = new AtomicLong(System.nanoTime() - REPORT_NANOS);

    /**
     * Makes the folder, if it is not there, and removes what an earlier process has left in it.
     *
     * @throws IOException if no file can be made there
     */
    public TempFiles(Path folder) throws IOException {
        this.folder = Files.createDirectories(folder);
        FileStore store = Files.getFileStore(folder);
        // bodies are nobody else's business
        this.attributes = store.supportsFileAttributeView(PosixFileAttributeView.class)
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
                }
                : new FileAttribute<?>[0];
        try (DirectoryStream<Path> left = Files.newDirectoryStream(folder, PREFIX + "*")) {
            for (Path file : left) {
                Files.deleteIfExists(file);
            }
        }
        open().close();
        // a request has one task at a time here, so the queue is no longer than there are requests that use a file
        this.threads =
                new ThreadPoolExecutor(THREADS, THREADS, 30, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread = new Thread(task, "weir-file");
                    thread.setDaemon(true);
                    return thread;
                });
        threads.allowCoreThreadTimeOut(true);
    }

    /** Makes a file that nobody else can find. Waits for the disk. */
    protected FileChannel open() throws IOException {
        return FileChannel.open(folder.resolve(PREFIX + UUID.randomUUID()), OPTIONS, attributes);
    }

    /** What may wait for the disk; refuses tasks once this is closed. */
    Executor executor() {
        return threads;
    }

    /** Says that the disk does not do its part, once a second at the most. */
    void report(Exception failure) {
        long now = System.nanoTime();
        long last = reported.get();
        if (now - last >= REPORT_NANOS && reported.compareAndSet(last, now)) {
            log.error("temporary files in {}: {}", folder.toAbsolutePath(), failure.toString());
        }
    }

    /** Takes no more tasks, and waits a while for those that run. */
    @Override
    public void close() {
        threads.shutdown();
        try {
            if (!threads.awaitTermination(5, TimeUnit.SECONDS)) {
                threads.shutdownNow();
            }
        } catch (InterruptedException e) {
            threads.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }
}
