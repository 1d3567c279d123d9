package io.weir.proxy;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** A server of a test: speaks raw bytes on a real socket, each connection as its script says, and remembers what came. */
public final class Backend implements AutoCloseable {

    /** What a backend does with one connection. */
    @FunctionalInterface
    public interface Script {
        void serve(Connection connection) throws IOException, InterruptedException;
    }

    private final ServerSocket server;
    private final Script script;
    private final AtomicInteger connections = new AtomicInteger();
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();

    private Backend(String host, int port, Script script) {
        try {
            this.server = new ServerSocket(port, 1024, InetAddress.getByName(host));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        this.script = script;
        Thread acceptor = new Thread(this::accept, "backend-" + server.getLocalPort());
        acceptor.setDaemon(true);
        acceptor.start();
    }

    public static Backend with(Script script) {
        return at("127.0.0.1", 0, script);
    }

    /** One at an address that the test has chosen; port 0 is any. */
    public static Backend at(String host, int port, Script script) {
        return new Backend(host, port, script);
    }

    /** Answers every request on a connection with 200 and this body. */
    public static Backend saying(String body) {
        return replying("HTTP/1.1 200 OK\r\nContent-Length: " + body.length() + "\r\n\r\n" + body);
    }

    /** Answers every request on a connection with these bytes. */
    public static Backend replying(String response) {
        return with(connection -> {
            while (connection.readRequest() != null) {
                connection.write(response);
            }
        });
    }

    /** Answers every request on a connection with the bytes it got. */
    public static Backend echoing() {
        return with(connection -> {
            for (String head = connection.readRequest(); head != null; head = connection.readRequest()) {
                String got = head + new String(connection.body(), StandardCharsets.ISO_8859_1);
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: " + got.length() + "\r\n\r\n" + got);
            }
        });
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket socket = server.accept();
                socket.setTcpNoDelay(true);
                connections.incrementAndGet();
                open.add(socket);
                if (server.isClosed()) {
                    // accepted while the rest was being closed
                    socket.close();
                }
                Thread thread = new Thread(() -> serve(socket));
                thread.setDaemon(true);
                thread.start();
            } catch (IOException e) {
                return;
            }
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            script.serve(new Connection(socket));
        } catch (IOException e) {
            // the proxy closed, as it may
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            open.remove(socket);
        }
    }

    public int port() {
        return server.getLocalPort();
    }

    public String address() {
        return server.getInetAddress().getHostAddress() + ":" + port();
    }

    /** Connections accepted so far. */
    public int connections() {
        return connections.get();
    }

    /** Heads of the requests read by {@link Connection#readRequest}, in order. */
    public List<String> requests() {
        return requests;
    }

    /** Connections that are open now. */
    public int open() {
        return open.size();
    }

    /** Closes the connections that are open now, but keeps listening. */
    public void dropConnections() {
        open.forEach(Backend::closeQuietly);
    }

    @Override
    public void close() {
        closeQuietly(server);
        dropConnections();
    }

    private static void closeQuietly(AutoCloseable socket) {
        try {
            socket.close();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** One connection of the proxy. */
    public final class Connection {

        private final Socket socket;
        private final InputStream in;
        private final OutputStream out;
        private byte[] body = new byte[0];

        private Connection(Socket socket) throws IOException {
            this.socket = socket;
            this.in = new BufferedInputStream(socket.getInputStream());
            this.out = socket.getOutputStream();
        }

        public Socket socket() {
            return socket;
        }

        public InputStream in() {
            return in;
        }

        /** Reads a head and its body; null at the end of the connection. */
        public String readRequest() throws IOException {
            String head = readHead();
            if (head != null) {
                body = HttpText.readBody(head, in);
            }
            return head;
        }

        /** Reads a head alone; null at the end of the connection. */
        public String readHead() throws IOException {
            String head;
            try {
                head = HttpText.readHead(in);
            } catch (SocketException e) {
                return null;
            }
            if (head != null) {
                requests.add(head);
            }
            return head;
        }

        /** The body of the request that was read last. */
        public byte[] body() {
            return body;
        }

        public void write(String bytes) throws IOException {
            out.write(bytes.getBytes(StandardCharsets.ISO_8859_1));
            out.flush();
        }

        public void write(byte[] bytes) throws IOException {
            out.write(bytes);
            out.flush();
        }

        /** Says that no more will come, and reads on. */
        public void shutdownOutput() throws IOException {
            socket.shutdownOutput();
        }

        /** Ends the connection with a reset. */
        public void reset() throws IOException {
            socket.setSoLinger(true, 0);
            socket.close();
        }
    }
}
