package io.weir.config;

import java.util.List;

/**
 * What a stream listener grants its clients; names and defaults are nginx's.
 *
 * @param access who is let in, the first rule that is about an address counts ({@code allow}, {@code deny})
 * @param proxyProtocolTimeout for an incoming PROXY protocol header ({@code proxy_protocol_timeout})
 * @param prereadTimeout for a whole ClientHello, where one is waited for ({@code preread_timeout})
 * @param prereadBufferSize for it, 1k to 1m ({@code preread_buffer_size})
 * @param maxConnections most sessions at one time, 0 for no limit
 * @param maxConnectionsPerAddress most of them from one address, 0 for no limit ({@code limit_conn})
 */
public record StreamClientSettings(
        List<AccessRule> access,
        TimeSpan proxyProtocolTimeout,
        TimeSpan prereadTimeout,
        ByteSize prereadBufferSize,
        int maxConnections,
        int maxConnectionsPerAddress) {

    public static final StreamClientSettings DEFAULT = new StreamClientSettings(
            List.of(), TimeSpan.parse("30s"), TimeSpan.parse("30s"), ByteSize.parse("16k"), 0, 0);

    public StreamClientSettings {
        access = List.copyOf(access);
        new Checks()
                .check(!proxyProtocolTimeout.isZero(), "proxyProtocolTimeout", "must be more than 0")
                .check(!prereadTimeout.isZero(), "prereadTimeout", "must be more than 0")
                .size("prereadBufferSize", prereadBufferSize, 1 << 10, 1 << 20)
                .range("maxConnections", maxConnections, 0, Integer.MAX_VALUE)
                .range("maxConnectionsPerAddress", maxConnectionsPerAddress, 0, Integer.MAX_VALUE)
                .done();
    }
}
