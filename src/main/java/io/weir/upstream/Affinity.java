package io.weir.upstream;

import io.weir.balance.BalancingMethod;
import io.weir.balance.Sticky;
import io.weir.config.RequestValues;
import io.weir.config.StickyConfig;
import io.weir.config.Template;
import org.jspecify.annotations.Nullable;

/** How a group keeps requests of one client at one peer. Safe on every thread. */
final class Affinity {

    private final StickyConfig config;

    /** Only if sessions are learned; lives on in the affinity of the next configuration. */
    private final @Nullable Sessions sessions;

    private final UpstreamGroup group;

    private Affinity(StickyConfig config, @Nullable Sessions sessions, UpstreamGroup group) {
        this.config = config;
        this.sessions = sessions;
        this.group = group;
    }

    /**
     * The affinity that a configuration wants. What is running is not changed until it is to {@link #begin}.
     *
     * @param before the group's last, null for none
     */
    static Affinity of(StickyConfig config, @Nullable Affinity before, UpstreamGroup group) {
        return new Affinity(config, config instanceof StickyConfig.Learn learn ? sessions(learn, before) : null, group);
    }

    private static Sessions sessions(StickyConfig.Learn learn, @Nullable Affinity before) {
        Sessions known = before == null ? null : before.sessions;
        return known == null ? new Sessions(learn.sessions(), learn.timeout().nanos()) : known;
    }

    /** Takes its place: sessions that were there already keep to its limits from now on. */
    void begin() {
        if (config instanceof StickyConfig.Learn learn && sessions != null) {
            sessions.limit(
                    learn.sessions(), learn.timeout().nanos(), group.ticker().nanos());
        }
    }

    StickyConfig config() {
        return config;
    }

    /** The method with affinity around it. */
    BalancingMethod around(BalancingMethod method) {
        return new Sticky(method, this::hint);
    }

    private @Nullable String hint(RequestValues request) {
        if (config instanceof StickyConfig.Cookie cookie) {
            return orNull(request.value(cookie.value()));
        }
        if (config instanceof StickyConfig.Route route) {
            for (Template value : route.values()) {
                String text = request.value(value);
                if (!text.isEmpty()) {
                    return text;
                }
            }
            return null;
        }
        String session = request.value(((StickyConfig.Learn) config).lookup());
        return session.isEmpty() || sessions == null
                ? null
                : sessions.find(session, group.ticker().nanos());
    }

    private static @Nullable String orNull(String text) {
        return text.isEmpty() ? null : text;
    }

    /** The head of the response that the client gets has come from a peer. */
    void headerReceived(RequestValues request, String sid) {
        if (config instanceof StickyConfig.Learn learn && learn.header()) {
            learn(learn, request, sid);
        }
    }

    /** The response that the client gets has come from a peer. */
    void responseReceived(RequestValues request, String sid) {
        if (config instanceof StickyConfig.Learn learn && !learn.header()) {
            learn(learn, request, sid);
        }
    }

    private void learn(StickyConfig.Learn learn, RequestValues request, String sid) {
        if (sessions == null) {
            return;
        }
        long now = group.ticker().nanos();
        String created = request.value(learn.create());
        String session = created.isEmpty() ? request.value(learn.lookup()) : created;
        if (!session.isEmpty()) {
            sessions.use(session, sid, !created.isEmpty(), now);
        }
    }
}
