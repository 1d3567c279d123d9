package io.weir.proxy.http;

import io.netty.channel.Channel;
import io.weir.config.ListenerConfig;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What a listening socket's clients share: the routes in force, and the clients themselves. Safe on every thread.
 *
 * <p>A socket is bound before the change that it belongs to is sure to come. Clients that connect meanwhile are not read
 * from until there are routes to {@link #follow}.
 */
public final class HttpListener {

    private final HttpProxy proxy;
    private final Set<ClientConnection> clients = ConcurrentHashMap.newKeySet();
    private volatile String name;
    private volatile RouteTable table = RouteTable.EMPTY;
    private volatile boolean proxyProtocol;
    private volatile @Nullable RealIp realIp;
    private volatile boolean following;
    private volatile boolean draining;

    /** A listener that does not follow routes yet; clients may connect all the same. */
    HttpListener(HttpProxy proxy, ListenerConfig config) {
        this.proxy = proxy;
        this.name = config.name();
        this.proxyProtocol = config.proxyProtocol();
        this.realIp = RealIp.of(config.realIp());
    }

    /** Takes over a client that was just accepted. On its loop, before anything is read. */
    public void accept(Channel channel) {
        ClientConnection client =
                new ClientConnection(proxy, this, channel, proxy.connections().accepted());
        clients.add(client);
        if (following) {
            channel.config().setAutoRead(true);
        }
        if (draining) {
            client.drain();
        }
    }

    void closed(ClientConnection client) {
        clients.remove(client);
        proxy.connections().closed();
    }

    /**
     * New requests follow this on return, and new connections begin as it says; those that run are left alone.
     *
     * @param table the routes of {@code config}, ready for requests
     */
    public void follow(ListenerConfig config, RouteTable table) {
        name = config.name();
        proxyProtocol = config.proxyProtocol();
        realIp = RealIp.of(config.realIp());
        this.table = table;
        if (!following) {
            following = true;
            clients.forEach(ClientConnection::startReading);
        }
    }

    /** Ends every client's connection when it has no request running. */
    public void drain() {
        draining = true;
        clients.forEach(ClientConnection::drain);
    }

    /** Cuts what is left. */
    public void close() {
        clients.forEach(client -> client.channel().close());
    }

    /** Open client connections. */
    public int clients() {
        return clients.size();
    }

    String name() {
        return name;
    }

    /** What new requests follow. */
    RouteTable table() {
        return table;
    }

    /** Whether a new connection begins with a PROXY protocol header. */
    boolean expectsProxyHeader() {
        return proxyProtocol;
    }

    /** Null if the peer of a connection is the client. */
    @Nullable
    RealIp realIp() {
        return realIp;
    }
}
