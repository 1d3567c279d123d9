package io.weir.proxy.address;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;

/** Addresses as others write them. Nothing is looked up, and no text is an error: what is no address is null. */
public final class Addresses {

    private static final int MAX_PORT = 65535;

    private Addresses() {}

    /** An IP address without brackets and zone; an IPv4-mapped one is the IPv4 address. */
    public static @Nullable InetAddress ip(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (Character.digit(c, 16) < 0 && c != ':' && c != '.' || c > 'f') {
                return null;
            }
        }
        if (text.indexOf(':') >= 0) {
            return text.startsWith(".") ? null : v6(text);
        }
        byte[] bytes = NetUtil.createByteArrayFromIpAddressString(text);
        return bytes == null ? null : of(bytes);
    }

    /** By the JDK, which looks up nothing that has a colon and does not begin with a dot; Netty takes more than the mapped ones for IPv4. */
    private static @Nullable InetAddress v6(String text) {
        try {
            return InetAddress.getByName(text);
        } catch (UnknownHostException e) {
            return null;
        }
    }

    /**
     * An IP address with a port or without: {@code 192.0.2.1}, {@code 192.0.2.1:567}, {@code 2001:db8::1} or
     * {@code [2001:db8::1]:567}; brackets have to have a port. Without one it is 0.
     *
     * <p>Differs from nginx: a part of an IPv4 address may not be empty, as in {@code 192..2.1}.
     */
    public static @Nullable InetSocketAddress withPort(String text) {
        InetAddress whole = ip(text);
        if (whole != null) {
            return new InetSocketAddress(whole, 0);
        }
        boolean brackets = text.startsWith("[");
        int colon = brackets ? text.indexOf(']') + 1 : text.indexOf(':');
        if (colon <= 0 || colon >= text.length() || text.charAt(colon) != ':') {
            return null;
        }
        InetAddress address = ip(brackets ? text.substring(1, colon - 1) : text.substring(0, colon));
        int port = number(text, colon + 1, text.length());
        return address == null || port < 1 ? null : new InetSocketAddress(address, port);
    }

    /** Four or sixteen bytes. */
    static InetAddress of(byte[] bytes) {
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException(e);
        }
    }

    /** A port in digits, -1 if it is none. */
    static int number(String text, int from, int to) {
        int number = from < to ? 0 : -1;
        for (int i = from; i < to && number >= 0; i++) {
            int digit = text.charAt(i) - '0';
            number = digit < 0 || digit > 9 ? -1 : number * 10 + digit;
            number = number > MAX_PORT ? -1 : number;
        }
        return number;
    }
}
