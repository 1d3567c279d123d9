package io.weir.proxy;

import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.unix.DomainSocketChannel;
import io.netty.resolver.dns.DnsAddressResolverGroup;
import io.netty.resolver.dns.DnsNameResolverBuilder;
import io.weir.config.ActiveConfig;
import io.weir.config.Checks;
import io.weir.config.HttpListenerConfig;
import io.weir.config.ListenerConfig;
import io.weir.config.ProxyConfig;
import io.weir.proxy.http.ConnectionCounts;
import io.weir.proxy.http.HttpDecoders;
import io.weir.proxy.http.HttpListener;
import io.weir.proxy.http.HttpProxy;
import io.weir.proxy.http.RouteTable;
import io.weir.proxy.http.TempFiles;
import io.weir.proxy.log.Logs;
import io.weir.upstream.UpstreamGroup;
import io.weir.upstream.Upstreams;
import io.weir.zone.Ticker;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.netty.DisposableServer;
import reactor.netty.NettyPipeline;
import reactor.netty.resources.LoopResources;
import reactor.netty.tcp.TcpServer;

/**
 * The running listeners: binds and unbinds them as the configuration changes, and hands what they accept to the proxy.
 *
 * <p>Reactor Netty binds the sockets and owns the event loops; a client's channel is handed to plain handlers before
 * anything is read (see the ADR on the data path). Sockets belong to their address, not to a listener's name, so listeners
 * that swap ports or names keep their sockets open. Changes come from control threads, one at a time.
 */
