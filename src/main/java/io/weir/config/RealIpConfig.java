package io.weir.config;

import java.net.InetAddress;
import java.util.List;

/**
 * Whose word is taken for a client's address, and where it stands; the words are nginx's.
 *
 * @param trusted addresses of proxies in front ({@code set_real_ip_from}), at least one
 * @param header name of a request header field, or {@value #PROXY_PROTOCOL} ({@code real_ip_header})
 * @param recursive whether a list is followed back until an address that is not trusted ({@code real_ip_recursive})
 * @see <a href="https://nginx.org/en/docs/http/ngx_http_realip_module.html">ngx_http_realip_module</a>
 */
public record RealIpConfig(List<Cidr> trusted, String header, boolean recursive) {

    public static final String PROXY_PROTOCOL = "proxy_protocol";
    public static final String DEFAULT_HEADER = "X-Real-IP";

    public RealIpConfig {
        trusted = List.copyOf(trusted);
        new Checks()
                .check(!trusted.isEmpty(), "trusted", "must have at least one address or range")
                .check(
                        // nginx ignores fields with an underscore, so such a name would wait for nothing
                        header.equals(PROXY_PROTOCOL) || HttpSyntax.isToken(header) && header.indexOf('_') < 0,
                        "header",
                        "must be the name of a header field, without _, or " + PROXY_PROTOCOL)
                .done();
    }

    /** Whether the address comes from the PROXY protocol instead of a header field. */
    public boolean fromProxyProtocol() {
        return header.equals(PROXY_PROTOCOL);
    }

    /** Whether this is the address of a trusted proxy. */
    public boolean trusts(InetAddress address) {
        for (Cidr range : trusted) {
            if (range.contains(address)) {
                return true;
            }
        }
        return false;
    }
}
