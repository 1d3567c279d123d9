package io.weir.proxy.address;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * What a header of the PROXY protocol tells. Immutable.
 *
 * @param source who connected to the proxy; null if the header names nobody, as that of a health check
 * @param destination where the proxy was connected to; null with {@code source}
 */
public record ProxyHeader(
        @Nullable InetSocketAddress source, @Nullable InetSocketAddress destination) {

    /** The connection stands for itself: UNKNOWN, LOCAL, or a family that is none of TCP over IP. */
    public static final ProxyHeader NOBODY = new ProxyHeader(null, null);
}
