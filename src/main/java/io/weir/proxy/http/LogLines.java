package io.weir.proxy.http;

import io.weir.proxy.log.LineBuffer;
import io.weir.proxy.log.LogWriter;
import io.weir.proxy.loop.Deadlines;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The log lines of one event loop. A line is built as bytes at the end of its request and waits with others, until they are
 * many or a tenth of a second has passed: to wake the writer for each would cost more than all the rest of the line.
 *
 * <p>Confined to the loop's thread.
 */
final class LogLines {

    /** Too short for a person who looks at the file to notice, long enough to make wake-ups rare. */
    private static final long FLUSH_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Deadlines deadlines;
    private final LocalTime time = new LocalTime();
    private final Map<LogWriter, LineBuffer> waiting = new IdentityHashMap<>();
    private final Flush flush = new Flush();

    LogLines(Deadlines deadlines) {
        this.deadlines = deadlines;
    }

    private final class Flush extends Deadlines.Timeout {
        @Override
        protected void expired() {
            flush();
        }
    }

    /** Of the line that is being built. */
    LocalTime time() {
        return time;
    }

    /** Adds the line of an exchange that is over. */
    void add(AccessLog log, Exchange exchange) {
        LineBuffer lines = waiting.get(log.writer());
        if (lines == null) {
            lines = new LineBuffer();
            waiting.put(log.writer(), lines);
        }
        time.update();
        log.format().write(lines, exchange);
        lines.endLine();
        if (lines.isFull()) {
            waiting.remove(log.writer());
            log.writer().write(lines);
        } else if (!flush.isArmed()) {
            deadlines.arm(flush, FLUSH_NANOS);
        }
    }

    /** Hands over what waits. */
    void flush() {
        waiting.forEach(LogWriter::write);
        waiting.clear();
    }
}
