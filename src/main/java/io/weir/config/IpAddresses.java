package io.weir.config;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.regex.Pattern;

/** IP address literals, judged without asking a name server. */
final class IpAddresses {

    private static final Pattern V4 = Pattern.compile("(?:(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)(?:\\.(?!$)|$)){4}");

    private IpAddresses() {}

    static boolean isV4(String text) {
        return V4.matcher(text).matches();
    }

    /** Without brackets and zone. */
    static boolean isV6(String text) {
        if (text.indexOf(':') < 0 || text.chars().anyMatch(c -> Character.digit(c, 16) < 0 && c != ':' && c != '.')) {
            return false;
        }
        try {
            InetAddress.getByName(text);
            return true;
        } catch (UnknownHostException e) {
            return false;
        }
    }

    /** The one form of an address as it stands before a port, so that {@code ::1} and {@code 0:0::1} compare as one. */
    static String canonicalV6(String text) {
        try {
            InetAddress address = InetAddress.getByName(text);
            // an IPv4-mapped address is the IPv4 address
            return address instanceof Inet6Address ? "[" + address.getHostAddress() + "]" : address.getHostAddress();
        } catch (UnknownHostException e) {
            throw new IllegalStateException(text, e);
        }
    }
}
