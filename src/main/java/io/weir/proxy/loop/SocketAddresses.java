package io.weir.proxy.loop;

import io.netty.channel.unix.DomainSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;

/** Between the JDK's socket addresses, which the rest of Weir speaks of, and Netty's. */
public final class SocketAddresses {

    private SocketAddresses() {}

    public static SocketAddress ofChannel(SocketAddress address) {
        return address instanceof UnixDomainSocketAddress unix
                ? new DomainSocketAddress(unix.getPath().toString())
                : address;
    }
}
