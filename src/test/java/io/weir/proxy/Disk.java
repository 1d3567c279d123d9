package io.weir.proxy;

import io.weir.proxy.http.TempFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Temporary files of a test, on a disk that can be told how much it takes, and counts what it holds. */
public final class Disk extends TempFiles {

    private static final String FULL = "No space left on device";

    private final Path folder;
    private final AtomicInteger open = new AtomicInteger();
    private final AtomicInteger made = new AtomicInteger();
    private final AtomicLong written = new AtomicLong();
    private volatile long room = Long.MAX_VALUE;
    private volatile boolean unreadable;

    private Disk(Path folder) throws IOException {
        super(folder);
        this.folder = folder;
    }

    static Disk create() {
        try {
            return new Disk(Files.createTempDirectory("weir-test-"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Takes so many bytes in all, counted from the first. */
    public void takes(long bytes) {
        room = bytes;
    }

    /** Gives nothing back any more. */
    public void breakReads() {
        unreadable = true;
    }

    /** Files that are open now. */
    public int openFiles() {
        return open.get();
    }

    /** Files so far. */
    public int files() {
        return made.get();
    }

    /** Bytes written so far. */
    public long written() {
        return written.get();
    }

    public Path folder() {
        return folder;
    }

    void remove() {
        try {
            Files.delete(folder);
        } catch (IOException e) {
            throw new UncheckedIOException("something was left in it", e);
        }
    }

    @Override
    protected FileChannel open() throws IOException {
        FileChannel file = super.open();
        if (open == null) {
            // asked by the constructor of the class above, whether it can be done
            return file;
        }
        open.incrementAndGet();
        made.incrementAndGet();
        return new Counted(file);
    }

    private final class Counted extends FileChannel {

        private final FileChannel file;

        Counted(FileChannel file) {
            this.file = file;
        }

        @Override
        public long write(ByteBuffer[] sources, int offset, int length) throws IOException {
            if (written.get() >= room) {
                throw new IOException(FULL);
            }
            long n = file.write(sources, offset, length);
            written.addAndGet(n);
            return n;
        }

        @Override
        public int read(ByteBuffer into, long position) throws IOException {
            if (unreadable) {
                throw new IOException("Input/output error");
            }
            return file.read(into, position);
        }

        @Override
        public FileChannel position(long position) throws IOException {
            file.position(position);
            return this;
        }

        @Override
        public FileChannel truncate(long size) throws IOException {
            file.truncate(size);
            return this;
        }

        @Override
        public long size() throws IOException {
            return file.size();
        }

        @Override
        public long position() throws IOException {
            return file.position();
        }

        @Override
        protected void implCloseChannel() throws IOException {
            open.decrementAndGet();
            file.close();
        }

        // ---- what nobody asks for ----

        @Override
        public int read(ByteBuffer into) {
            throw new UnsupportedOperationException();
        }

        @Override
        public long read(ByteBuffer[] into, int offset, int length) {
            throw new UnsupportedOperationException();
        }

        @Override
        public int write(ByteBuffer source) {
            throw new UnsupportedOperationException();
        }

        @Override
        public int write(ByteBuffer source, long position) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void force(boolean metaData) {
            throw new UnsupportedOperationException();
        }

        @Override
        public long transferTo(long position, long count, WritableByteChannel target) {
            throw new UnsupportedOperationException();
        }

        @Override
        public long transferFrom(ReadableByteChannel source, long position, long count) {
            throw new UnsupportedOperationException();
        }

        @Override
        public MappedByteBuffer map(MapMode mode, long position, long size) {
            throw new UnsupportedOperationException();
        }

        @Override
        public FileLock lock(long position, long size, boolean shared) {
            throw new UnsupportedOperationException();
        }

        @Override
        public FileLock tryLock(long position, long size, boolean shared) {
            throw new UnsupportedOperationException();
        }
    }
}
