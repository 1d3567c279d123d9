package io.weir.control.drain;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/** A wall clock that goes as the test says. */
final class MovableClock extends Clock {

    private Instant now = Instant.parse("2026-03-01T12:00:00Z");

    void skip(String time) {
        now = now.plus(Duration.parse("PT" + time));
    }

    @Override
    public Instant instant() {
        return now;
    }

    @Override
    public ZoneId getZone() {
        return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
        return this;
    }
}
