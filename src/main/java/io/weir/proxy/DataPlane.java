package io.weir.proxy;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.unix.DomainSocketChannel;
import io.netty.resolver.dns.DnsAddressResolverGroup;
import io.netty.resolver.dns.DnsNameResolverBuilder;
import io.weir.config.ActiveConfig;
import io.weir.config.Checks;
import io.weir.config.HttpListenerConfig;
import io.weir.config.ListenerConfig;
import io.weir.config.ProxyConfig;
import io.weir.config.StreamListenerConfig;
import io.weir.proxy.http.ConnectionCounts;
import io.weir.proxy.http.HttpDecoders;
import io.weir.proxy.http.HttpListener;
import io.weir.proxy.http.HttpProxy;
import io.weir.proxy.http.RouteTable;
import io.weir.proxy.http.TempFiles;
import io.weir.proxy.log.LogWriter;
import io.weir.proxy.log.Logs;
import io.weir.proxy.loop.BoundListener;
import io.weir.proxy.loop.ConnectionListener;
import io.weir.proxy.loop.LoopContexts;
import io.weir.proxy.loop.UpstreamSockets;
import io.weir.proxy.stream.StreamCounts;
import io.weir.proxy.stream.StreamListener;
import io.weir.proxy.stream.StreamProxy;
import io.weir.proxy.stream.StreamRules;
import io.weir.proxy.stream.TcpListener;
import io.weir.upstream.UpstreamGroup;
import io.weir.upstream.Upstreams;
import io.weir.zone.Ticker;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.netty.resources.LoopResources;

/**
 * The running listeners: binds and unbinds them as the configuration changes, and hands what they accept to the proxy.
 *
 * <p>Reactor Netty binds the sockets and owns the event loops; a client's channel is handed to plain handlers before
 * anything is read (see the ADR on the data path). Sockets belong to their address, not to a listener's name, so listeners
 * that swap ports or names keep their sockets open. Changes come from control threads, one at a time.
 */
