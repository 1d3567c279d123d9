package io.weir.program;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Stands between a client and a server of TCP, as a network that can fail. */
final class FaultProxy implements Closeable {

    private enum Network {
        WORKS,
        SWALLOWS,
        REFUSES
    }

    private final ServerSocket server;
    private final int target;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private Network network = Network.WORKS;

    /** @param target a port of 127.0.0.1 */
    FaultProxy(int target) {
        this.target = target;
        try {
            server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        start(this::accept, "fault-proxy");
    }

    int port() {
        return server.getLocalPort();
    }

    /** Nothing comes through and nobody is told, as behind a firewall that drops; {@link #heal} lets go what was held up. */
    synchronized void swallow() {
        network = Network.SWALLOWS;
    }

    /** Connections are cut, and new ones too as soon as they are there. */
    synchronized void cut() {
        network = Network.REFUSES;
        sockets.forEach(FaultProxy::close);
        notifyAll();
    }

    synchronized void heal() {
        network = Network.WORKS;
        notifyAll();
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket client = server.accept();
                sockets.add(client);
                start(() -> connect(client), "fault-proxy-connection");
            } catch (IOException e) {
                // closed
            }
        }
    }

    private void connect(Socket client) {
        try {
            if (!mayPass()) {
                close(client);
                return;
            }
            Socket upstream = new Socket(InetAddress.getLoopbackAddress(), target);
            sockets.add(upstream);
            start(() -> pump(upstream, client), "fault-proxy-answers");
            pump(client, upstream);
        } catch (IOException e) {
            close(client);
        }
    }

    private void pump(Socket from, Socket to) {
        byte[] buffer = new byte[16_384];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int n = in.read(buffer); n >= 0 && mayPass(); n = in.read(buffer)) {
                out.write(buffer, 0, n);
            }
        } catch (IOException e) {
            // one of the two is gone
        } finally {
            sockets.remove(from);
            sockets.remove(to);
        }
    }

    /** Waits while everything is swallowed; false if it will not pass. */
    private synchronized boolean mayPass() {
        try {
            while (network == Network.SWALLOWS) {
                wait();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
        return network == Network.WORKS;
    }

    private static void start(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // as good as closed
        }
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        cut();
    }
}
