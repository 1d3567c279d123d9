package io.weir.config;

import java.util.Set;

/**
 * The {@code $variables} of sessions of streams; names and meaning are nginx's.
 *
 * @see <a href="https://nginx.org/en/docs/stream/ngx_stream_core_module.html#variables">ngx_stream_core_module</a>
 */
public final class StreamVariable {

    static final Set<String> NAMES = Set.of(
            "binary_remote_addr",
            "bytes_received",
            "bytes_sent",
            "connection",
            "hostname",
            "msec",
            "protocol",
            "proxy_protocol_addr",
            "proxy_protocol_port",
            "proxy_protocol_server_addr",
            "proxy_protocol_server_port",
            "realip_remote_addr",
            "realip_remote_port",
            "remote_addr",
            "remote_port",
            "server_addr",
            "server_port",
            "session_time",
            "ssl_preread_alpn_protocols",
            "ssl_preread_protocol",
            "ssl_preread_server_name",
            "status",
            "time_iso8601",
            "time_local",
            "upstream_addr",
            "upstream_bytes_received",
            "upstream_bytes_sent",
            "upstream_connect_time",
            "upstream_first_byte_time",
            "upstream_session_time");

    private StreamVariable() {}

    public static Set<String> names() {
        return NAMES;
    }
}
