package io.weir.zone;

import io.weir.config.ServerConfig;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;

/**
 * A peer that the configuration asks for: one address of a server, with all of the server's parameters.
 *
 * @param address an {@link InetSocketAddress} with an IP address, or a {@link UnixDomainSocketAddress}
 */
public record PeerSpec(ServerConfig server, SocketAddress address) {

    /**
     * An address as nginx prints it: {@code 127.0.0.1:80}, {@code [2001:db8::1]:80} or {@code unix:/run/app.sock}.
     *
     * @see <a href="https://www.rfc-editor.org/rfc/rfc5952">RFC 5952</a>
     */
    public static String print(SocketAddress address) {
        if (address instanceof InetSocketAddress inet) {
            InetAddress ip = inet.getAddress();
            return ip instanceof Inet6Address
                    ? "[" + printV6(ip.getAddress()) + "]:" + inet.getPort()
                    : ip.getHostAddress() + ":" + inet.getPort();
        }
        return address instanceof UnixDomainSocketAddress unix ? "unix:" + unix.getPath() : address.toString();
    }

    /** Lower-case groups without leading zeros; the first of the longest runs of two or more zero groups becomes "::". */
    private static String printV6(byte[] bytes) {
        int[] groups = new int[8];
        int zeros = -1;
        int longest = 1;
        int run = 0;
        for (int i = 0; i < 8; i++) {
            groups[i] = ((bytes[2 * i] & 0xff) << 8) | (bytes[2 * i + 1] & 0xff);
            run = groups[i] == 0 ? run + 1 : 0;
            if (run > longest) {
                longest = run;
                zeros = i - run + 1;
            }
        }
        StringBuilder text = new StringBuilder(39);
        for (int i = 0; i < 8; i++) {
            if (i == zeros) {
                text.append(i == 0 ? "::" : ":");
                i += longest - 1;
            } else {
                text.append(Integer.toHexString(groups[i])).append(i < 7 ? ":" : "");
            }
        }
        return text.toString();
    }
}
