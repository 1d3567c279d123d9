package io.weir.proxy.http;

import io.netty.util.AsciiString;
import io.weir.config.RealIpConfig;
import io.weir.proxy.address.Addresses;
import io.weir.proxy.address.ProxyHeader;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Who the client of a request is, where proxies in front are trusted to say so. Immutable.
 *
 * <p>A value is a list, whatever the field: addresses with spaces or commas between, the last one by the nearest proxy. Of
 * several fields of one name, {@code X-Forwarded-For} is one list, of others the first counts. What is no address ends
 * the search, and what was found before it stays.
 *
 * @see <a href="https://nginx.org/en/docs/http/ngx_http_realip_module.html">ngx_http_realip_module</a>, observed with 1.22
 */
final class RealIp {

    private static final AsciiString FORWARDED_FOR = AsciiString.cached("x-forwarded-for");

    private final RealIpConfig config;
    private final boolean isForwardedFor;

    private RealIp(RealIpConfig config) {
        this.config = config;
        this.isForwardedFor = FORWARDED_FOR.contentEqualsIgnoreCase(config.header());
    }

    static @Nullable RealIp of(@Nullable RealIpConfig config) {
        return config == null ? null : new RealIp(config);
    }

    /**
     * The client's address.
     *
     * @param peer of the connection
     * @param proxied what the connection began with
     * @return {@code peer} where nobody who is trusted says otherwise; with port 0 where they name none
     */
    SocketAddress client(SocketAddress peer, ProxyHeader proxied, HttpFields headers) {
        if (!(peer instanceof InetSocketAddress address) || !config.trusts(address.getAddress())) {
            return peer;
        }
        if (config.fromProxyProtocol()) {
            return proxied.source() == null ? peer : proxied.source();
        }
        if (isForwardedFor) {
            return search(address, headers.getAll(FORWARDED_FOR));
        }
        String first = headers.get(config.header());
        return first == null ? peer : search(address, List.of(first));
    }

    /** Goes from the last address of the last list to the first that is not trusted, or one step if not recursive. */
    private InetSocketAddress search(InetSocketAddress trustedPeer, List<String> lists) {
        InetSocketAddress found = trustedPeer;
        for (int i = lists.size() - 1; i >= 0; i--) {
            String list = lists.get(i);
            int start = list.length() + 1;
            do {
                int end = start - 1;
                while (end > 1 && isSeparator(list.charAt(end - 1))) {
                    end--;
                }
                start = lastItem(list, end);
                InetSocketAddress next = Addresses.withPort(list.substring(start, end));
                if (next == null) {
                    return found;
                }
                found = next;
                if (!config.recursive() || !config.trusts(found.getAddress())) {
                    return found;
                }
            } while (start > 0);
        }
        return found;
    }

    /** Where the last item before {@code end} begins. As in nginx, a separator in the very first place is part of it. */
    private static int lastItem(String list, int end) {
        int start = end;
        while (start > 1 && !isSeparator(list.charAt(start - 1))) {
            start--;
        }
        return start > 1 ? start : 0;
    }

    private static boolean isSeparator(char c) {
        return c == ' ' || c == ',';
    }
}
