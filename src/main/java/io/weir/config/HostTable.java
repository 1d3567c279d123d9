package io.weir.config;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What is kept under names of hosts, to be looked up in nginx's order: the exact name, then the longest {@code *.name}, then
 * the longest {@code name.*}. Immutable.
 *
 * @see <a href="https://nginx.org/en/docs/http/server_names.html">nginx: server names</a>
 */
public final class HostTable<T> {

    /** What is kept under a name with an asterisk. */
    public static final class Wildcard<T> {

        private final String text;
        private final boolean leading;
        private final T value;

        private Wildcard(String host, T value) {
            this.leading = host.startsWith("*");
            this.text = leading ? host.substring(1) : host.substring(0, host.length() - 1);
            this.value = value;
        }

        public T value() {
            return value;
        }

        /** Whether the asterisk stands for one label or more of {@code host}. */
        public boolean matches(String host) {
            return host.length() > text.length() && (leading ? host.endsWith(text) : host.startsWith(text));
        }
    }

    private final Map<String, T> exact = new HashMap<>();
    private final List<Wildcard<T>> wildcards = new ArrayList<>();

    /** @param byHost in lower case, as {@link RouteConfig#hosts} and {@link StreamRouteConfig#hosts} are */
    public HostTable(Map<String, T> byHost) {
        byHost.forEach((host, value) -> {
            if (host.startsWith("*") || host.endsWith("*")) {
                wildcards.add(new Wildcard<>(host, value));
            } else {
                exact.put(host, value);
            }
        });
        wildcards.sort(Comparator.comparing((Wildcard<T> w) -> !w.leading).thenComparing(w -> -w.text.length()));
    }

    /** What is kept under this very name, or null. */
    public @Nullable T exact(String host) {
        return exact.isEmpty() ? null : exact.get(host);
    }

    /** In the order in which they are to be tried. */
    public List<Wildcard<T>> wildcards() {
        return wildcards;
    }
}
