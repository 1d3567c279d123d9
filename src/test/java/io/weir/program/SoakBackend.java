package io.weir.program;

import io.weir.proxy.Backend;
import io.weir.proxy.HttpText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A server that does what the target of a request asks for: {@code id} is echoed and is the seed of the body, {@code size}
 * and {@code frame} (length, chunked, close) are the body's. Uploads are answered with their checksum. A wicked one does
 * the mischief that {@code do} names; one that is not takes no notice of it.
 */
final class SoakBackend implements AutoCloseable {

    private static final int PIECE = 50_000;

    private final String host;
    private final int port;
    private final boolean wicked;
    private Backend life;

    private SoakBackend(String host, boolean wicked) {
        this.host = host;
        this.wicked = wicked;
        life = Backend.at(host, 0, this::serve);
        port = life.port();
    }

    /** @param host an address of 127.0.0.0/8 other than 127.0.0.1, so that it can come back where it was */
    static SoakBackend good(String host) {
        return new SoakBackend(host, false);
    }

    static SoakBackend wicked(String host) {
        return new SoakBackend(host, true);
    }

    String address() {
        return host + ":" + port;
    }

    int port() {
        return port;
    }

    /** Nobody listens any more, and all connections break, idle or not. */
    void kill() {
        life.close();
    }

    void revive() {
        life = Backend.at(host, port, this::serve);
    }

    @Override
    public void close() {
        life.close();
    }

    /** The value of an argument of the target, or nothing. */
    static String argument(String head, String name) {
        String target = head.substring(0, head.indexOf("\r\n"));
        for (String pair : target.substring(target.indexOf('?') + 1, target.lastIndexOf(' '))
                .split("&")) {
            if (pair.startsWith(name + "=")) {
                return pair.substring(name.length() + 1);
            }
        }
        return "";
    }

    private void serve(Backend.Connection connection) throws IOException {
        for (String head = HttpText.readHead(connection.in());
                head != null;
                head = HttpText.readHead(connection.in())) {
            String mischief = wicked ? argument(head, "do") : "";
            if (HttpText.field(head, "Upgrade") != null) {
                echo(connection, head);
                return;
            }
            if (mischief.equals("early")) {
                connection.write(head(head, "200 OK") + "Content-Length: 5\r\n\r\nearly");
                HttpText.readBody(head, connection.in());
                return;
            }
            byte[] body = HttpText.readBody(head, connection.in());
            if (!(mischief.isEmpty() ? answer(connection, head, body) : misbehave(connection, head, mischief))) {
                return;
            }
        }
    }

    private static String head(String request, String status) {
        return "HTTP/1.1 " + status + "\r\nX-Id: " + argument(request, "id") + "\r\n";
    }

    private static byte[] content(String head) {
        return SeededBytes.of(Integer.parseInt(argument(head, "id")), Integer.parseInt(argument(head, "size")));
    }

    /** @return whether the connection goes on */
    private static boolean answer(Backend.Connection connection, String head, byte[] body) throws IOException {
        String ok = head(head, "200 OK");
        if (head.startsWith("P")) {
            String text = SeededBytes.checksum(body) + " " + body.length;
            // one write: a proxy that got the head gets the rest
            connection.write(ok + "Content-Length: " + text.length() + "\r\n\r\n" + text);
            return true;
        }
        byte[] content = content(head);
        if (head.startsWith("HEAD")) {
            connection.write(ok + "Content-Length: " + content.length + "\r\n\r\n");
            return true;
        }
        switch (argument(head, "frame")) {
            case "chunked" -> {
                connection.write(ok + "Transfer-Encoding: chunked\r\n\r\n");
                chunks(connection, content);
                connection.write("0\r\n\r\n");
            }
            case "close" -> {
                connection.write(ok + "Connection: close\r\n\r\n");
                connection.write(content);
                return false;
            }
            default -> {
                connection.write(ok + "Content-Length: " + content.length + "\r\n\r\n");
                connection.write(content);
            }
        }
        return true;
    }

    static byte[] chunk(byte[] content, int from, int to) {
        byte[] size = (Integer.toHexString(to - from) + "\r\n").getBytes(StandardCharsets.US_ASCII);
        byte[] chunk = Arrays.copyOf(size, size.length + to - from + 2);
        System.arraycopy(content, from, chunk, size.length, to - from);
        chunk[chunk.length - 2] = '\r';
        chunk[chunk.length - 1] = '\n';
        return chunk;
    }

    private static void chunks(Backend.Connection connection, byte[] content) throws IOException {
        for (int at = 0; at < content.length; at += PIECE) {
            connection.write(chunk(content, at, Math.min(content.length, at + PIECE)));
        }
    }

    /** @return whether the connection goes on */
    private static boolean misbehave(Backend.Connection connection, String head, String mischief) throws IOException {
        String ok = head(head, "200 OK");
        byte[] content = content(head);
        byte[] half = Arrays.copyOf(content, content.length / 2);
        String length = "Content-Length: " + content.length + "\r\n";
        switch (mischief) {
            case "close" -> {}
            case "reset" -> connection.reset();
            case "reset-body" -> {
                connection.write(ok + length + "\r\n");
                connection.write(half);
                connection.reset();
            }
            case "short" -> {
                connection.write(ok + length + "\r\n");
                connection.write(half);
            }
            case "short-chunked", "bad-chunk" -> {
                connection.write(ok + "Transfer-Encoding: chunked\r\n\r\n");
                chunks(connection, half);
                if (mischief.equals("bad-chunk")) {
                    connection.write("zz\r\n");
                }
            }
            case "garbage" -> connection.write("\u0001\u0002 no head at all\r\n\r\n");
            case "both" -> {
                connection.write(ok + length + "Transfer-Encoding: chunked\r\n\r\n");
                chunks(connection, content);
                connection.write("0\r\n\r\n");
            }
            case "surplus" -> {
                connection.write(ok + length + "\r\n");
                connection.write(content);
                connection.write("HTTP/1.1 200 OK\r\nX-Id: 0\r\nContent-Length: 3\r\n\r\nbad");
                return true;
            }
            case "500", "503" -> {
                connection.write(head(head, mischief + " Wicked") + "Content-Length: 3\r\n\r\nbad");
                return true;
            }
            case "stall" -> awaitClose(connection);
            case "stall-body" -> {
                connection.write(ok + length + "\r\n");
                connection.write(half);
                awaitClose(connection);
            }
            default -> throw new IllegalArgumentException(mischief);
        }
        return false;
    }

    private static void awaitClose(Backend.Connection connection) throws IOException {
        while (connection.in().read() >= 0) {
            // says nothing
        }
    }

    private static void echo(Backend.Connection connection, String head) throws IOException {
        connection.write(head(head, "101 Switching Protocols") + "Connection: Upgrade\r\nUpgrade: echo\r\n\r\n");
        byte[] buffer = new byte[8192];
        for (int got = connection.in().read(buffer);
                got >= 0;
                got = connection.in().read(buffer)) {
            connection.write(Arrays.copyOf(buffer, got));
        }
    }
}
