package io.weir.proxy.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.concurrent.EventExecutor;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A body on its way through a temporary file: bytes are added at the end, and read from any place once they are there.
 *
 * <p>Confined to the loop's thread. Whatever may wait for the disk is done on a thread of {@link TempFiles}, one operation
 * of a spool at a time, so they keep their order; the loop then hears what came of it.
 *
 * <p>Reads copy into a buffer instead of handing the file to sendfile, which would stop the whole loop on every page
 * that is not in memory any more: this file is there because somebody is slow.
 */
final class Spool {

    /** Written by one operation, about: few calls for a large body, without holding it in memory for long. */
    private static final int BATCH_PIECES = 64;

    private final TempFiles files;
    private final EventExecutor loop;
    private final ByteBufAllocator alloc;
    private final Runnable changed;
    private final ArrayDeque<ByteBuf> pieces = new ArrayDeque<>();
    private int waiting;
    private int writingPieces;
    private int writingBytes;
    private long end;
    private boolean busy;
    private boolean failed;
    private boolean closed;
    private long readPosition;
    private int readLength;
    private @Nullable Consumer<@Nullable ByteBuf> reader;

    /** Of the running operation, or of nobody while none runs. */
    private @Nullable FileChannel file;

    /** @param changed called on the loop after bytes have got to the file, or have failed to */
    Spool(TempFiles files, EventExecutor loop, ByteBufAllocator alloc, Runnable changed) {
        this.files = files;
        this.loop = loop;
        this.alloc = alloc;
        this.changed = changed;
    }

    /** Takes over a piece, and begins to write it if nothing else is being done. */
    void add(ByteBuf piece) {
        if (closed) {
            piece.release();
            return;
        }
        waiting += piece.readableBytes();
        Pieces.add(pieces, piece, pieces.size() > writingPieces);
        next();
    }

    /** Takes back the first piece that is still in memory; null if there is none, or it is being written. */
    @Nullable
    ByteBuf poll() {
        ByteBuf piece = writingPieces > 0 ? null : pieces.poll();
        if (piece != null) {
            waiting -= piece.readableBytes();
        }
        return piece;
    }

    /** Begins at the front of the file again. Only when nobody needs what is in it, and nothing waits. */
    void restart() {
        end = 0;
    }

    /** Bytes that are in the file. */
    long end() {
        return end;
    }

    /** Bytes in memory, on their way to the file. */
    int waiting() {
        return waiting;
    }

    /** Whether nothing more gets to the file; what is there can still be read. */
    boolean isFailed() {
        return failed;
    }

    /**
     * Reads what is there.
     *
     * @param length so many bytes, all of them before {@link #end}
     * @param reader is given them, or null if they cannot be read; not called after {@link #close}
     * @throws IllegalStateException if a read is under way
     */
    void read(long position, int length, Consumer<@Nullable ByteBuf> reader) {
        if (isReading()) {
            throw new IllegalStateException("a read is under way");
        }
        readPosition = position;
        readLength = length;
        this.reader = reader;
        next();
    }

    boolean isReading() {
        return reader != null;
    }

    /** Frees everything, the file as soon as no operation runs on it. */
    void close() {
        if (closed) {
            return;
        }
        closed = true;
        reader = null;
        Pieces.release(pieces);
        waiting = 0;
        if (!busy) {
            closeFile();
        }
    }

    /** Begins the next operation; a read first, since somebody may have run out of bytes. */
    private void next() {
        if (busy || closed) {
            return;
        }
        if (reader != null) {
            beginRead();
        } else if (!pieces.isEmpty() && !failed) {
            beginWrite();
        }
    }

