package io.weir;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.FailureHandler;

/** What the records of properties take, and what an operator reads of what they do not. */
class PropertiesTest {

    private final ApplicationContextRunner runner =
            new ApplicationContextRunner().withUserConfiguration(AllRecords.class);

    @Configuration(proxyBeanMethods = false)
    @ConfigurationPropertiesScan("io.weir")
    static class AllRecords {}

    @ParameterizedTest
    @CsvSource({
        "weir.data-plane.threads, -1",
        "weir.data-plane.threads, 100000",
        "weir.data-plane.threads, many",
        "weir.data-plane.http-decoder, own",
        "weir.data-plane.shutdown-delay, soon",
        "weir.data-plane.shutdown-delay, -1s",
        "weir.data-plane.shutdown-timeout, 2d",
        "weir.data-plane.thread, 1",
        "weir.first-listener.enabled, maybe",
        "weir.first-listener.port, 0",
        "weir.first-listener.port, 65536",
        "weir.first-listener.bind, 127.0.0.1",
        "weir.demo.first-port, 65534",
    })
    void whatIsNotAllowedIsRefusedByItsName(String property, String value) {
        runner.withPropertyValues(property + "=" + value).run(context -> {
            assertThat(context).hasFailed();
            assertThat(description(context.getStartupFailure()))
                    .contains("Property: weir.", "Value: ")
                    .containsPattern("\\b" + property + "\\b");
        });
    }

    /** What Spring Boot prints. */
    private static String description(Throwable failure) {
        return SpringFactoriesLoader.forDefaultResourceLocation()
                .load(FailureAnalyzer.class, FailureHandler.handleMessage((message, e) -> {}))
                .stream()
                .map(analyzer -> analyzer.analyze(failure))
                .filter(analysis -> analysis != null)
                .findFirst()
                .orElseThrow()
                .getDescription();
    }

    @Test
    void defaultsAreThoseOfTheDocument() {
        runner.run(context -> {
            DataPlaneProperties properties = context.getBean(DataPlaneProperties.class);
            assertThat(properties.threads()).isZero();
            assertThat(properties.threadsOrProcessors())
                    .isEqualTo(Runtime.getRuntime().availableProcessors());
            assertThat(properties.shutdownDelay()).isZero();
            assertThat(properties.shutdownTimeout()).isEqualTo(Duration.ofSeconds(30));
            assertThat(properties.tempDir()).isEqualTo(Path.of("data/tmp"));
        });
    }

    @Test
    void whatIsAllowedIsTaken() {
        runner.withPropertyValues(
                        "weir.data-plane.threads=3",
                        "weir.data-plane.http-decoder=NETTY",
                        "weir.data-plane.shutdown-delay=1500",
                        "weir.data-plane.shutdown-timeout=0s",
                        "weir.data-plane.temp-dir=/var/tmp/weir")
                .run(context -> {
                    DataPlaneProperties properties = context.getBean(DataPlaneProperties.class);
                    assertThat(properties.threadsOrProcessors()).isEqualTo(3);
                    assertThat(properties.shutdownDelay()).isEqualTo(Duration.ofMillis(1500));
                    assertThat(properties.shutdownTimeout()).isZero();
                    assertThat(properties.tempDir()).isEqualTo(Path.of("/var/tmp/weir"));
                });
    }
}
