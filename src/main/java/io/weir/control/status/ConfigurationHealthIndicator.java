package io.weir.control.status;

import io.weir.control.change.Configuration;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;

/** Whether there is anything to serve: a node that waits for its first configuration is not ready. */
@Component
class ConfigurationHealthIndicator implements HealthIndicator {

    private final Configuration configuration;

    ConfigurationHealthIndicator(Configuration configuration) {
        this.configuration = configuration;
    }

    @Override
    public Health health() {
        return (configuration.isLoaded() ? Health.up() : Health.outOfService()).build();
    }
}
