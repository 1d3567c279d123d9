package io.weir.proxy.log;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** The time of day as log lines have it, made once a second. Confined to one thread. */
public final class LocalTime {

    private static final DateTimeFormatter TIME_LOCAL =
            DateTimeFormatter.ofPattern("dd/MMM/yyyy:HH:mm:ss Z", Locale.ENGLISH);
    private static final DateTimeFormatter ISO_SECONDS = DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss");
    private static final DateTimeFormatter ISO_OFFSET = DateTimeFormatter.ofPattern("xxx");

    private long millis;
    private long second = Long.MIN_VALUE;
    private byte[] timeLocal = new byte[0];
    private byte[] isoSeconds = new byte[0];
    private byte[] isoOffset = new byte[0];

    /** Looks at the clock; what is asked for afterwards is of that moment. */
    public void update() {
        millis = System.currentTimeMillis();
        if (millis / 1000 != second) {
            second = millis / 1000;
            ZonedDateTime time = Instant.ofEpochSecond(second).atZone(ZoneId.systemDefault());
            timeLocal = ascii(TIME_LOCAL, time);
            isoSeconds = ascii(ISO_SECONDS, time);
            isoOffset = ascii(ISO_OFFSET, time);
        }
    }

    private static byte[] ascii(DateTimeFormatter format, ZonedDateTime time) {
        return format.format(time).getBytes(StandardCharsets.US_ASCII);
    }

    /** Since 1970. */
    public long millis() {
        return millis;
    }

    /** nginx's {@code $time_local}: {@code 30/Nov/2026:19:44:47 +0100}. */
    public byte[] timeLocal() {
        return timeLocal;
    }

    /** {@code 2026-11-30T19:44:47}, to be followed by {@link #isoOffset}. */
    public byte[] isoSeconds() {
        return isoSeconds;
    }

    /** {@code +01:00}. */
    public byte[] isoOffset() {
        return isoOffset;
    }
}
