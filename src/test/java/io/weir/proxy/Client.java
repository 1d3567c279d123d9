package io.weir.proxy;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** A client of a test, on a real socket: sends the very bytes it is told. Reads time out after a minute. */
public final class Client implements AutoCloseable {

    /** A response: its status, head and body. */
    public record Response(int status, String head, byte[] content) {

        public String body() {
            return new String(content, StandardCharsets.ISO_8859_1);
        }

        /** The value of a field, or null. */
        public String field(String name) {
            return HttpText.field(head, name);
        }
    }

    private final Socket socket;
    private final InputStream in;

    private Client(int port, InetAddress from) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port, from, 0);
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(60_000);
        in = new BufferedInputStream(socket.getInputStream());
    }

    public static Client to(int port) throws IOException {
        return new Client(port, InetAddress.getLoopbackAddress());
    }

    /** One that has this address of 127.0.0.0/8. */
    public static Client from(String address, int port) throws IOException {
        return new Client(port, InetAddress.getByName(address));
    }

    /** One GET on a connection of its own. */
    public static Response get(int port, String target) throws IOException {
        try (Client client = to(port)) {
            return client.request("GET " + target + " HTTP/1.1\r\nHost: test.example\r\nConnection: close\r\n\r\n");
        }
    }

    public Socket socket() {
        return socket;
    }

    public InputStream in() {
        return in;
    }

    public Client send(String bytes) throws IOException {
        return send(bytes.getBytes(StandardCharsets.ISO_8859_1));
    }

    public Client send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        return this;
    }

    /** Sends a request and reads its response. */
    public Response request(String bytes) throws IOException {
        send(bytes);
        return read(bytes.startsWith("HEAD "));
    }

    public Response read() throws IOException {
        return read(false);
    }

    /** All that comes until the proxy closes; what ends in a reset is told by its exception. */
    public String readAll() throws IOException {
        return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
    }

    private Response read(boolean noBody) throws IOException {
        String head = HttpText.readHead(in);
        if (head == null) {
            throw new IOException("closed without a response");
        }
        int status = Integer.parseInt(head.substring(9, 12));
        if (noBody || status == 204 || status == 304 || status < 200) {
            return new Response(status, head, new byte[0]);
        }
        boolean delimited =
                HttpText.field(head, "Content-Length") != null || HttpText.field(head, "Transfer-Encoding") != null;
        return new Response(status, head, delimited ? HttpText.readBody(head, in) : in.readAllBytes());
    }

    /** Whether the proxy has closed: reads to the end of what comes. */
    public boolean isClosed() throws IOException {
        return in.read() < 0;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
