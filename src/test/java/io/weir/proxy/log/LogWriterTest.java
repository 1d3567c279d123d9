package io.weir.proxy.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;

class LogWriterTest {

    /** Takes a batch for each permit. */
    private static final class Slow implements Sink {
        private final Semaphore permits = new Semaphore(0);
        private final StringBuffer written = new StringBuffer();
        private final AtomicBoolean full = new AtomicBoolean();
        private final AtomicBoolean closed = new AtomicBoolean();

        @Override
        public void write(ByteBuffer lines) throws IOException {
            permits.acquireUninterruptibly();
            closed.set(false);
            if (full.get()) {
                // as a disk that has room for six more bytes
                lines.position(6);
                throw new IOException("No space left on device");
            }
            written.append(UTF_8.decode(lines));
        }

        @Override
        public void close() {
            closed.set(true);
        }
    }

    private final Slow sink = new Slow();
    private final LongAdder dropped = new LongAdder();
    private final LogWriter writer = new LogWriter("test", sink, dropped);

    private static LineBuffer lines(String... lines) {
        LineBuffer buffer = new LineBuffer();
        for (String line : lines) {
            buffer.put(line);
            buffer.endLine();
        }
        return buffer;
    }

    private long newlines() {
        return sink.written.chars().filter(c -> c == '\n').count();
    }

    private static LineBuffer megabyte() {
        return lines("x".repeat(512 * 1024), "y".repeat(512 * 1024 - 2));
    }

    @Test
    void whatASlowDiskDoesNotTakeIsDroppedAndCounted() {
        int batches = 40;
        for (int i = 0; i < batches; i++) {
            // returns though nothing is written
            writer.write(megabyte());
        }
        long lost = dropped.sum();
        // one batch is on its way, if its thread has come to it
        int most = (int) (LogWriter.MOST_WAITING / megabyte().length());
        assertThat(2L * batches - lost).isBetween(2L * most, 2L * (most + 1));
        sink.permits.release(batches);
        await().until(() -> newlines() == 2L * batches - lost);
        writer.write(lines("last"));
        await().until(() -> newlines() == 2L * batches - lost + 1);
        assertThat(dropped.sum()).isEqualTo(lost);
    }

    @Test
    void linesThatAFullDiskDoesNotTakeAreCountedUntilItDoes() {
        sink.full.set(true);
        sink.permits.release(3);
        writer.write(lines("first", "second", "third"));
        await().untilAsserted(() -> assertThat(dropped.sum()).isEqualTo(2));
        sink.full.set(false);
        writer.write(lines("fourth"));
        await().untilAsserted(() -> assertThat(sink.written.toString()).isEqualTo("fourth\n"));
        assertThat(dropped.sum()).isEqualTo(2);
    }

    @Test
    void closingWritesWhatWaits() {
        sink.permits.release(2);
        writer.write(lines("one"));
        writer.write(lines("two"));
        writer.close(60_000);
        assertThat(sink.written.toString()).isEqualTo("one\ntwo\n");
        assertThat(sink.closed).isTrue();
    }

    @Test
    void lateLinesOfARetiredLogAreWritten() {
        writer.retire();
        await().untilTrue(sink.closed);
        sink.permits.release(2);
        writer.write(lines("late"));
        await().untilAsserted(() -> assertThat(sink.written.toString()).isEqualTo("late\n"));
        await().untilTrue(sink.closed);
        writer.revive();
        writer.write(lines("again"));
        await().untilAsserted(() -> assertThat(sink.written.toString()).isEqualTo("late\nagain\n"));
        assertThat(sink.closed).isFalse();
    }
}
