package io.weir.proxy.stream;

import io.netty.channel.EventLoop;
import io.weir.proxy.loop.Deadlines;
import io.weir.proxy.loop.LogLines;
import io.weir.proxy.loop.LoopContext;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/**
 * The sessions of one event loop, with what it has for them. Confined to the loop's thread but for the constructor.
 */
final class StreamLoop {

    private final LoopContext context;
    private final Set<Session> sessions = Collections.newSetFromMap(new IdentityHashMap<>());

    StreamLoop(LoopContext context) {
        this.context = context;
    }

    EventLoop executor() {
        return context.executor();
    }

    Deadlines deadlines() {
        return context.deadlines();
    }

    LogLines logLines() {
        return context.logLines();
    }

    long now() {
        return context.now();
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
