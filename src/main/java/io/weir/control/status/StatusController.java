package io.weir.control.status;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.weir.config.ActiveConfig;
import io.weir.config.ProxyConfig;
import io.weir.control.change.Configuration;
import io.weir.control.node.Node;
import io.weir.control.node.Nodes;
import io.weir.control.state.Resource;
import io.weir.control.store.StoreHealth;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** This node. */
@RestController
@Tag(name = "Status", description = "This node")
class StatusController {

    private final ActiveConfig active;
    private final Configuration configuration;
    private final StoreHealth health;
    private final Nodes nodes;

    StatusController(ActiveConfig active, Configuration configuration, StoreHealth health, Nodes nodes) {
        this.active = active;
        this.configuration = configuration;
        this.health = health;
        this.nodes = nodes;
    }

    @GetMapping(path = Resource.API + "/status", produces = MediaType.APPLICATION_JSON_VALUE)
    @Operation(summary = "Show what this node is and does", description = "From memory: it asks no database.")
    StatusView show() {
        ProxyConfig config = active.current();
        Node self = nodes.self();
        StoreHealth.Down down = health.down();
        return new StatusView(
                self.name(),
                self.id(),
                self.version(),
                self.startedAt(),
                config.revision(),
                configuration.state().config().revision(),
                FailureView.of(configuration.failure()),
                down == null ? "up" : "down",
                down == null ? null : new StatusView.Down(down.since(), down.reason()),
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
}
