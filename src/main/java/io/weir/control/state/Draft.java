package io.weir.control.state;

import io.weir.config.InvalidConfigException;
import io.weir.config.ListenerConfig;
import io.weir.config.ListenerRoute;
import io.weir.config.ProxyConfig;
import io.weir.config.ServerConfig;
import io.weir.config.UpstreamConfig;
import io.weir.config.Violation;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * A configuration that somebody wants, made from the one that is.
 *
 * @param subject what the request was about; violations are told as seen from there
 */
public record Draft(
        ConfigState before,
        List<UpstreamConfig> upstreams,
        List<ListenerConfig> listeners,
        Map<String, Integer> nextServerIds,
        Resource subject) {

    public boolean changesNothing() {
        return upstreams.equals(before.config().upstreams())
                && listeners.equals(before.config().listeners());
    }

    /**
     * What will be true once this is applied: one revision on, with that revision on all that differs.
     *
     * @throws InvalidConfigException if the parts do not fit together
     */
    public ConfigState after() {
        try {
            long revision = before.config().revision() + 1;
            return new ConfigState(new ProxyConfig(revision, upstreams, listeners), revisions(revision), nextServerIds);
        } catch (InvalidConfigException e) {
            throw seenFromSubject(e);
        }
    }

    private Map<Resource, Long> revisions(long revision) {
        Map<Resource, Long> revisions = new HashMap<>();
        Map<String, UpstreamConfig> oldUpstreams = index(before.config().upstreams(), UpstreamConfig::name);
        for (UpstreamConfig upstream : upstreams) {
            UpstreamConfig old = oldUpstreams.get(upstream.name());
            keepOrStamp(revisions, Resource.upstream(upstream.name()), upstream.equals(old), revision);
            Map<Integer, ServerConfig> oldServers = old == null ? Map.of() : index(old.servers(), ServerConfig::id);
            for (ServerConfig server : upstream.servers()) {
                Resource resource = Resource.server(upstream.name(), server.id());
                keepOrStamp(revisions, resource, server.equals(oldServers.get(server.id())), revision);
            }
        }
        Map<String, ListenerConfig> oldListeners = index(before.config().listeners(), ListenerConfig::name);
        for (ListenerConfig listener : listeners) {
            ListenerConfig old = oldListeners.get(listener.name());
            keepOrStamp(revisions, Resource.listener(listener.name()), listener.equals(old), revision);
            Map<String, ListenerRoute> oldRoutes = old == null ? Map.of() : index(old.routes(), ListenerRoute::name);
            for (ListenerRoute route : listener.routes()) {
                Resource resource = Resource.route(listener.name(), route.name());
                keepOrStamp(revisions, resource, route.equals(oldRoutes.get(route.name())), revision);
            }
        }
        return revisions;
    }

    private void keepOrStamp(Map<Resource, Long> revisions, Resource resource, boolean same, long revision) {
        Long old = before.revision(resource);
        revisions.put(resource, same && old != null ? old : Long.valueOf(revision));
    }

    private static <K, T> Map<K, T> index(List<? extends T> items, Function<T, K> key) {
        Map<K, T> index = new HashMap<>();
        items.forEach(item -> index.put(key.apply(item), item));
        return index;
    }

    /**
     * The same violations with paths as in the document that the client sent: {@code upstreams[3].servers[1].address}
     * is {@code servers[1].address} in that group, {@code items[1].address} in the list of its servers, and
     * {@code address} in the server.
     */
    public InvalidConfigException seenFromSubject(InvalidConfigException e) {
        String prefix = prefix();
        String shown = subject.name().isEmpty() ? "items" : "";
        return new InvalidConfigException(
                e.violations().stream().map(v -> cut(v, prefix, shown)).toList());
    }

    private String prefix() {
        return switch (subject.kind()) {
            case UPSTREAMS -> "upstreams";
            case UPSTREAM -> upstreamAt(subject.name());
            case SERVERS -> upstreamAt(subject.parent()) + ".servers";
            case SERVER -> upstreamAt(subject.parent()) + ".servers[" + serverAt() + "]";
            case LISTENERS -> "listeners";
            case LISTENER -> listenerAt(subject.name());
            case ROUTES -> listenerAt(subject.parent()) + ".routes";
            case ROUTE -> listenerAt(subject.parent()) + ".routes[" + routeAt() + "]";
        };
    }

    private String upstreamAt(String name) {
        return "upstreams[" + position(upstreams, u -> u.name().equals(name)) + "]";
    }

    private String listenerAt(String name) {
        return "listeners[" + position(listeners, l -> l.name().equals(name)) + "]";
    }

    private int serverAt() {
        return upstreams.stream()
                .filter(u -> u.name().equals(subject.parent()))
                .findFirst()
                .map(u -> position(u.servers(), s -> Integer.toString(s.id()).equals(subject.name())))
                .orElse(-1);
    }

    private int routeAt() {
        return listeners.stream()
                .filter(l -> l.name().equals(subject.parent()))
                .findFirst()
                .map(l -> position(l.routes(), r -> r.name().equals(subject.name())))
                .orElse(-1);
    }

    private static <T> int position(List<? extends T> items, Predicate<T> wanted) {
        for (int i = 0; i < items.size(); i++) {
            if (wanted.test(items.get(i))) {
                return i;
            }
        }
        return -1;
    }

    private static Violation cut(Violation violation, String prefix, String shown) {
        String field = withoutStar(violation.field(), prefix);
        if (!field.startsWith(prefix)) {
            return new Violation(field, violation.message());
        }
        String rest = field.substring(prefix.length());
        if (!rest.isEmpty() && rest.charAt(0) != '.' && rest.charAt(0) != '[') {
            return new Violation(field, violation.message());
        }
        String seen = shown + rest;
        return new Violation(seen.startsWith(".") ? seen.substring(1) : seen, violation.message());
    }

    /** What is wrong with all elements of a list is told of the one that the request is about, or else of the list. */
    private static String withoutStar(String field, String prefix) {
        int star = field.indexOf("[*]");
        if (star < 0) {
            return field;
        }
        String list = field.substring(0, star);
        if (!prefix.startsWith(list + "[")) {
            return list;
        }
        return prefix.substring(0, prefix.indexOf(']', star) + 1) + field.substring(star + 3);
    }
}