public final class DataPlane implements ActiveConfig.Subscriber, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(DataPlane.class);

    private static final Duration BIND_TIMEOUT = Duration.ofSeconds(10);
    private static final int BACKLOG = 4096;

    /** What a socket is bound to. */
    private record Address(String bind, int port) {
        static Address of(ListenerConfig config) {
            return new Address(config.bind(), config.port());
        }
    }

    /** A bound socket and its clients. */
    private record Bound(DisposableServer server, Acceptor acceptor, HttpListener listener) {}

    private final LoopResources loops;
    private final EventLoopGroup group;
    private final DnsAddressResolverGroup names;
    private final Upstreams upstreams;
    private final TempFiles files;
    private final HttpProxy http;
    private final Logs logs = new Logs(Clock.systemDefaultZone());
    private final Map<Address, Bound> bound = new HashMap<>();
    private final List<HttpListener> leaving = new ArrayList<>();
    private Map<String, RouteTable> tables = Map.of();
    private boolean stopped;

    /**
     * @param threads event loops, 1 or more; one for each processor is right
     * @param upstreams committed before this is
     * @param decoders which take the bytes of HTTP apart
     * @param files for bodies that are too large for memory; closed together with this
     * @param emptyNotice the body of the 404 of a listener without routes
     */
    public DataPlane(
            int threads,
            Ticker ticker,
            Upstreams upstreams,
            HttpDecoders decoders,
            TempFiles files,
            String emptyNotice) {
        this.upstreams = upstreams;
        this.files = files;
        // without a select count the loops also accept: a thread apart would cost a hand-over for each connection
        this.loops = LoopResources.create("weir", threads, true);
        this.group = loops.onServer(true);
        this.names = new DnsAddressResolverGroup(new DnsNameResolverBuilder()
                .datagramChannelFactory(() -> loops.onChannel(io.netty.channel.socket.DatagramChannel.class, group)));
        this.http = new HttpProxy(
                ticker,
                upstreams,
                () -> loops.onChannel(SocketChannel.class, group),
                () -> loops.onChannel(DomainSocketChannel.class, group),
                names,
                decoders,
                files,
                emptyNotice);
    }

    /** Counts of client connections, over all listeners. */
    public ConnectionCounts connections() {
        return http.connections();
    }

    /** Lines of access logs that were lost since the start. */
    public long droppedLogLines() {
        return logs.dropped();
    }

    @Override
    public synchronized ActiveConfig.Prepared prepare(ProxyConfig current, ProxyConfig next) {
        Map<Address, Bound> opened = new LinkedHashMap<>();
        try {
            return prepare(next, opened);
        } catch (RuntimeException | Error e) {
            opened.values().forEach(DataPlane::forget);
            throw e;
        }
    }

    /** Opens what must be opened; {@code opened} has the sockets also if it throws. */
    private Change prepare(ProxyConfig next, Map<Address, Bound> opened) {
        Checks checks = new Checks();
        for (int i = 0; i < next.listeners().size(); i++) {
            ListenerConfig config = next.listeners().get(i);
            Address address = Address.of(config);
            // a change that comes while Weir stops holds from the next start on
            if (!bound.containsKey(address) && !stopped) {
                HttpListener listener = http.listener((HttpListenerConfig) config);
                try {
                    opened.put(address, bind(address, listener));
                } catch (RuntimeException e) {
                    checks.check(false, "listeners[" + i + "].port", "cannot be bound: " + reason(e) + holder(address));
                }
            }
        }
        ActiveConfig.Prepared files = logs.prepare(next, checks);
        if (checks.hasViolations()) {
            files.abort();
            checks.done();
        }
        return new Change(next, opened, files);
    }

    private final class Change implements ActiveConfig.Prepared {

        private final ProxyConfig next;
        private final Map<Address, Bound> opened;
        private final ActiveConfig.Prepared files;

        Change(ProxyConfig next, Map<Address, Bound> opened, ActiveConfig.Prepared files) {
            this.next = next;
            this.opened = opened;
            this.files = files;
        }

        @Override
        public void commit() {
            apply(next, opened, files);
        }

        @Override
        public void abort() {
            files.abort();
            opened.values().forEach(DataPlane::forget);
        }
    }

    private synchronized void apply(ProxyConfig next, Map<Address, Bound> opened, ActiveConfig.Prepared files) {
        files.commit();
        bound.putAll(opened);
        Map<String, RouteTable> compiled = new HashMap<>();
        Map<Address, Bound> unused = new HashMap<>(bound);
        for (ListenerConfig listener : next.listeners()) {
            HttpListenerConfig config = (HttpListenerConfig) listener;
            RouteTable table = http.compile(
                    config, tables.getOrDefault(config.name(), RouteTable.EMPTY), logs.writer(config.accessLog()));
            compiled.put(config.name(), table);
            Bound its = unused.remove(Address.of(config));
            if (its != null) {
                its.listener().follow(config, table);
            }
        }
        tables = compiled;
        leaving.removeIf(listener -> listener.clients() == 0);
        unused.forEach((address, its) -> {
            bound.remove(address);
            its.acceptor().close();
            log.info("no longer listening on {}:{}", address.bind(), address.port());
        });
        leave(unused.values());
        opened.forEach((address, its) -> log.info("listening on {}:{}", address.bind(), address.port()));
        http.forgetClosedGroups();
    }

    private Bound bind(Address address, HttpListener listener) {
        DisposableServer server = TcpServer.create()
                .runOn(loops, true)
                .bindAddress(() -> new InetSocketAddress(address.bind(), address.port()))
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .doOnChannelInit((observer, channel, remote) -> {
                    // the bridge to Reactor's streams has no place on a request's path
                    channel.pipeline().remove(NettyPipeline.ReactiveBridge);
                    listener.accept(channel);
                })
                .bindNow(BIND_TIMEOUT);
        return new Bound(server, Acceptor.of(server.channel()), listener);
    }

    /** Lets listeners go whose sockets are being closed; their requests end. */
    private void leave(Collection<Bound> them) {
        for (Bound its : them) {
            its.acceptor().awaitClosed(BIND_TIMEOUT.toMillis());
            unbind(its);
        }
        if (!them.isEmpty()) {
            // who was accepted last may still be on the way to its loop
            group.forEach(loop -> loop.submit(() -> {}).awaitUninterruptibly(BIND_TIMEOUT.toMillis()));
        }
        for (Bound its : them) {
            its.listener().drain();
            leaving.add(its.listener());
        }
    }

    private static void unbind(Bound its) {
        its.server().disposeNow(BIND_TIMEOUT);
    }

    /** Undoes a bind that nobody was to see. */
    private static void forget(Bound its) {
        unbind(its);
        its.listener().close();
    }

    /** A socket of Weir's own on this port is most likely what is in the way: one address overlaps with a wildcard. */
    private String holder(Address address) {
        return bound.keySet().stream()
                .filter(other -> other.port() == address.port())
                .map(other -> "; this Weir has the port on " + other.bind()
                        + ", and an address and a wildcard cannot be exchanged in one step")
                .findFirst()
                .orElse("");
    }

    private static String reason(Throwable e) {
        Throwable cause = e;
        while (cause.getCause() != null && cause.getCause() != cause) {
            cause = cause.getCause();
        }
        @Nullable String message = cause.getMessage();
        return message == null ? cause.toString() : message;
    }

    /**
     * Ends what is in progress at a server of a group, also one that the configuration has no more: requests without an
     * answer go on to the next server where the rules allow it, tunnels and responses in progress end. What is left of a
     * response whose client has gone is not among it. Safe on every thread; all of it ends soon after this returns.
     *
     * @param serverId the id of the server in its group
     */
    public void dropSessions(String upstream, int serverId) {
        UpstreamGroup dropping = upstreams.group(upstream);
        if (dropping != null) {
            listeners().forEach(listener -> listener.drop(dropping, serverId));
        }
    }

    private synchronized List<HttpListener> listeners() {
        return Stream.concat(bound.values().stream().map(Bound::listener), leaving.stream())
                .toList();
    }

    /** The addresses that are bound, {@code host:port}. */
    public synchronized List<String> addresses() {
        return bound.keySet().stream()
                .map(address -> address.bind() + ":" + address.port())
                .sorted()
                .toList();
    }

    /**
     * Stops: accepts no more, lets requests in flight end, then cuts what is left. The configuration may still change, but
     * nothing is bound any more.
     *
     * @param limit for the requests in flight
     */
    public void stop(Duration limit) {
        List<HttpListener> last = beginStop();
        long end = System.nanoTime() + limit.toNanos();
        while (last.stream().anyMatch(listener -> listener.clients() > 0) && System.nanoTime() < end) {
            try {
                TimeUnit.MILLISECONDS.sleep(20);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                break;
            }
        }
        int cut = last.stream().mapToInt(HttpListener::clients).sum();
        if (cut > 0 && !limit.isZero()) {
            log.warn("{} connections had not ended after {} ms and are cut", cut, limit.toMillis());
        }
        last.forEach(HttpListener::close);
    }

    private synchronized List<HttpListener> beginStop() {
        stopped = true;
        bound.values().forEach(its -> its.acceptor().close());
        leave(bound.values());
        bound.clear();
        List<HttpListener> last = List.copyOf(leaving);
        leaving.clear();
        return last;
    }

    /** Stops at once and frees the event loops. */
    @Override
    public void close() {
        stop(Duration.ZERO);
        names.close();
        try {
            loops.disposeLater(Duration.ZERO, Duration.ofSeconds(5)).block(Duration.ofSeconds(10));
        } finally {
            // no loop adds a line any more
            http.flushLogs();
            logs.close();
            files.close();
        }
    }
}
