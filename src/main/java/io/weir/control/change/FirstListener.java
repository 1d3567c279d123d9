package io.weir.control.change;

import io.weir.config.InvalidConfigException;
import io.weir.config.ListenerConfig;
import io.weir.control.state.Resource;
import java.util.List;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;

/** A listener {@code web} without routes for a database in which nothing was ever stored, as an ordinary first revision. */
@Component
class FirstListener {

    private final Configuration configuration;
    private final boolean wanted;
    private final int port;

    FirstListener(
            Configuration configuration,
            @Value("${weir.first-listener.enabled:true}") boolean wanted,
            @Value("${weir.first-listener.port:8000}") int port) {
        this.configuration = configuration;
        this.wanted = wanted;
        this.port = port;
    }

    int port() {
        return port;
    }

    /**
     * Adds it if there is nothing.
     *
     * @throws InvalidConfigException if its port cannot be bound
     */
    void addIfEmpty() {
        if (!wanted || configuration.state().config().revision() > 0) {
            return;
        }
        ListenerConfig web = new ListenerConfig("web", "0.0.0.0", port, List.of());
        // of nodes that start together on one database the first adds its own
        configuration.change(
                false,
                state -> state.config().revision() > 0
                        ? state.unchanged(Resource.LISTENERS)
                        : state.with(web, Resource.listener(web.name())));
    }
}
