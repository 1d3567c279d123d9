package io.weir.config;

import java.net.InetAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Whether clients from a range of addresses are let in.
 *
 * @param range null for all addresses
 * @see <a href="https://nginx.org/en/docs/stream/ngx_stream_access_module.html">ngx_stream_access_module</a>
 */
public record AccessRule(boolean allow, @Nullable Cidr range) {

    /** What stands for all addresses. */
    public static final String ALL = "all";

    /**
     * Reads what a rule is about: an address, a range or {@value #ALL}.
     *
     * @throws InvalidConfigException on anything else, with an empty field
     */
    public static AccessRule parse(boolean allow, String range) {
        return new AccessRule(allow, range.equals(ALL) ? null : Cidr.parse(range));
    }

    /** As operators write the range. */
    public String rangeText() {
        return range == null ? ALL : range.text();
    }

    /** Whether {@code rules} let a client in: the first that is about its address says so, and else everybody is. */
    public static boolean allows(List<AccessRule> rules, InetAddress client) {
        for (AccessRule rule : rules) {
            if (rule.range == null || rule.range.contains(client)) {
                return rule.allow;
            }
        }
        return true;
    }
}
