package io.weir.program;

import io.weir.proxy.Client;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A client with one connection that stays open, and which keeps the cookies that it is given. */
final class Browser implements AutoCloseable {

    private static final Pattern SET_COOKIE = Pattern.compile("(?im)^Set-Cookie: ([^=]+)=([^;\\r]*)");

    private final Client client;
    private final Map<String, String> cookies = new TreeMap<>();

    private Browser(Client client) {
        this.client = client;
    }

    /** @param from an address of 127.0.0.0/8 */
    static Browser open(String from, int port) throws IOException {
        return new Browser(Client.from(from, port));
    }

    Client.Response get(String target) throws IOException {
        StringBuilder request = new StringBuilder("GET ").append(target).append(" HTTP/1.1\r\nHost: test.example\r\n");
        if (!cookies.isEmpty()) {
            StringBuilder pairs = new StringBuilder();
            cookies.forEach((name, value) -> pairs.append(pairs.isEmpty() ? "" : "; ")
                    .append(name)
                    .append('=')
                    .append(value));
            request.append("Cookie: ").append(pairs).append("\r\n");
        }
        Client.Response response = client.request(request.append("\r\n").toString());
        Matcher set = SET_COOKIE.matcher(response.head());
        while (set.find()) {
            cookies.put(set.group(1), set.group(2));
        }
        return response;
    }

    /** Its value, or null. */
    String cookie(String name) {
        return cookies.get(name);
    }

    /** Brings cookies that another was given. */
    void takeCookiesOf(Browser other) {
        cookies.putAll(other.cookies);
    }

    @Override
    public void close() throws IOException {
        client.close();
    }
}
