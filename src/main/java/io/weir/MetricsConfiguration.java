package io.weir;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.config.MeterFilter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.weir.config.ActiveConfig;
import io.weir.metrics.BuildInfo;
import io.weir.metrics.ZoneCollector;
import io.weir.upstream.Upstreams;
import java.time.Clock;
import java.util.Objects;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.info.BuildProperties;
import org.springframework.boot.info.GitProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Puts the upstream groups on the page that Prometheus scrapes. */
@Configuration(proxyBeanMethods = false)
class MetricsConfiguration {

    private static final String UNKNOWN = "unknown";

    @Bean
    ZoneCollector zoneCollector(
            PrometheusRegistry registry,
            Upstreams upstreams,
            ActiveConfig config,
            ObjectProvider<BuildProperties> build,
            ObjectProvider<GitProperties> git) {
        ZoneCollector collector = new ZoneCollector(upstreams, config, Clock.systemUTC(), buildInfo(build, git));
        registry.register(collector);
        return collector;
    }

    /** Spring leaves it to others to say what it counts. */
    @Bean
    MeterFilter requestHelp() {
        return new MeterFilter() {
            @Override
            public Meter.Id map(Meter.Id id) {
                return id.getName().equals("http.server.requests") && id.getDescription() == null
                        ? new Meter.Id(
                                id.getName(),
                                Tags.of(id.getTagsAsIterable()),
                                id.getBaseUnit(),
                                "Requests to the control plane",
                                id.getType())
                        : id;
            }
        };
    }

    /** What the build has left in the jar; a run from an IDE may have neither. */
    private static BuildInfo buildInfo(ObjectProvider<BuildProperties> build, ObjectProvider<GitProperties> git) {
        BuildProperties buildProperties = build.getIfAvailable();
        GitProperties gitProperties = git.getIfAvailable();
        return new BuildInfo(
                buildProperties == null ? UNKNOWN : Objects.requireNonNullElse(buildProperties.getVersion(), UNKNOWN),
                gitProperties == null
                        ? UNKNOWN
                        : Objects.requireNonNullElse(gitProperties.getShortCommitId(), UNKNOWN));
    }
}
