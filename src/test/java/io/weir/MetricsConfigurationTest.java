package io.weir;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.weir.config.ActiveConfig;
import io.weir.upstream.AddressResolver;
import io.weir.upstream.Upstreams;
import io.weir.zone.Ticker;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.prometheus.PrometheusMetricsExportAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class MetricsConfigurationTest {

    @Test
    void groupsAreOnThePageThatTheActuatorServes() {
        Upstreams upstreams = new Upstreams(Ticker.system(), AddressResolver.system());
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        MetricsAutoConfiguration.class, PrometheusMetricsExportAutoConfiguration.class))
                .withUserConfiguration(MetricsConfiguration.class)
                .withBean(Upstreams.class, () -> upstreams)
                .withBean(ActiveConfig.class, () -> new ActiveConfig(List.of(upstreams)))
                .run(context -> assertThat(
                                context.getBean(PrometheusMeterRegistry.class).scrape())
                        .contains("weir_config_revision 0")
                        .contains("weir_build_info{revision=\"unknown\",version=\"unknown\"} 1"));
    }
}
