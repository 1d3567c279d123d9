package io.weir.proxy.http;

import io.netty.channel.EventLoop;
import io.netty.channel.WriteBufferWaterMark;
import io.weir.proxy.loop.Deadlines;
import io.weir.proxy.loop.LogLines;
import io.weir.upstream.KeepaliveCache;
import io.weir.upstream.UpstreamGroup;
import io.weir.zone.Ticker;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.IdentityHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * What belongs to one event loop: its timeouts, its idle upstream connections, the text of its clock. Confined to the
 * loop's thread but for the constructor.
 */
final class Loop {

    /** IMF-fixdate; the formatter of that name in the JDK writes one digit for the first days of a month. */
    private static final DateTimeFormatter DATE =
            DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ENGLISH);

    /**
     * When a side that does not take its bytes stops the other side's reading. More than one read brings at once, or each
     * large message would stop and start the reading, at the price of two system calls.
     */
    static final WriteBufferWaterMark WATER_MARK = new WriteBufferWaterMark(64 * 1024, 192 * 1024);

    private final EventLoop executor;
    private final Ticker ticker;
    private final Deadlines deadlines;
    private final Map<UpstreamGroup, KeepaliveCache<UpstreamChannel>> caches = new IdentityHashMap<>();
    private final HeadParser headParser = new HeadParser();
    private final LogLines logLines;
    private long dateSecond = -1;
    private byte[] date = new byte[0];

    Loop(EventLoop executor, Ticker ticker) {
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

    HeadParser headParser() {
        return headParser;
    }

    /** The idle connections of a group on this loop. */
    KeepaliveCache<UpstreamChannel> cache(UpstreamGroup group) {
        KeepaliveCache<UpstreamChannel> cache = caches.get(group);
        if (cache == null) {
            cache = KeepaliveCache.create(group, executor, UpstreamChannel::close);
            caches.put(group, cache);
        }
        return cache;
    }

    /** Lets go of groups that were removed. */
    void forgetClosedGroups() {
        caches.keySet().removeIf(UpstreamGroup::isClosed);
    }

    /** The value of a Date field (RFC 9110 section 5.6.7), made once a second. */
    byte[] date() {
        long second = System.currentTimeMillis() / 1000;
        if (second != dateSecond) {
            dateSecond = second;
            date = DATE.format(ZonedDateTime.ofInstant(java.time.Instant.ofEpochSecond(second), ZoneOffset.UTC))
                    .getBytes(StandardCharsets.US_ASCII);
        }
        return date;
    }
}
