package io.weir.upstream;

import io.weir.balance.BalancingMethod;
import io.weir.balance.BalancingMethods;
import io.weir.config.ActiveConfig;
import io.weir.config.Checks;
import io.weir.config.GroupProtocol;
import io.weir.config.KeepaliveConfig;
import io.weir.config.MethodSpec;
import io.weir.config.ProxyConfig;
import io.weir.config.ServerConfig;
import io.weir.config.UpstreamConfig;
import io.weir.zone.PeerSpec;
import io.weir.zone.Ticker;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All upstream groups by name, as the configuration wants them.
 *
 * <p>Reading is safe on every thread and takes no lock. Changes come from control threads.
 *
 * <p>A server whose address is a name has one peer for each of the name's addresses, each with all of the server's
 * parameters. A new server whose name does not resolve is refused; one that is there already keeps what it has, and may
 * have no peer at all until {@link #refreshUnresolved} finds one.
 */
public final class Upstreams implements ActiveConfig.Subscriber {

    private static final Logger log = LoggerFactory.getLogger(Upstreams.class);

    /** A group and what it was made from last. */
    private record Running(
            UpstreamGroup group, UpstreamConfig config, BalancingMethod method, ServerAddresses addresses) {

        UpstreamGroup.Change prepare() {
            return group.prepare(method, config.sticky(), config.keepalive(), addresses.peers(config.servers()));
        }
    }

    private final Ticker ticker;
    private final AddressResolver resolver;
    private final RandomGenerator chance;

    /** Guarded by this object; the map is replaced, never changed. */
    private Map<String, Running> running = Map.of();

    /** Whether a change is prepared and has not ended; guarded by this object. */
    private boolean changing;

    private volatile Map<String, UpstreamGroup> groups = Map.of();
    private volatile Map<String, UpstreamGroup> groupsInLowerCase = Map.of();
    private volatile boolean lenient;

    public Upstreams(Ticker ticker, AddressResolver resolver) {
        // a method draws under its zone's lock, but all groups share this one
        this(ticker, resolver, () -> ThreadLocalRandom.current().nextLong());
    }

    /** @param chance for methods that draw lots; safe on every thread */
    Upstreams(Ticker ticker, AddressResolver resolver, RandomGenerator chance) {
        this.ticker = ticker;
        this.resolver = resolver;
        this.chance = chance;
    }

    /** The group that is called {@code name}, or null. */
    public @Nullable UpstreamGroup group(String name) {
        return groups.get(name);
    }

    /** The group that a variable of a request names: in any case of letters, as in nginx, the very name preferred. */
    public @Nullable UpstreamGroup groupInAnyCase(String name) {
        UpstreamGroup exact = groups.get(name);
        return exact != null ? exact : groupsInLowerCase.get(name.toLowerCase(Locale.ROOT));
    }

    /** In the order of the configuration. */
    public Collection<UpstreamGroup> groups() {
        return groups.values();
    }

    /**
     * Makes a group that nobody declared, for a route that names an address: round robin, a peer for each address with
     * nginx's defaults, no idle connections. The caller keeps it; it is not among {@link #groups}.
     *
     * @param name shown where a group's name is
     * @param addresses resolved IP addresses or unix sockets, at least one
     */
    public UpstreamGroup implicit(String name, List<? extends SocketAddress> addresses) {
        UpstreamGroup group = new UpstreamGroup(
                name,
                GroupProtocol.HTTP,
                ticker,
                BalancingMethods.create(MethodSpec.ROUND_ROBIN, GroupProtocol.HTTP, chance),
                KeepaliveConfig.NONE);
        List<PeerSpec> peers = new ArrayList<>();
        for (SocketAddress address : addresses) {
            peers.add(new PeerSpec(ServerConfig.of(peers.size(), PeerSpec.print(address)), address));
        }
        group.zone().reconcile(peers, ticker.nanos());
        return group;
    }

    /**
     * Runs a change during which names that do not resolve are no reason to refuse; such servers get no peers, and a
     * warning tells of them. For the start, when what is stored must run whatever the name servers say.
     */
    public void lenient(Runnable change) {
        lenient = true;
        try {
            change.run();
        } finally {
            lenient = false;
        }
    }

    @Override
    public ActiveConfig.Prepared prepare(ProxyConfig current, ProxyConfig next) {
        Map<String, Running> before = beginChange();
        try {
            return prepare(before, next);
        } catch (RuntimeException | Error e) {
            endChange();
            throw e;
        }
    }

    private Change prepare(Map<String, Running> before, ProxyConfig next) {
        Map<String, Running> after = new LinkedHashMap<>();
        Resolution resolution = new Resolution(resolver);
        Checks checks = new Checks();
        for (int i = 0; i < next.upstreams().size(); i++) {
            UpstreamConfig config = next.upstreams().get(i);
            String at = "upstreams[" + i + "]";
            Running old = sameGroup(before, config);
            BalancingMethod method = old != null && old.config.balancing().equals(config.balancing())
                    ? old.method
                    : checks.attempt(
                            at + ".balancing",
                            () -> BalancingMethods.create(config.balancing(), config.protocol(), chance));
            ServerAddresses addresses =
                    resolve(config, old == null ? new ServerAddresses() : old.addresses, resolution, at, checks);
            if (method != null) {
                Checks servers = new Checks();
                method.check(config.servers(), servers);
                checks.under(at, servers);
                UpstreamGroup group = old != null
                        ? old.group
                        : new UpstreamGroup(config.name(), config.protocol(), ticker, method, config.keepalive());
                after.put(config.name(), new Running(group, config, method, addresses));
            }
        }
        checks.done();
        List<UpstreamGroup.Change> changes = new ArrayList<>();
        after.forEach((name, wanted) -> {
            Running old = sameGroup(before, wanted.config);
            // a change elsewhere costs the other groups next to nothing
            if (old == null || !old.config.equals(wanted.config) || !old.addresses.sameAs(wanted.addresses)) {
                changes.add(wanted.prepare());
            }
        });
        return new Change(Collections.unmodifiableMap(after), changes, next.revision());
    }

    /** What runs of a group, or null; servers of HTTP are not those of streams, so that a change of protocol begins anew. */
    private static @Nullable Running sameGroup(Map<String, Running> before, UpstreamConfig config) {
        Running old = before.get(config.name());
        return old != null && old.config.protocol() == config.protocol() ? old : null;
    }

    private ServerAddresses resolve(
            UpstreamConfig config, ServerAddresses old, Resolution resolution, String at, Checks checks) {
        ServerAddresses addresses = new ServerAddresses();
        for (int i = 0; i < config.servers().size(); i++) {
            ServerConfig server = config.servers().get(i);
            boolean known = old.knows(server);
            List<SocketAddress> found = known ? old.of(server) : List.of();
            if (found.isEmpty()) {
                found = resolution.of(server.address());
            }
            if (found.isEmpty()) {
                checks.check(
                        known || lenient,
                        at + ".servers[" + i + "].address",
                        "cannot be resolved: " + server.address().host());
                log.warn("upstream {}: {} cannot be resolved", config.name(), server.address());
            }
            addresses.put(server, found);
        }
        return addresses;
    }

    private synchronized Map<String, Running> beginChange() {
        changing = true;
        return running;
    }

    private synchronized void endChange() {
        changing = false;
    }

    private final class Change implements ActiveConfig.Prepared {

        private final Map<String, Running> after;
        private final List<UpstreamGroup.Change> changes;
        private final long revision;

        private Change(Map<String, Running> after, List<UpstreamGroup.Change> changes, long revision) {
            this.after = after;
            this.changes = changes;
            this.revision = revision;
        }

        @Override
        public void commit() {
            try {
                Upstreams.this.commit(after, changes, revision);
            } finally {
                endChange();
            }
        }

        @Override
        public void abort() {
            endChange();
        }
    }

    private synchronized void commit(Map<String, Running> after, List<UpstreamGroup.Change> changes, long revision) {
        changes.forEach(UpstreamGroup.Change::apply);
        Map<String, UpstreamGroup> published = new LinkedHashMap<>();
        for (Running next : after.values()) {
            next.group.zone().revision(revision);
            published.put(next.group.name(), next.group);
        }
        List<Running> gone = running.values().stream()
                .filter(old -> {
                    Running next = after.get(old.group.name());
                    return next == null || next.group != old.group;
                })
                .toList();
        running = after;
        Map<String, UpstreamGroup> lowerCase = new HashMap<>();
        published.forEach((name, group) -> lowerCase.putIfAbsent(name.toLowerCase(Locale.ROOT), group));
        groups = Collections.unmodifiableMap(published);
        groupsInLowerCase = lowerCase;
        gone.forEach(old -> old.group.close());
    }

    /**
     * Tries again to resolve the names of servers that have no peers; asks for nothing else. Meant to be called every
     * few seconds, on a thread that may wait for a name server.
     */
    public void refreshUnresolved() {
        Resolution resolution = new Resolution(resolver);
        for (Unresolved entry : unresolved()) {
            List<SocketAddress> found = resolution.of(entry.server.address());
            if (!found.isEmpty()) {
                found(entry, found);
            }
        }
    }

    private record Unresolved(String group, ServerConfig server) {}

    private synchronized List<Unresolved> unresolved() {
        List<Unresolved> unresolved = new ArrayList<>();
        for (Running group : running.values()) {
            for (ServerConfig server : group.config.servers()) {
                if (group.addresses.of(server).isEmpty()) {
                    unresolved.add(new Unresolved(group.config.name(), server));
                }
            }
        }
        return unresolved;
    }

    /**
     * The configuration may have changed while a name server was asked. While a change is on its way the news must wait for
     * the next time: what was prepared is made from the peers that are there.
     */
    private synchronized void found(Unresolved entry, List<SocketAddress> addresses) {
        Running group = running.get(entry.group);
        if (!changing
                && group != null
                && group.addresses.knows(entry.server)
                && group.addresses.of(entry.server).isEmpty()) {
            log.info("upstream {}: {} is resolved to {}", entry.group, entry.server.address(), addresses);
            group.addresses.put(entry.server, addresses);
            try {
                group.prepare().apply();
            } catch (RuntimeException | Error e) {
                // so that it is tried again
                group.addresses.put(entry.server, List.of());
                throw e;
            }
        }
    }
}
