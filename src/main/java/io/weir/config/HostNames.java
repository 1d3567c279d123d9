package io.weir.config;

import java.util.List;
import java.util.regex.Pattern;

/** Names of hosts that routes go by: exact ones, {@code *.example.org} and {@code www.example.*}. */
final class HostNames {

    private static final Pattern SYNTAX =
            Pattern.compile("(?:\\*\\.)?[a-z0-9_-]+(?:\\.[a-z0-9_-]+)*(?:\\.\\*)?|\\[[0-9a-f:.]+]");

    /** RFC 1035. */
    private static final int LONGEST = 253;

    private HostNames() {}

    static void check(Checks checks, String field, List<String> hosts) {
        for (int i = 0; i < hosts.size(); i++) {
            String host = hosts.get(i);
            checks.check(
                    SYNTAX.matcher(host).matches()
                            && !(host.startsWith("*.") && host.endsWith(".*"))
                            && host.length() <= LONGEST,
                    field + "[" + i + "]",
                    "must be a host name in lower case, *.name or name.*, without a port");
        }
    }
}
