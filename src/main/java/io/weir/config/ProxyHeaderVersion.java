package io.weir.config;

import java.util.Locale;

/**
 * A form of the PROXY protocol's header.
 *
 * @see <a href="https://www.haproxy.org/download/2.9/doc/proxy-protocol.txt">The PROXY protocol</a>
 */
public enum ProxyHeaderVersion {
    /** Text. */
    V1,
    /** Binary. */
    V2;

    /** As operators write it. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
