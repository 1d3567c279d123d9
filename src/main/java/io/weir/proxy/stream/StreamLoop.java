package io.weir.proxy.stream;

import io.netty.channel.EventLoop;
import io.weir.proxy.loop.Deadlines;
import io.weir.proxy.loop.LogLines;
import io.weir.zone.Ticker;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/**
 * What sessions of one event loop have in common: their timeouts, their log lines, and the list of them. Confined to the
 * loop's thread but for the constructor.
 */
final class StreamLoop {

    private final EventLoop executor;
    private final Ticker ticker;
    private final Deadlines deadlines;
    private final LogLines logLines;
    private final Set<Session> sessions = Collections.newSetFromMap(new IdentityHashMap<>());

    StreamLoop(EventLoop executor, Ticker ticker) {
        this.executor = executor;
        this.ticker = ticker;
        this.deadlines = new Deadlines(executor, ticker);
        this.logLines = new LogLines(deadlines);
    }

    EventLoop executor() {
        return executor;
    }

    Deadlines deadlines() {
        return deadlines;
    }

    LogLines logLines() {
        return logLines;
    }

    long now() {
        return ticker.nanos();
    }

    void add(Session session) {
        sessions.add(session);
    }

    void remove(Session session) {
        sessions.remove(session);
    }

    /** Those that run; a copy, since most who ask for them end some. */
    List<Session> sessions() {
        return List.copyOf(sessions);
    }
}
