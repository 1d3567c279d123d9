package io.weir.proxy.http;

import io.netty.channel.Channel;
import io.weir.config.ClientSettings;
import io.weir.config.HttpListenerConfig;
import io.weir.proxy.loop.ClientLimits;
import io.weir.proxy.loop.ConnectionListener;
import io.weir.upstream.UpstreamGroup;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What a listening socket's clients share: the routes in force, and the clients themselves. Safe on every thread.
 *
 * <p>A socket is bound before the change that it belongs to is sure to come. Clients that connect meanwhile are not read
 * from until there are routes to {@link #follow}.
 */
public final class HttpListener implements ConnectionListener {

    private final HttpProxy proxy;
    private final Set<ClientConnection> clients = ConcurrentHashMap.newKeySet();
    private final ClientLimits limits = new ClientLimits();
    private volatile String name;
    private volatile RouteTable table = RouteTable.EMPTY;
    private volatile boolean proxyProtocol;
    private volatile @Nullable RealIp realIp;
    private volatile ClientSettings client;
    private volatile boolean following;
    private volatile boolean draining;
    private volatile boolean goingAway;

    /** A listener that does not follow routes yet; clients may connect all the same. */
    HttpListener(HttpProxy proxy, HttpListenerConfig config) {
        this.proxy = proxy;
        this.name = config.name();
        this.proxyProtocol = config.proxyProtocol();
        this.realIp = RealIp.of(config.realIp());
        this.client = config.client();
    }

    @Override
    public void accept(Channel channel) {
        long number = proxy.connections().accepted();
        InetAddress address = ((InetSocketAddress) channel.remoteAddress()).getAddress();
        ClientSettings granted = client;
        int all = limits.enter();
        int its = limits.enter(address);
        if (ClientLimits.exceeds(all, granted.maxConnections())) {
            proxy.connections().refusedByListener();
            leave(address);
            channel.close();
            return;
        }
        if (ClientLimits.exceeds(its, granted.maxConnectionsPerAddress())) {
            proxy.connections().refusedByAddress();
            leave(address);
            channel.close();
            return;
        }
        channel.closeFuture().addListener(closed -> leave(address));
        ClientConnection client = new ClientConnection(proxy, this, channel, number);
        clients.add(client);
        if (following) {
            channel.config().setAutoRead(true);
        }
        if (draining) {
            client.drain();
        }
    }

    private void leave(InetAddress address) {
        limits.leave(address);
        limits.leave();
        proxy.connections().closed();
    }

    void closed(ClientConnection client) {
        clients.remove(client);
    }

    /**
     * New requests follow this on return, and new connections begin as it says; those that run are left alone.
     *
     * @param table the routes of {@code config}, ready for requests
     */
    public void follow(HttpListenerConfig config, RouteTable table) {
        name = config.name();
        proxyProtocol = config.proxyProtocol();
        realIp = RealIp.of(config.realIp());
        client = config.client();
        this.table = table;
        if (!following) {
            following = true;
            clients.forEach(ClientConnection::startReading);
        }
    }

    /** Ends every client's connection when it has no request running. */
    @Override
    public void drain() {
        draining = true;
        clients.forEach(ClientConnection::drain);
    }

    @Override
    public void goAway() {
        goingAway = true;
        clients.forEach(ClientConnection::goAway);
    }

    @Override
    public void cut() {
        clients.forEach(ClientConnection::cut);
    }

    /** Ends what is in progress at a server. */
    public void drop(UpstreamGroup group, int serverId) {
        clients.forEach(client -> client.drop(group, serverId));
    }

    @Override
    public void close() {
        clients.forEach(client -> client.channel().close());
    }

    /** Open client connections. */
    @Override
    public int clients() {
        return clients.size();
    }

    /** Whether each connection ends with its request. */
    boolean isDraining() {
        return draining;
    }

    /** Whether tunnels are to end soon. */
    boolean isGoingAway() {
        return goingAway;
    }

    String name() {
        return name;
    }

    /** What new requests follow. */
    RouteTable table() {
        return table;
    }

    /** What clients are granted now. */
    ClientSettings client() {
        return client;
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
