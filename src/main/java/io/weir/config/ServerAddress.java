package io.weir.config;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where a server listens: {@code 127.0.0.1:9001}, {@code [2001:db8::1]:80}, {@code backend.example:8080} or
 * {@code unix:/run/app.sock}.
 *
 * @param text as the operator wrote it; nginx hashes this text, so it is never rewritten
 * @param host an IP address without brackets, or a name in lower case; the path of a unix socket
 * @param port 1 to 65535; 0 for a unix socket
 */
public record ServerAddress(String text, String host, int port) {

    private static final String UNIX = "unix:";
    private static final Pattern V6 = Pattern.compile("\\[([0-9A-Fa-f:.]+)](?::(\\d{1,5}))?");
    private static final Pattern V4_OR_NAME = Pattern.compile("([A-Za-z0-9._-]{1,253})(?::(\\d{1,5}))?");
    private static final Pattern V4 = Pattern.compile("\\d+(\\.\\d+)*");

    /**
     * Reads an address; nothing is resolved.
     *
     * @param defaultPort taken where the text names none, as nginx takes 80 for HTTP
     * @throws InvalidConfigException on anything else, with an empty field
     */
    public static ServerAddress parse(String text, int defaultPort) {
        if (text.regionMatches(true, 0, UNIX, 0, UNIX.length())) {
            String path = text.substring(UNIX.length());
            // sockaddr_un holds 108 bytes with the closing zero
            if (!path.startsWith("/") || path.length() > 107 || path.chars().anyMatch(c -> c <= ' ' || c >= 127)) {
                throw bad("must be unix: and an absolute path of at most 107 printable ASCII characters");
            }
            return new ServerAddress(text, path, 0);
        }
        Matcher m = V6.matcher(text);
        boolean v6 = m.matches();
        if (!v6) {
            m = V4_OR_NAME.matcher(text);
            if (!m.matches()) {
                throw bad("must be host:port, [v6]:port or unix:/path");
            }
        }
        String host = m.group(1);
        if (v6 ? !IpAddresses.isV6(host) : V4.matcher(host).matches() && !IpAddresses.isV4(host)) {
            throw bad("is not a valid IP address");
        }
        if (!v6 && (host.startsWith(".") || host.startsWith("-") || host.contains(".."))) {
            throw bad("is not a valid host name");
        }
        int port = m.group(2) == null ? defaultPort : Integer.parseInt(m.group(2));
        if (port < 1 || port > 65535) {
            throw bad("port must be between 1 and 65535");
        }
        return new ServerAddress(text, host.toLowerCase(Locale.ROOT), port);
    }

    private static InvalidConfigException bad(String message) {
        return new InvalidConfigException("", message);
    }

    public boolean isUnix() {
        return port == 0;
    }

    /** Whether the text has a port, or needs none; streams have no port that could be taken where none is named. */
    public boolean namesPort() {
        return isUnix() || (text.startsWith("[") ? !text.endsWith("]") : text.indexOf(':') >= 0);
    }

    /** One spelling for every text that means the same: lower case, with its port. Two servers are compared by this. */
    public String canonical() {
        if (isUnix()) {
            return UNIX + host;
        }
        return host.indexOf(':') >= 0 ? IpAddresses.canonicalV6(host) + ":" + port : host + ":" + port;
    }

    @Override
    public String toString() {
        return text;
    }
}
