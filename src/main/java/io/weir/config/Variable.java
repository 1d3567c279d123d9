package io.weir.config;

import java.util.List;
import java.util.Set;

/**
 * The {@code $variables} that a {@link Template} may hold; names and meaning are nginx's.
 *
 * @see <a href="https://nginx.org/en/docs/varindex.html">nginx: alphabetical index of variables</a>
 */
public final class Variable {

    private static final Set<String> NAMES = Set.of(
            "args",
            "binary_remote_addr",
            "body_bytes_sent",
            "bytes_sent",
            "connection",
            "connection_requests",
            "content_length",
            "content_type",
            "document_uri",
            "host",
            "hostname",
            "is_args",
            "msec",
            "proxy_add_x_forwarded_for",
            "proxy_host",
            "proxy_port",
            "proxy_protocol_addr",
            "proxy_protocol_port",
            "proxy_protocol_server_addr",
            "proxy_protocol_server_port",
            "query_string",
            "realip_remote_addr",
            "realip_remote_port",
            "remote_addr",
            "remote_port",
            "request",
            "request_id",
            "request_length",
            "request_method",
            "request_time",
            "request_uri",
            "scheme",
            "server_addr",
            "server_name",
            "server_port",
            "server_protocol",
            "status",
            "time_iso8601",
            "time_local",
            "upstream_addr",
            "upstream_bytes_received",
            "upstream_bytes_sent",
            "upstream_connect_time",
            "upstream_header_time",
            "upstream_response_length",
            "upstream_response_time",
            "upstream_status",
            "uri");

    /** Families whose name goes on with that of a header, argument or cookie. */
    private static final List<String> PREFIXES =
            List.of("arg_", "cookie_", "http_", "upstream_http_", "upstream_cookie_");

    private Variable() {}

    public static boolean isKnown(String name) {
        return NAMES.contains(name)
                || PREFIXES.stream().anyMatch(p -> name.startsWith(p) && name.length() > p.length());
    }

    /** All single names, without the families. */
    public static Set<String> names() {
        return NAMES;
    }

    /** The beginnings of the families' names. */
    public static List<String> prefixes() {
        return PREFIXES;
    }
}
