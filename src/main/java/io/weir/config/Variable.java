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
            "remote_user",
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

    /** Families that have a value once the response head was sent, which is too late for all but a log. */
    private static final List<String> LOG_PREFIXES = List.of("sent_http_");

    private Variable() {}

    public static boolean isKnown(String name) {
        return NAMES.contains(name) || isOfFamily(PREFIXES, name);
    }

    /** Whether the lines of a log may hold it. */
    public static boolean isKnownToLogs(String name) {
        return isKnown(name) || isOfFamily(LOG_PREFIXES, name);
    }

    private static boolean isOfFamily(List<String> prefixes, String name) {
        return prefixes.stream().anyMatch(p -> name.startsWith(p) && name.length() > p.length());
    }

    /** All single names, without the families. */
    public static Set<String> names() {
        return NAMES;
    }

    /** The beginnings of the families' names. */
    public static List<String> prefixes() {
        return PREFIXES;
    }

    /** The beginnings of those that only logs know. */
    public static List<String> logPrefixes() {
        return LOG_PREFIXES;
    }
}
