package io.weir.proxy.loop;

import io.weir.proxy.log.LineBuffer;
import io.weir.proxy.log.LocalTime;
import io.weir.proxy.log.LogFormat;
import io.weir.proxy.log.LogWriter;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The log lines of one event loop. A line is built as bytes at the end of its request or session and waits with others,
 * until they are many or a tenth of a second has passed: to wake the writer for each would cost more than all the rest of
 * the line.
 *
 * <p>Confined to the loop's thread.
 */
public final class LogLines {

    /** Too short for a person who looks at the file to notice, long enough to make wake-ups rare. */
    private static final long FLUSH_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Deadlines deadlines;
    private final LocalTime time = new LocalTime();
    private final Map<LogWriter, LineBuffer> waiting = new IdentityHashMap<>();
    private final Flush flush = new Flush();

    public LogLines(Deadlines deadlines) {
        this.deadlines = deadlines;
    }

    private final class Flush extends Deadlines.Timeout {
        @Override
        protected void expired() {
            flush();
        }
    }

    /** Of the line that is being built. */
    public LocalTime time() {
        return time;
    }

    /** Adds the line of a subject that is over. */
    public <T> void add(LogWriter writer, LogFormat<T> format, T subject) {
        LineBuffer lines = waiting.get(writer);
        if (lines == null) {
            lines = new LineBuffer();
            waiting.put(writer, lines);
        }
        time.update();
        format.write(lines, subject);
        lines.endLine();
        if (lines.isFull()) {
            waiting.remove(writer);
            writer.write(lines);
        } else if (!flush.isArmed()) {
            deadlines.arm(flush, FLUSH_NANOS);
        }
    }

    /** Hands over what waits. */
    public void flush() {
        waiting.forEach(LogWriter::write);
        waiting.clear();
    }
}
