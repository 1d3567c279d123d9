package io.weir.control.status;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.weir.config.ActiveConfig;
import io.weir.config.ProxyConfig;
import io.weir.control.state.Resource;
import io.weir.control.store.ConfigStore;
import io.weir.control.store.StoreException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Instant;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** This node. */
@RestController
@Tag(name = "Status", description = "This node")
class StatusController {

    private final ActiveConfig active;
    private final ConfigStore store;

    StatusController(ActiveConfig active, ConfigStore store) {
        this.active = active;
        this.store = store;
    }

    @GetMapping(path = Resource.API + "/status", produces = MediaType.APPLICATION_JSON_VALUE)
    @Operation(summary = "Show what this node is and does")
    StatusView show() {
        ProxyConfig config = active.current();
        return new StatusView(
                node(),
                version(),
                Instant.ofEpochMilli(ManagementFactory.getRuntimeMXBean().getStartTime()),
                config.revision(),
                isStoreUp() ? "up" : "down",
                new StatusView.Counts(
                        config.upstreams().size(),
                        config.upstreams().stream()
                                .mapToInt(u -> u.servers().size())
                                .sum(),
                        config.listeners().size(),
                        config.listeners().stream()
                                .mapToInt(l -> l.routes().size())
                                .sum()),
                config.listeners().stream()
                        .map(l -> new StatusView.Listener(l.name(), l.protocol().word(), l.bind(), l.port()))
                        .toList());
    }

    private boolean isStoreUp() {
        try {
            store.revision();
            return true;
        } catch (StoreException e) {
            return false;
        }
    }

    private static String node() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "localhost";
        }
    }

    /** As in the manifest of the jar; a build directory has none. */
    private static String version() {
        String version = StatusController.class.getPackage().getImplementationVersion();
        return version == null ? "development" : version;
    }
}