    private void beginWrite() {
        writingPieces = 0;
        writingBytes = 0;
        List<ByteBuf> batch = new ArrayList<>(Math.min(pieces.size(), BATCH_PIECES));
        List<ByteBuffer> buffers = new ArrayList<>(batch.size());
        for (ByteBuf piece : pieces) {
            if (writingPieces == BATCH_PIECES) {
                break;
            }
            writingPieces++;
            writingBytes += piece.readableBytes();
            batch.add(piece.retain());
            for (ByteBuffer buffer : piece.nioBuffers()) {
                buffers.add(buffer);
            }
        }
        ByteBuffer[] sources = buffers.toArray(new ByteBuffer[0]);
        long length = writingBytes;
        long position = end;
        run(
                () -> writeFully(position, sources, length),
                () -> batch.forEach(ByteBuf::release),
                failure -> written(failure, length));
    }

    private void written(@Nullable Exception failure, long length) {
        if (closed) {
            return;
        }
        if (failure == null) {
            end += length;
            waiting -= (int) length;
            for (int i = 0; i < writingPieces; i++) {
                pieces.remove().release();
            }
            writingPieces = 0;
        } else {
            writingPieces = 0;
            failed = true;
            files.report(failure);
        }
        changed.run();
    }

    private void beginRead() {
        ByteBuf into = alloc.ioBuffer(readLength);
        long position = readPosition;
        int length = readLength;
        into.retain();
        run(() -> readFully(position, into, length), into::release, failure -> {
            Consumer<@Nullable ByteBuf> to = reader;
            reader = null;
            if (to == null) {
                into.release();
            } else if (failure == null) {
                to.accept(into);
            } else {
                into.release();
                files.report(failure);
                to.accept(null);
            }
        });
    }

    private interface Operation {
        void run() throws IOException;
    }

    /**
     * Runs an operation on a thread that may wait.
     *
     * @param letGo of the buffers that the operation uses, whatever becomes of it
     * @param done on the loop, with what went wrong
     */
    private void run(Operation operation, Runnable letGo, Consumer<@Nullable Exception> done) {
        busy = true;
        try {
            files.executor().execute(() -> {
                @Nullable Exception failure = null;
                try {
                    operation.run();
                } catch (IOException | RuntimeException e) {
                    failure = e;
                }
                letGo.run();
                report(done, failure);
            });
        } catch (RejectedExecutionException e) {
            letGo.run();
            // not at once: whoever asked is not done yet
            loop.execute(() -> ended(done, e));
        }
    }

    private void report(Consumer<@Nullable Exception> done, @Nullable Exception failure) {
        try {
            loop.execute(() -> ended(done, failure));
        } catch (RejectedExecutionException e) {
            // the loop has ended, and its channels with it; nobody else will close the file
            closeQuietly();
        }
    }

    private void ended(Consumer<@Nullable Exception> done, @Nullable Exception failure) {
        busy = false;
        done.accept(failure);
        if (closed) {
            closeFile();
        } else {
            next();
        }
    }

    private void closeFile() {
        if (file == null || busy) {
            return;
        }
        busy = true;
        try {
            // freeing the blocks of a large file takes its time
            files.executor().execute(this::closeQuietly);
        } catch (RejectedExecutionException e) {
            closeQuietly();
        }
    }

    // ---- on a thread that may wait, one at a time ----

    private FileChannel file() throws IOException {
        FileChannel opened = file;
        if (opened == null) {
            opened = files.open();
            file = opened;
        }
        return opened;
    }

    private void writeFully(long position, ByteBuffer[] sources, long length) throws IOException {
        FileChannel to = file();
        to.position(position);
        for (long left = length; left > 0; ) {
            left -= to.write(sources);
        }
    }

    private void readFully(long position, ByteBuf into, int length) throws IOException {
        FileChannel from = file();
        for (int read = 0; read < length; ) {
            int n = into.writeBytes(from, position + read, length - read);
            if (n < 0) {
                throw new EOFException("the file is shorter than it was");
            }
            read += n;
        }
    }

    private void closeQuietly() {
        try {
            if (file != null) {
                file.close();
            }
        } catch (IOException e) {
            files.report(e);
        }
    }
}
