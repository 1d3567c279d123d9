package io.weir.config;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Everything the operator asked for: what the data plane runs.
 *
 * @param revision of the whole, grows with every change, 0 for nothing yet
 * @param upstreams by name, each name once
 * @param listeners by name, each name once, each address once for TCP and once for UDP
 */
public record ProxyConfig(long revision, List<UpstreamConfig> upstreams, List<ListenerConfig> listeners) {

    public static final ProxyConfig EMPTY = new ProxyConfig(0, List.of(), List.of());

    public ProxyConfig {
        upstreams = List.copyOf(upstreams);
        listeners = List.copyOf(listeners);
        Checks checks = new Checks();
        Map<String, GroupProtocol> groups = new HashMap<>();
        for (int i = 0; i < upstreams.size(); i++) {
            UpstreamConfig upstream = upstreams.get(i);
            checks.check(
                    groups.put(upstream.name(), upstream.protocol()) == null,
                    "upstreams[" + i + "].name",
                    "stands twice");
        }
        Set<String> names = new HashSet<>();
        for (int i = 0; i < listeners.size(); i++) {
            ListenerConfig listener = listeners.get(i);
            String at = "listeners[" + i + "]";
            List<ListenerConfig> others = listeners.subList(0, i);
            checks.check(names.add(listener.name()), at + ".name", "stands twice");
            for (ListenerConfig other : others) {
                checks.check(!listener.sharesSocketWith(other), at + ".port", "is taken by listener " + other.name());
            }
            checkLog(checks, at, listener, others);
            for (ListenerConfig.Reference reference : listener.references()) {
                GroupProtocol found = groups.get(reference.upstream());
                String field = at + "." + reference.field();
                checks.check(found != null, field, "names no upstream group: " + reference.upstream());
                checks.check(
                        found == null || found == listener.protocol().group(),
                        field,
                        "must be a group of protocol "
                                + listener.protocol().group().word());
            }
        }
        checks.done();
    }

    /** Listeners may share a file, and it is rotated in one way then. */
    private static void checkLog(Checks checks, String at, ListenerConfig listener, List<ListenerConfig> others) {
        AccessLogConfig log = listener.accessLog();
        for (ListenerConfig other : log.file() == null ? List.<ListenerConfig>of() : others) {
            if (Objects.equals(other.accessLog().file(), log.file())) {
                checks.check(
                        Objects.equals(other.accessLog().rotate(), log.rotate()),
                        at + ".accessLog.rotate",
                        "must be that of listener " + other.name() + ", which logs to the same file");
                return;
            }
        }
    }

    public Optional<UpstreamConfig> upstream(String name) {
        return upstreams.stream().filter(u -> u.name().equals(name)).findFirst();
    }

    public Optional<ListenerConfig> listener(String name) {
        return listeners.stream().filter(l -> l.name().equals(name)).findFirst();
    }
}
