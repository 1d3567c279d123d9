package io.weir.proxy.loop;

import io.netty.util.NetUtil;
import io.weir.config.AccessLogConfig.Escape;
import io.weir.proxy.log.LineBuffer;
import io.weir.proxy.log.LocalTime;
import io.weir.proxy.log.LogValue;
import io.weir.upstream.Attempt;
import io.weir.upstream.PeerConnection;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Values of log lines that are the same in every protocol, appended without a string in between where that can be. */
public final class CommonValues {

    private CommonValues() {}

    /** Something that one attempt at a peer has. */
    public interface AttemptValue {
        void write(LineBuffer line, Attempt attempt);
    }

    /**
     * The variables that tell the time.
     *
     * @param lines of the subject's loop
     */
    public static <T> Map<String, LogValue<T>> clock(Function<T, LogLines> lines) {
        return Map.of(
                "msec",
                        (line, subject) ->
                                line.seconds(lines.apply(subject).time().millis()),
                "time_local",
                        (line, subject) -> line.put(lines.apply(subject).time().timeLocal()),
                "time_iso8601",
                        (line, subject) -> {
                            LocalTime time = lines.apply(subject).time();
                            line.put(time.isoSeconds());
                            line.put(time.isoOffset());
                        });
    }

    /** An IP address; a subject whose client has none, as that of a unix socket, has no value. */
    public static <T> LogValue<T> address(Function<T, @Nullable InetAddress> address, Escape escape) {
        return (line, subject) -> {
            InetAddress its = address.apply(subject);
            if (its == null) {
                LogValue.absent(line, escape);
            } else {
                address(line, its);
            }
        };
    }

    /** Appends an address. */
    public static void address(LineBuffer line, InetAddress address) {
        if (address instanceof Inet4Address) {
            byte[] parts = address.getAddress();
            for (int i = 0; i < parts.length; i++) {
                if (i > 0) {
                    line.put('.');
                }
                line.number(parts[i] & 0xff);
            }
        } else {
            line.put(NetUtil.toAddressString(address));
        }
    }

    /**
     * A value of each attempt, joined by commas as nginx joins them.
     *
     * @param peers null where none was asked for
     */
    public static <T> LogValue<T> attempts(
            Function<T, @Nullable PeerConnection> peers, AttemptValue value, Escape escape) {
        return (line, subject) -> {
            PeerConnection its = peers.apply(subject);
            int count = its == null ? 0 : its.attempts();
            if (its == null || count == 0) {
                LogValue.absent(line, escape);
                return;
            }
            for (int i = 0; i < count; i++) {
                if (i > 0) {
                    line.put(',');
                    line.put(' ');
                }
                value.write(line, its.attempt(i));
            }
        };
    }

    /** Appends a time in seconds with three decimals, or a hyphen for what was not reached: less than 0. */
    public static void timeOrHyphen(LineBuffer line, long nanos) {
        if (nanos < 0) {
            line.put('-');
        } else {
            line.seconds(TimeUnit.NANOSECONDS.toMillis(nanos));
        }
    }
}
