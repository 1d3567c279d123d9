package io.weir.proxy;

import io.netty.channel.Channel;
import io.weir.config.ListenerConfig;
import io.weir.proxy.loop.ConnectionListener;
import reactor.netty.resources.LoopResources;

/** A bound socket of TCP and who takes its clients, which may change while it is open. On control threads. */
final class BoundTcp implements BoundSocket {

    private volatile ConnectionListener listener;
    private final ListeningSocket socket;

    /**
     * Binds.
     *
     * @param config tells where
     * @param listener takes the clients: one of HTTP or of TCP
     * @throws RuntimeException whose cause at the bottom tells why it cannot be bound
     */
    BoundTcp(LoopResources loops, ListenerConfig config, ConnectionListener listener) {
        this.listener = listener;
        this.socket = ListeningSocket.bind(loops, config.bind(), config.port(), this::accept);
    }

    /** On the loop of the client. */
    private void accept(Channel client) {
        listener.accept(client);
    }

    @Override
    public ConnectionListener listener() {
        return listener;
    }

    /**
     * Lets another one take the clients that come from now on.
     *
     * @return who took them before; some may still be on their way to it
     */
    ConnectionListener exchange(ConnectionListener next) {
        ConnectionListener before = listener;
        listener = next;
        return before;
    }

    @Override
    public void stopAccepting() {
        socket.stopAccepting();
    }

    @Override
    public void awaitClosed() {
        socket.awaitClosed();
    }

    @Override
    public void forget() {
        socket.unbind();
        listener.close();
    }
}
