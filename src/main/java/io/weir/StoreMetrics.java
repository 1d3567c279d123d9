package io.weir;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.weir.control.change.Configuration;
import io.weir.control.node.Nodes;
import io.weir.control.store.LastGood;
import io.weir.control.store.StoreHealth;
import org.springframework.context.annotation.Bean;

/** Puts what is known of the database and of the other nodes on the page that Prometheus scrapes. */
@org.springframework.context.annotation.Configuration(proxyBeanMethods = false)
class StoreMetrics {

    private static final String NODES_HELP =
            "Nodes on the same database, this one included, by whether they have told of themselves lately";

    @Bean
    MeterBinder storeMeters(Configuration configuration, StoreHealth health, Nodes nodes, LastGood lastGood) {
        return registry -> {
            Gauge.builder("weir.store.up", health, h -> h.down() == null ? 1 : 0)
                    .description("Whether the database works, as its last use has shown")
                    .register(registry);
            Gauge.builder(
                            "weir.config.stored.revision",
                            configuration,
                            c -> c.state().config().revision())
                    .description("Revision of the configuration that is stored, as far as this node knows")
                    .register(registry);
            FunctionCounter.builder("weir.config.apply.failures", configuration, Configuration::failures)
                    .description("How often a configuration that is stored could not be applied here")
                    .register(registry);
            Gauge.builder("weir.last.good.revision", lastGood, LastGood::revision)
                    .description("Revision of the configuration that is kept for a start without the database")
                    .register(registry);
            Gauge.builder("weir.nodes", nodes, Nodes::live)
                    .description(NODES_HELP)
                    .tag("state", "live")
                    .register(registry);
            Gauge.builder("weir.nodes", nodes, Nodes::silent)
                    .description(NODES_HELP)
                    .tag("state", "silent")
                    .register(registry);
        };
    }
}
