package io.weir.proxy.stream;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;

/**
 * Which datagrams belong together: those of one sender to one address of this machine.
 *
 * <p>Comparable, since a sender may choose addresses whose hashes are equal, and a {@link java.util.HashMap} finds one among
 * many such keys by comparing.
 */
record UdpClient(InetSocketAddress sender, InetSocketAddress recipient) implements Comparable<UdpClient> {

    @Override
    public int compareTo(UdpClient other) {
        int order = compare(sender, other.sender);
        return order != 0 ? order : compare(recipient, other.recipient);
    }

    private static int compare(InetSocketAddress a, InetSocketAddress b) {
        int order = Integer.compare(a.getPort(), b.getPort());
        return order != 0 ? order : compare(a.getAddress(), b.getAddress());
    }

    private static int compare(InetAddress a, InetAddress b) {
        return Arrays.compareUnsigned(a.getAddress(), b.getAddress());
    }
}
