package io.weir.proxy.http;

import io.netty.channel.EventLoop;
import io.netty.resolver.AddressResolverGroup;
import io.weir.config.HttpListenerConfig;
import io.weir.proxy.log.LogWriter;
import io.weir.proxy.loop.LoopContexts;
import io.weir.proxy.loop.UpstreamSockets;
import io.weir.upstream.Upstreams;
import io.weir.zone.Peer;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** What all HTTP listeners share. Safe on every thread. */
public final class HttpProxy {

    private final LoopContexts contexts;
    private final UpstreamSockets sockets;
    private final AddressTargets addresses;
    private final RouteCompiler compiler;
    private final HttpDecoders decoders;
    private final TempFiles files;
    private final String emptyNotice;
    private final ConnectionCounts connections = new ConnectionCounts();
    private final Map<EventLoop, Loop> loops = new ConcurrentHashMap<>();

    /**
     * @param sockets for connections to peers
     * @param names finds the addresses of names that only a request tells
     * @param decoders which take bytes apart
     * @param files for bodies that are too large for memory
     * @param emptyNotice the body of the 404 of a listener without routes
     */
    public HttpProxy(
            LoopContexts contexts,
            Upstreams upstreams,
            UpstreamSockets sockets,
            AddressResolverGroup<InetSocketAddress> names,
            HttpDecoders decoders,
            TempFiles files,
            String emptyNotice) {
        this.decoders = decoders;
        this.contexts = contexts;
        this.sockets = sockets;
        this.addresses = new AddressTargets(upstreams, names);
        this.compiler = new RouteCompiler(upstreams);
        this.files = files;
        this.emptyNotice = emptyNotice;
    }

    /** A listener that is yet to {@link HttpListener#follow} its routes. */
    public HttpListener listener(HttpListenerConfig config) {
        return new HttpListener(this, config);
    }

    /** Makes routes ready for requests; see {@link RouteCompiler}. */
    public RouteTable compile(HttpListenerConfig config, RouteTable previous, @Nullable LogWriter log) {
        return compiler.compile(config, previous, log);
    }

    public ConnectionCounts connections() {
        return connections;
    }

    /** Frees what belongs to groups that were removed. */
    public void forgetClosedGroups() {
        loops.values().forEach(loop -> loop.executor().execute(loop::forgetClosedGroups));
    }

    Loop loop(EventLoop executor) {
        return loops.computeIfAbsent(executor, e -> new Loop(contexts.of(e)));
    }

    /** A channel to a peer that is not connected yet, or null if there are no more sockets to be had. */
    @Nullable
    UpstreamChannel open(Loop loop, Peer peer) {
        return sockets.open(peer, channel -> new UpstreamChannel(loop, channel, peer, decoders.responses(loop)));
    }

    AddressTargets addresses() {
        return addresses;
    }

    HttpDecoders decoders() {
        return decoders;
    }

    TempFiles files() {
        return files;
    }

    String emptyNotice() {
        return emptyNotice;
    }
}
