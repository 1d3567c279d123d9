package io.weir.program;

import io.weir.proxy.Backend;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A server that dies and comes back at its address: it answers {@code address target}, after a moment in which it may be
 * killed. It begins a session ({@code Set-Cookie: sid=...}) with whoever brings none.
 */
final class MortalBackend implements AutoCloseable {

    private final String host;
    private final int port;
    private final int mostMillis;
    private final AtomicInteger requests = new AtomicInteger();
    private Backend life;

    /**
     * Connections to addresses other than 127.0.0.1 come from there, so that none of their ports is in the way of coming back.
     */
    private MortalBackend(String host, int mostMillis) {
        this.host = host;
        this.mostMillis = mostMillis;
        life = Backend.at(host, 0, this::serve);
        port = life.port();
    }

    /**
     * Starts it.
     *
     * @param host an address of 127.0.0.0/8 other than 127.0.0.1
     * @param mostMillis that an answer may take
     */
    static MortalBackend start(String host, int mostMillis) {
        return new MortalBackend(host, mostMillis);
    }

    private void serve(Backend.Connection connection) throws java.io.IOException, InterruptedException {
        for (String head = connection.readRequest(); head != null; head = connection.readRequest()) {
            if (mostMillis > 0) {
                Thread.sleep(ThreadLocalRandom.current().nextInt(mostMillis));
            }
            int number = requests.incrementAndGet();
            String target = head.substring(head.indexOf(' ') + 1, head.indexOf(" HTTP"));
            String body = address() + " " + target;
            String session = head.contains("sid=") ? "" : "Set-Cookie: sid=" + host + "-" + number + "\r\n";
            // one write: a client that got the head gets the rest
            connection.write("HTTP/1.1 200 OK\r\n" + session + "Content-Length: " + body.length() + "\r\n\r\n" + body);
        }
    }

    String address() {
        return host + ":" + port;
    }

    /** Answered so far. */
    int requests() {
        return requests.get();
    }

    /** Nobody listens any more, and all connections break, idle or not. */
    void kill() {
        life.close();
    }

    /** Listens again. */
    void revive() {
        life = Backend.at(host, port, this::serve);
    }

    @Override
    public void close() {
        life.close();
    }
}
