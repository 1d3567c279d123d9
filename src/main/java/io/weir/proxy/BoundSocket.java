package io.weir.proxy;

import io.netty.channel.Channel;
import io.weir.config.ListenerConfig;
import io.weir.proxy.http.HttpListener;
import io.weir.proxy.loop.BoundListener;
import io.weir.proxy.stream.TcpListener;
import reactor.netty.resources.LoopResources;

/** A bound socket of TCP and who takes its clients, which may change while it is open. On control threads. */
final class BoundSocket {

    private volatile BoundListener listener;
    private final ListeningSocket socket;

    /**
     * Binds.
     *
     * @param config tells where
     * @param listener takes the clients: one of HTTP or of TCP
     * @throws RuntimeException whose cause at the bottom tells why it cannot be bound
     */
    BoundSocket(LoopResources loops, ListenerConfig config, BoundListener listener) {
        this.listener = listener;
        this.socket = ListeningSocket.bind(loops, config.bind(), config.port(), this::accept);
    }

    /** On the loop of the client. */
    private void accept(Channel client) {
        BoundListener now = listener;
        if (now instanceof HttpListener http) {
            http.accept(client);
        } else if (now instanceof TcpListener tcp) {
            tcp.accept(client);
        } else {
            throw new IllegalStateException(now.toString());
        }
    }

    BoundListener listener() {
        return listener;
    }

    /**
     * Lets another one take the clients that come from now on.
     *
     * @return who took them before; some may still be on their way to it
     */
    BoundListener exchange(BoundListener next) {
        BoundListener before = listener;
        listener = next;
        return before;
    }

    /** Begins to close it without losing a client that is connecting; returns at once. */
    void stopAccepting() {
        socket.stopAccepting();
    }

    /** Waits for what {@link #stopAccepting} has begun. */
    void awaitClosed() {
        socket.awaitClosed();
    }

    /** Undoes a bind that nobody was to see. */
    void forget() {
        socket.unbind();
        listener.close();
    }
}
