package io.weir.config;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Everything the operator asked for: what the data plane runs.
 *
 * @param revision of the whole, grows with every change, 0 for nothing yet
 * @param upstreams by name, each name once
 * @param listeners by name, each name once, each address once
 */
public record ProxyConfig(long revision, List<UpstreamConfig> upstreams, List<ListenerConfig> listeners) {

    public static final ProxyConfig EMPTY = new ProxyConfig(0, List.of(), List.of());

    public ProxyConfig {
        upstreams = List.copyOf(upstreams);
        listeners = List.copyOf(listeners);
        Checks checks = new Checks();
        Map<String, Integer> names = new HashMap<>();
        for (int i = 0; i < upstreams.size(); i++) {
            checks.check(names.put(upstreams.get(i).name(), i) == null, "upstreams[" + i + "].name", "stands twice");
        }
        Map<String, String> byName = new HashMap<>();
        Map<String, String> byAddress = new HashMap<>();
        for (int i = 0; i < listeners.size(); i++) {
            ListenerConfig listener = listeners.get(i);
            String at = "listeners[" + i + "]";
            checks.check(byName.put(listener.name(), at) == null, at + ".name", "stands twice");
            String other = byAddress.put(listener.bind() + " " + listener.port(), listener.name());
            checks.check(other == null, at + ".port", "is taken by listener " + other);
            checkLog(checks, at, listener, listeners.subList(0, i));
            for (int r = 0; r < listener.routes().size(); r++) {
                if (listener.routes().get(r).target() instanceof RouteTarget.Upstream target) {
                    checks.check(
                            names.containsKey(target.name()),
                            at + ".routes[" + r + "].upstream",
                            "names no upstream group: " + target.name());
                }
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