public final class DataPlane implements ActiveConfig.Subscriber, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(DataPlane.class);

    /** For clients that were cut: to take what they are sent last, and to close. */
    private static final Duration CUT_LIMIT = Duration.ofSeconds(1);

    /** What a socket is bound to. UDP has ports of its own. */
    private record Address(String bind, int port, boolean datagrams) {
        static Address of(ListenerConfig config) {
            return new Address(config.bind(), config.port(), config.protocol().isDatagram());
        }

        @Override
        public String toString() {
            return bind + ":" + port + (datagrams ? " (udp)" : "");
        }
    }

    private final LoopResources loops;
    private final EventLoopGroup group;
    private final DnsAddressResolverGroup names;
    private final Upstreams upstreams;
    private final TempFiles files;
    private final LoopContexts contexts;
    private final HttpProxy http;
    private final StreamProxy streams;
    private final Logs logs = new Logs(Clock.systemDefaultZone());
    private final Map<Address, BoundSocket> bound = new HashMap<>();

    /** Sockets of UDP without a listener, which stay for the answers of sessions. */
    private final Map<Address, BoundUdp> lingering = new HashMap<>();

    private final List<BoundListener> leaving = new ArrayList<>();
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
                .datagramChannelFactory(() -> loops.onChannel(DatagramChannel.class, group)));
        this.contexts = new LoopContexts(ticker);
        UpstreamSockets sockets = new UpstreamSockets(
                () -> loops.onChannel(SocketChannel.class, group),
                () -> loops.onChannel(DomainSocketChannel.class, group),
                () -> loops.onChannel(DatagramChannel.class, group));
        this.http = new HttpProxy(contexts, upstreams, sockets, names, decoders, files, emptyNotice);
        this.streams = new StreamProxy(contexts, upstreams, sockets);
    }

    /** Counts of client connections, over all listeners. */
    public ConnectionCounts connections() {
        return http.connections();
    }

    /** Counts of sessions, by stream listener. */
    public StreamCounts streams() {
        return streams.counts();
    }

    /**
     * Ends what is in progress at a server of a group, also one that the configuration has no more: sessions of streams end,
     * requests without an answer go on to the next server where the rules allow it, tunnels and responses in progress end.
     * What is left of a response whose client has gone is not among it. Safe on every thread; all of it ends soon after this
     * returns.
     *
     * @param upstream the name of the group
     * @param serverId the id of the server in it
     */
    public void dropSessions(String upstream, int serverId) {
        streams.dropSessions(upstream, serverId);
        UpstreamGroup dropping = upstreams.group(upstream);
        if (dropping == null) {
            return;
        }
        for (BoundListener listener : listeners()) {
            if (listener instanceof HttpListener web) {
                web.drop(dropping, serverId);
            }
        }
    }

    /** Lines of access logs that were lost since the start. */
    public long droppedLogLines() {
        return logs.dropped();
    }

    @Override
    public synchronized ActiveConfig.Prepared prepare(ProxyConfig current, ProxyConfig next) {
        Map<Address, BoundSocket> opened = new LinkedHashMap<>();
        try {
            return prepare(next, opened);
        } catch (RuntimeException | Error e) {
            opened.values().forEach(BoundSocket::forget);
            throw e;
        }
    }

    /** Opens what must be opened; {@code opened} has the sockets also if it throws. */
    private Change prepare(ProxyConfig next, Map<Address, BoundSocket> opened) {
        Checks checks = new Checks();
        for (int i = 0; i < next.listeners().size(); i++) {
            ListenerConfig config = next.listeners().get(i);
            Address address = Address.of(config);
            // a change that comes while Weir stops holds from the next start on
            if (!bound.containsKey(address) && !stopped) {
                try {
                    opened.put(address, open(address, config));
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

    private BoundSocket open(Address address, ListenerConfig config) {
        if (!address.datagrams()) {
            return new BoundTcp(loops, config, clients(config));
        }
        BoundUdp still = lingering.get(address);
        return still != null && still.revive() ? still : new BoundUdp(loops, group, config, streams.udpListener());
    }

    /** What takes the clients of a listener, and is yet to follow its configuration. */
    private ConnectionListener clients(ListenerConfig config) {
        return config instanceof HttpListenerConfig web ? http.listener(web) : streams.tcpListener();
    }

    private final class Change implements ActiveConfig.Prepared {

        private final ProxyConfig next;
        private final Map<Address, BoundSocket> opened;
        private final ActiveConfig.Prepared files;

        Change(ProxyConfig next, Map<Address, BoundSocket> opened, ActiveConfig.Prepared files) {
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
            opened.values().forEach(BoundSocket::forget);
        }
    }

    private synchronized void apply(ProxyConfig next, Map<Address, BoundSocket> opened, ActiveConfig.Prepared files) {
        files.commit();
        opened.forEach((address, its) -> {
            bound.put(address, its);
            lingering.remove(address);
            leaving.remove(its.listener());
        });
        Map<String, RouteTable> compiled = new HashMap<>();
        Map<Address, BoundSocket> unused = new HashMap<>(bound);
        List<BoundListener> replaced = new ArrayList<>();
        for (ListenerConfig config : next.listeners()) {
            BoundSocket its = unused.remove(Address.of(config));
            LogWriter log = logs.writer(config.accessLog());
            if (config instanceof HttpListenerConfig web) {
                RouteTable table = http.compile(web, tables.getOrDefault(web.name(), RouteTable.EMPTY), log);
                compiled.put(web.name(), table);
                if (its != null) {
                    follow(web, table, its, replaced);
                }
            } else if (config instanceof StreamListenerConfig stream && its != null) {
                follow(stream, streams.compile(stream, log), its, replaced);
            }
        }
        tables = compiled;
        leaving.removeIf(listener -> listener.clients() == 0);
        unused.forEach((address, its) -> {
            bound.remove(address);
            its.stopAccepting();
            log.info("no longer listening on {}", address);
        });
        unused.values().forEach(BoundSocket::awaitClosed);
        lingering.values().removeIf(its -> !its.isOpen());
        unused.forEach((address, its) -> {
            if (its instanceof BoundUdp datagrams && datagrams.isOpen()) {
                lingering.put(address, datagrams);
            }
        });
        unused.values().forEach(its -> replaced.add(its.listener()));
        leave(replaced);
        opened.forEach((address, its) -> log.info("listening on {}", address));
        http.forgetClosedGroups();
        streams.committed(next);
    }

    private void follow(HttpListenerConfig config, RouteTable table, BoundSocket its, List<BoundListener> replaced) {
        if (its.listener() instanceof HttpListener listener) {
            listener.follow(config, table);
        } else if (its instanceof BoundTcp socket) {
            HttpListener listener = http.listener(config);
            listener.follow(config, table);
            replaced.add(socket.exchange(listener));
        }
    }

    private void follow(StreamListenerConfig config, StreamRules rules, BoundSocket its, List<BoundListener> replaced) {
        if (its.listener() instanceof StreamListener listener) {
            listener.follow(rules);
        } else if (its instanceof BoundTcp socket) {
            // the socket stays open when what is spoken on its port changes
            TcpListener listener = streams.tcpListener();
            listener.follow(rules);
            replaced.add(socket.exchange(listener));
        }
    }

    /** Lets listeners go that get no more clients but those that are on their way; their requests end. */
    private void leave(Collection<BoundListener> them) {
        if (!them.isEmpty()) {
            // who was accepted last may still be on the way to its loop
            group.forEach(loop -> loop.submit(() -> {}).awaitUninterruptibly(ListeningSocket.TIMEOUT.toMillis()));
        }
        them.forEach(BoundListener::drain);
        leaving.addAll(them);
    }

    /** A socket of Weir's own on this port is most likely what is in the way: one address overlaps with a wildcard. */
    private String holder(Address address) {
        Optional<Address> listening = onPortOf(address, bound.keySet());
        if (listening.isPresent()) {
            return "; this Weir has the port on " + listening.get().bind()
                    + ", and an address and a wildcard cannot be exchanged in one step";
        }
        return onPortOf(address, lingering.keySet())
                .map(other -> "; sessions of a listener that was removed still have the port on " + other.bind())
                .orElse("");
    }

    private static Optional<Address> onPortOf(Address address, Collection<Address> others) {
        return others.stream()
                .filter(other -> other.port() == address.port() && other.datagrams() == address.datagrams())
                .findFirst();
    }

    private static String reason(Throwable e) {
        Throwable cause = e;
        while (cause.getCause() != null && cause.getCause() != cause) {
            cause = cause.getCause();
        }
        @Nullable String message = cause.getMessage();
        return message == null ? cause.toString() : message;
    }

    private synchronized List<BoundListener> listeners() {
        return Stream.concat(bound.values().stream().map(BoundSocket::listener), leaving.stream())
                .toList();
    }

    /** The addresses that are bound, {@code host:port}, and {@code (udp)} behind those of UDP. */
    public synchronized List<String> addresses() {
        return bound.keySet().stream().map(Address::toString).sorted().toList();
    }

    /**
     * Stops: accepts no more, lets requests in flight end, tells tunnels, then cuts what is left. The configuration may still
     * change, but nothing is bound any more.
     *
     * @param limit for the requests in flight
     */
    public void stop(Duration limit) {
        List<BoundListener> last = beginStop();
        last.forEach(BoundListener::goAway);
        awaitGone(last, limit);
        int cut = clients(last);
        if (cut > 0) {
            if (!limit.isZero()) {
                log.warn("{} connections had not ended after {} ms and are cut", cut, limit.toMillis());
            }
            last.forEach(BoundListener::cut);
            awaitGone(last, limit.compareTo(CUT_LIMIT) < 0 ? limit : CUT_LIMIT);
        }
        last.forEach(BoundListener::close);
    }

    private static int clients(List<BoundListener> listeners) {
        return listeners.stream().mapToInt(BoundListener::clients).sum();
    }

    private static void awaitGone(List<BoundListener> listeners, Duration limit) {
        long end = System.nanoTime() + limit.toNanos();
        while (clients(listeners) > 0 && System.nanoTime() < end) {
            try {
                TimeUnit.MILLISECONDS.sleep(20);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private synchronized List<BoundListener> beginStop() {
        stopped = true;
        bound.values().forEach(BoundSocket::stopAccepting);
        bound.values().forEach(BoundSocket::awaitClosed);
        leave(bound.values().stream().map(BoundSocket::listener).toList());
        bound.clear();
        lingering.clear();
        List<BoundListener> last = List.copyOf(leaving);
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
            contexts.flushLogs();
            logs.close();
            files.close();
        }
    }
}
