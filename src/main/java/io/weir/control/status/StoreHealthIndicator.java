package io.weir.control.status;

import io.weir.control.store.StoreHealth;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;

/** Whether the database works: for {@code /actuator/health}, and not for readiness, since traffic does not need it. */
@Component
class StoreHealthIndicator implements HealthIndicator {

    private final StoreHealth health;

    StoreHealthIndicator(StoreHealth health) {
        this.health = health;
    }

    @Override
    public Health health() {
        return (health.down() == null ? Health.up() : Health.down()).build();
    }
}
