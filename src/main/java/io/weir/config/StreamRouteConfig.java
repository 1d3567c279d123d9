package io.weir.config;

import java.util.List;

/**
 * One route of a stream listener: which TLS clients it takes, by what they say before they encrypt.
 *
 * @param hosts names that a client asks for (SNI): exact names, {@code *.example.org} or {@code www.example.*}, lower case;
 *     none means any, also none
 * @param alpn protocols of which a client must offer one; none means any
 * @param upstream the group that takes them
 */
public record StreamRouteConfig(String name, List<String> hosts, List<String> alpn, String upstream)
        implements ListenerRoute {

    /** RFC 7301: 1 to 255 bytes. */
    private static final int LONGEST_ALPN = 255;

    public StreamRouteConfig {
        hosts = List.copyOf(hosts);
        alpn = List.copyOf(alpn);
        Checks checks = new Checks().name("name", name);
        HostNames.check(checks, "hosts", hosts);
        for (int i = 0; i < alpn.size(); i++) {
            String protocol = alpn.get(i);
            checks.check(
                    !protocol.isEmpty()
                            && protocol.length() <= LONGEST_ALPN
                            && protocol.chars().allMatch(c -> c > ' ' && c < 127),
                    "alpn[" + i + "]",
                    "must be the name of a protocol such as h2");
        }
        checks.check(!hosts.isEmpty() || !alpn.isEmpty(), "hosts", "or alpn must have an entry");
        checks.done();
    }
}
