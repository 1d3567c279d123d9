package io.weir.proxy.loop;

import io.weir.proxy.log.LineBuffer;
import io.weir.proxy.log.LocalTime;
import io.weir.upstream.Attempt;
import io.weir.upstream.PeerConnection;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Members of the objects that lines of the format {@code json} are. Numbers are numbers, times are seconds with three
 * decimals, and what has no value is left out.
 */
public final class JsonFields {

    private static final long NANOS_IN_MILLI = 1_000_000;

    private static final byte[] TIME = "{\"time\":\"".getBytes(StandardCharsets.US_ASCII);

    private static final byte[] ADDR = "{\"addr\":\"".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] ATTEMPTS = key("attempts");
    private static final byte[] STATUS = key("status");

    private JsonFields() {}

    /** A name with what stands before and behind it. */
    public static byte[] key(String name) {
        return (",\"" + name + "\":").getBytes(StandardCharsets.US_ASCII);
    }

    /** Begins the object, with the time of the line. */
    public static void begin(LineBuffer line, LocalTime time) {
        line.put(TIME);
        line.put(time.isoSeconds());
        line.put('.');
        line.threeDigits((int) (time.millis() % 1000));
        line.put(time.isoOffset());
        line.put('"');
    }

    public static void text(LineBuffer line, byte[] key, @Nullable String value) {
        if (value != null) {
            line.put(key);
            line.put('"');
            line.json(value);
            line.put('"');
        }
    }

    /** An address, an empty string for none. */
    public static void address(LineBuffer line, byte[] key, @Nullable InetAddress address) {
        line.put(key);
        line.put('"');
        if (address != null) {
            CommonValues.address(line, address);
        }
        line.put('"');
    }

    public static void number(LineBuffer line, byte[] key, long value) {
        line.put(key);
        line.number(value);
    }

    /** A time that has come; a negative one has not. */
    public static void time(LineBuffer line, byte[] key, long nanos) {
        if (nanos >= 0) {
            line.put(key);
            line.seconds(nanos / NANOS_IN_MILLI);
        }
    }

    /** An array with an object for each attempt: its peer, its status if it has one, and what {@code more} appends. */
    public static void attempts(LineBuffer line, PeerConnection peers, CommonValues.AttemptValue more) {
        line.put(ATTEMPTS);
        line.put('[');
        for (int i = 0; i < peers.attempts(); i++) {
            if (i > 0) {
                line.put(',');
            }
            Attempt attempt = peers.attempt(i);
            line.put(ADDR);
            line.json(attempt.peerName());
            line.put('"');
            if (attempt.status() != 0) {
                number(line, STATUS, attempt.status());
            }
            more.write(line, attempt);
            line.put('}');
        }
        line.put(']');
    }
}
