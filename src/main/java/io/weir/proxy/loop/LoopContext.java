package io.weir.proxy.loop;

import io.netty.channel.EventLoop;
import io.weir.zone.Ticker;

/**
 * What all protocols on one event loop have in common: its clock, its timeouts and the log lines on their way. Confined to
 * the loop's thread but for the constructor.
 */
public final class LoopContext {

    private final EventLoop executor;
    private final Ticker ticker;
    private final Deadlines deadlines;
    private final LogLines logLines;

    public LoopContext(EventLoop executor, Ticker ticker) {
        this.executor = executor;
        this.ticker = ticker;
        this.deadlines = new Deadlines(executor, ticker);
        this.logLines = new LogLines(deadlines);
    }

    public EventLoop executor() {
        return executor;
    }

    public Deadlines deadlines() {
        return deadlines;
    }

    public LogLines logLines() {
        return logLines;
    }

    /** Nanoseconds of the data plane's clock. */
    public long now() {
        return ticker.nanos();
    }
}
