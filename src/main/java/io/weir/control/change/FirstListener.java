package io.weir.control.change;

import io.weir.config.HttpListenerConfig;
import io.weir.config.InvalidConfigException;
import io.weir.config.ListenerConfig;
import io.weir.control.state.Resource;
import java.util.List;
import org.springframework.stereotype.Component;

/** A listener {@code web} without routes for a database in which nothing was ever stored, as an ordinary first revision. */
@Component
class FirstListener {

    private final Configuration configuration;
    private final FirstListenerProperties wanted;

    FirstListener(Configuration configuration, FirstListenerProperties wanted) {
        this.configuration = configuration;
        this.wanted = wanted;
    }

    int port() {
        return wanted.port();
    }

    /**
     * Adds it if there is nothing.
     *
     * @throws InvalidConfigException if its port cannot be bound
     */
    void addIfEmpty() {
        if (!wanted.enabled() || configuration.state().config().revision() > 0) {
            return;
        }
        ListenerConfig web = new HttpListenerConfig("web", "0.0.0.0", wanted.port(), List.of());
        // of nodes that start together on one database the first adds its own
        configuration.change(
                false,
                state -> state.config().revision() > 0
                        ? state.unchanged(Resource.LISTENERS)
                        : state.with(web, Resource.listener(web.name())));
    }
}
