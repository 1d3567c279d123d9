package io.weir.proxy.loop;

import io.netty.channel.EventLoop;
import io.weir.zone.Ticker;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The contexts of all event loops, one each, made when one is asked for. Safe on every thread. */
public final class LoopContexts {

    private final Ticker ticker;
    private final Map<EventLoop, LoopContext> contexts = new ConcurrentHashMap<>();

    public LoopContexts(Ticker ticker) {
        this.ticker = ticker;
    }

    public LoopContext of(EventLoop executor) {
        return contexts.computeIfAbsent(executor, e -> new LoopContext(e, ticker));
    }

    /** Hands over all log lines that wait. Once the loops have ended. */
    public void flushLogs() {
        contexts.values().forEach(context -> context.logLines().flush());
    }
}
