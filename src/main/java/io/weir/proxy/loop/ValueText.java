package io.weir.proxy.loop;

import io.netty.util.NetUtil;
import io.weir.upstream.Attempt;
import io.weir.upstream.PeerConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Values of variables as text, in the forms that nginx gives them. */
public final class ValueText {

    private static final DateTimeFormatter TIME_LOCAL =
            DateTimeFormatter.ofPattern("dd/MMM/yyyy:HH:mm:ss Z", Locale.ENGLISH);
    private static final DateTimeFormatter TIME_ISO8601 = DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ssxxx");
    private static final String HOSTNAME = findHostname();

    private ValueText() {}

    /** The IP address; empty if it has none. */
    public static String host(@Nullable SocketAddress address) {
        if (address instanceof InetSocketAddress inet && inet.getAddress() != null) {
            return NetUtil.toAddressString(inet.getAddress());
        }
        return "";
    }

    /** Empty where a proxy in front has named an address without a port. */
    public static String port(@Nullable SocketAddress address) {
        return address instanceof InetSocketAddress inet && inet.getPort() > 0 ? Integer.toString(inet.getPort()) : "";
    }

    /** Four or sixteen bytes, one char each; empty for no address. */
    public static String binary(@Nullable InetAddress address) {
        return address == null ? "" : new String(address.getAddress(), StandardCharsets.ISO_8859_1);
    }

    /** A hyphen for none. */
    public static String status(int status) {
        return status == 0 ? "-" : Integer.toString(status);
    }

    /** Seconds with three decimals, as all of nginx's times; a negative time has not come. */
    public static String seconds(long nanos) {
        return nanos < 0 ? "-" : millis(nanos / 1_000_000);
    }

    private static String millis(long millis) {
        String fraction = Long.toString(1000 + millis % 1000).substring(1);
        return millis / 1000 + "." + fraction;
    }

    /** The time of day since 1970, in seconds with three decimals. */
    public static String msec() {
        return millis(System.currentTimeMillis());
    }

    public static String timeLocal() {
        return TIME_LOCAL.format(ZonedDateTime.now());
    }

    public static String timeIso8601() {
        return TIME_ISO8601.format(ZonedDateTime.now().truncatedTo(ChronoUnit.SECONDS));
    }

    /** Of this machine. */
    public static String hostname() {
        return HOSTNAME;
    }

    private static String findHostname() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "localhost";
        }
    }

    /** What each attempt has, joined by commas; empty if there was none. */
    public static String attempts(@Nullable PeerConnection peers, Function<Attempt, String> shown) {
        int count = peers == null ? 0 : peers.attempts();
        if (peers == null || count == 0) {
            return "";
        }
        if (count == 1) {
            return shown.apply(peers.attempt(0));
        }
        StringBuilder out = new StringBuilder(shown.apply(peers.attempt(0)));
        for (int i = 1; i < count; i++) {
            out.append(", ").append(shown.apply(peers.attempt(i)));
        }
        return out.toString();
    }
}
