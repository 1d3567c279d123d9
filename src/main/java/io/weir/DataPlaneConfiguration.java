package io.weir;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.weir.control.drain.DrainOutcome;
import io.weir.control.drain.Drains;
import io.weir.control.drain.SessionDropper;
import io.weir.metrics.ListenerCollector;
import io.weir.metrics.ListenerSessions;
import io.weir.proxy.DataPlane;
import io.weir.proxy.http.ConnectionCounts;
import io.weir.proxy.http.TempFiles;
import io.weir.upstream.Upstreams;
import io.weir.zone.Ticker;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Runs the data plane in the life of the application. */
@Configuration(proxyBeanMethods = false)
class DataPlaneConfiguration {

    private static final Logger log = LoggerFactory.getLogger(DataPlaneConfiguration.class);

    /** Closed by the data plane, after its last request. */
    @Bean(destroyMethod = "")
    TempFiles tempFiles(DataPlaneProperties properties) {
        Path folder = properties.tempDir();
        try {
            return new TempFiles(folder);
        } catch (IOException e) {
            throw new TempFolderException(folder, e);
        }
    }

    @Bean(destroyMethod = "close")
    DataPlane dataPlane(
            Ticker ticker,
            Upstreams upstreams,
            TempFiles files,
            DataPlaneProperties properties,
            @Value("${server.address:127.0.0.1}") String adminAddress,
            @Value("${server.port:8080}") int adminPort) {
        // a wildcard is no address to go to
        String host = adminAddress.equals("0.0.0.0") || adminAddress.equals("::") ? "localhost" : adminAddress;
        String notice = "Weir runs, and has no routes here yet. Add one by its API: http://" + host + ":" + adminPort
                + "/swagger-ui.html\n";
        return new DataPlane(
                properties.threadsOrProcessors(), ticker, upstreams, properties.httpDecoder(), files, notice);
    }

    /**
     * Lets requests in flight end before the rest of the application goes.
     *
     * <p>In the first phase that stops, before that of the web server: readiness is down by then, and whoever asks for it can
     * still be told so.
     */
    @Bean
    SmartLifecycle dataPlaneStop(DataPlane dataPlane, DataPlaneProperties properties) {
        return new SmartLifecycle() {

            private volatile boolean running;

            @Override
            public void start() {
                running = true;
            }

            @Override
            public void stop() {
                delay(properties.shutdownDelay());
                dataPlane.stop(properties.shutdownTimeout());
                running = false;
            }

            @Override
            public boolean isRunning() {
                return running;
            }
        };
    }

    /** The time in which others find out that this Weir is no longer ready. */
    private static void delay(Duration time) {
        if (time.isZero()) {
            return;
        }
        log.info("no longer ready; listening for another {} s", time.toSeconds());
        try {
            TimeUnit.MILLISECONDS.sleep(time.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Bean
    SessionDropper sessionDropper(DataPlane dataPlane) {
        return dataPlane::dropSessions;
    }

    @Bean
    MeterBinder drainMeters(Drains drains) {
        return registry -> {
            Gauge.builder("weir.drains.active", drains, Drains::active)
                    .description("Servers that are being drained")
                    .register(registry);
            for (DrainOutcome outcome : DrainOutcome.values()) {
                FunctionCounter.builder("weir.drains", drains, d -> d.ended(outcome))
                        .description("Drains that have ended, by how")
                        .tag("result", word(outcome))
                        .register(registry);
            }
        };
    }

    private static String word(DrainOutcome outcome) {
        return switch (outcome) {
            case DRAINED -> "drained";
            case TIMED_OUT -> "timeout";
            case CANCELLED -> "cancelled";
        };
    }

    @Bean
    MeterBinder accessLogMeters(DataPlane dataPlane) {
        return registry -> FunctionCounter.builder(
                        "weir.access.log.dropped.lines", dataPlane, DataPlane::droppedLogLines)
                .description("Lines of access logs that could not be written, or not fast enough")
                .register(registry);
    }

    @Bean
    ListenerCollector listenerCollector(PrometheusRegistry registry, DataPlane dataPlane) {
        ListenerCollector collector = new ListenerCollector(() -> dataPlane.streams().snapshot().stream()
                .map(its -> new ListenerSessions(
                        its.listener(), its.open(), its.sessionsByStatus(), its.bytesReceived(), its.bytesSent()))
                .toList());
        registry.register(collector);
        return collector;
    }

    @Bean
    MeterBinder connectionMeters(DataPlane dataPlane) {
        ConnectionCounts counts = dataPlane.connections();
        return registry -> {
            FunctionCounter.builder("weir.connections.accepted", counts, ConnectionCounts::total)
                    .description("Client connections accepted by the data plane")
                    .register(registry);
            FunctionCounter.builder("weir.connections.refused", counts, ConnectionCounts::overLimit)
                    .description("Client connections closed at once, by the limit that they were beyond")
                    .tag("reason", "max_connections")
                    .register(registry);
            FunctionCounter.builder("weir.connections.refused", counts, ConnectionCounts::overLimitOfAddress)
                    .description("Client connections closed at once, by the limit that they were beyond")
                    .tag("reason", "max_connections_per_address")
                    .register(registry);
            Gauge.builder("weir.connections", counts, ConnectionCounts::active)
                    .description("Client connections of the data plane, by whether a request runs on them")
                    .tag("state", "active")
                    .register(registry);
            Gauge.builder("weir.connections", counts, c -> c.open() - c.active())
                    .description("Client connections of the data plane, by whether a request runs on them")
                    .tag("state", "idle")
                    .register(registry);
        };
    }
}
