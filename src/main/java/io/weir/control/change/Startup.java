package io.weir.control.change;

import io.weir.config.HttpListenerConfig;
import io.weir.config.InvalidConfigException;
import io.weir.config.ListenerConfig;
import io.weir.control.state.Resource;
import io.weir.control.store.StoreException;
import io.weir.upstream.Upstreams;
import java.util.List;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;

/**
 * Starts what is stored, before the API takes its first request. As nginx does, Weir does not start with a configuration
 * that cannot run.
 *
 * <p>An empty database gets a listener {@code web} without routes, as an ordinary first revision.
 */
@Component
class Startup implements SmartLifecycle {

    /** Before the web server of the API, which Spring Boot starts at the end. */
    private static final int PHASE = 0;

    private final Configuration configuration;
    private final Upstreams upstreams;
    private final FirstListenerProperties firstListener;
    private volatile boolean running;

    Startup(Configuration configuration, Upstreams upstreams, FirstListenerProperties firstListener) {
        this.configuration = configuration;
        this.upstreams = upstreams;
        this.firstListener = firstListener;
    }

    @Override
    public void start() {
        try {
            // a name server that is down must not keep everything else from running
            upstreams.lenient(configuration::load);
        } catch (InvalidConfigException | StoreException e) {
            throw new StartupException("The stored configuration cannot run: " + e.getMessage(), e);
        }
        if (firstListener.enabled() && configuration.state().config().revision() == 0) {
            addFirstListener();
        }
        running = true;
    }

    private void addFirstListener() {
        try {
            ListenerConfig web = new HttpListenerConfig("web", "0.0.0.0", firstListener.port(), List.of());
            configuration.change(false, state -> state.with(web, Resource.listener(web.name())));
        } catch (InvalidConfigException | StoreException e) {
            throw new StartupException(
                    "The first listener, on port " + firstListener.port() + ", cannot run: " + e.getMessage(), e);
        }
    }

    @Override
    public void stop() {
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
