package io.weir.proxy.log;

import io.weir.config.LogRotation;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Clock;
import java.time.LocalDate;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file that lines are appended to. Before each batch it is looked at: if somebody has moved or removed it, as logrotate
 * does, a new one is begun under its name, where nginx waits for a signal. A file that was cut off (copytruncate) is simply
 * gone on with.
 */
final class FileSink implements Sink {

    private static final Logger log = LoggerFactory.getLogger(FileSink.class);

    /** After a rotation that failed; the file grows meanwhile, which is better than no log. */
    private static final long RETRY_MILLIS = 60_000;

    private final Path path;
    private final Clock clock;
    private volatile @Nullable LogRotation rotation;
    private @Nullable FileChannel channel;
    private @Nullable Object key;
    private LocalDate day = LocalDate.EPOCH;
    private long noRotationUntil;
    private boolean torn;
    private final Deque<Path> created = new ArrayDeque<>();

    FileSink(Path path, @Nullable LogRotation rotation, Clock clock) {
        this.path = path;
        this.rotation = rotation;
        this.clock = clock;
    }

    /** Follows a changed configuration from the next batch on. Safe on every thread. */
    void rotation(@Nullable LogRotation rotation) {
        this.rotation = rotation;
    }

    /** Opens the file and makes its folder, so that it is known that both can be done. */
    void open() throws IOException {
        created.clear();
        for (Path folder = path.getParent(); folder != null && !Files.exists(folder); folder = folder.getParent()) {
            created.addLast(folder);
        }
        Path parent = path.getParent();
        if (parent != null) {
            Files.createDirectories(parent);
        }
        BasicFileAttributes before = attributes();
        if (before == null) {
            created.addFirst(path);
        } else if (!before.isRegularFile()) {
            // to open a pipe that nobody reads would wait for a reader
            throw new FileSystemException(
                    path.toString(), null, before.isDirectory() ? "is a folder" : "is not a regular file");
        }
        channel =
                FileChannel.open(path, StandardOpenOption.WRITE, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        BasicFileAttributes now = attributes();
        key = now == null ? null : now.fileKey();
        day = now == null || now.size() == 0
                ? LocalDate.now(clock)
                : LocalDate.ofInstant(now.lastModifiedTime().toInstant(), clock.getZone());
    }

    /** Closes, and removes what {@link #open} has made, as far as nobody else has used it meanwhile. */
    void forget() {
        close();
        for (Path made = created.poll(); made != null; made = created.poll()) {
            try {
                if (Files.isDirectory(made) || Files.exists(made) && Files.size(made) == 0) {
                    Files.delete(made);
                }
            } catch (IOException e) {
                log.debug("{} stays", made, e);
                return;
            }
        }
    }

    private @Nullable BasicFileAttributes attributes() throws IOException {
        try {
            return Files.readAttributes(path, BasicFileAttributes.class);
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    @Override
    public void write(ByteBuffer lines) throws IOException {
        int from = lines.position();
        try {
            FileChannel out = ready(lines.remaining());
            if (torn) {
                // whatever is half a line must not become half of another
                out.write(ByteBuffer.wrap(new byte[] {'\n'}));
                torn = false;
            }
            while (lines.hasRemaining()) {
                out.write(lines);
            }
            day = LocalDate.now(clock);
        } catch (IOException e) {
            torn |= lines.position() > from && lines.get(lines.position() - 1) != '\n';
            close();
            throw e;
        }
    }

    /** The open file, after it has made room for so many bytes if it has to. */
    private FileChannel ready(int more) throws IOException {
        BasicFileAttributes found = attributes();
        if (channel != null && (found == null || !Objects.equals(found.fileKey(), key))) {
            close();
        }
        if (channel == null) {
            open();
            found = attributes();
        }
        LogRotation rules = rotation;
        if (rules != null && found != null && found.size() > 0 && isDue(rules, found.size() + more)) {
            rotate(rules);
        }
        return Objects.requireNonNull(channel);
    }

    private boolean isDue(LogRotation rules, long size) {
        boolean tooLarge = rules.size().bytes() > 0 && size > rules.size().bytes();
        return (tooLarge || rules.daily() && !day.equals(LocalDate.now(clock))) && clock.millis() >= noRotationUntil;
    }

    private void rotate(LogRotation rules) throws IOException {
        close();
        try {
            Files.deleteIfExists(older(rules.keep()));
            for (int i = rules.keep() - 1; i >= 1; i--) {
                if (Files.exists(older(i))) {
                    Files.move(older(i), older(i + 1));
                }
            }
            Files.move(path, older(1));
        } catch (IOException e) {
            noRotationUntil = clock.millis() + RETRY_MILLIS;
            log.warn("{} cannot be rotated: {}", path, Logs.reason(e));
        }
        open();
    }

    private Path older(int number) {
        return path.resolveSibling(path.getFileName() + "." + number);
    }

    @Override
    public void close() {
        FileChannel open = channel;
        channel = null;
        if (open != null) {
            try {
                open.close();
            } catch (IOException e) {
                log.warn("{}: {}", path, Logs.reason(e));
            }
        }
    }
}
