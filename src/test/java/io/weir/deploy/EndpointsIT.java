package io.weir.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.control.Api;
import io.weir.control.ControlPlaneTest;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.web.server.LocalServerPort;

/** The application answers where the chart, the image and Prometheus ask. */
@ControlPlaneTest
class EndpointsIT {

    private static final Pattern PATH = Pattern.compile("/actuator/[a-z/]+");
    private static final Pattern METRIC = Pattern.compile("\\b([a-z]+(?:_[a-z]+)+)\\{");

    private final Api api;

    EndpointsIT(@LocalServerPort int port) {
        api = new Api(port);
    }

    @Test
    void everyPathThatIsAskedForIsThere() {
        Set<String> paths = new TreeSet<>();
        for (String text : new String[] {
            Chart.render(Chart.EVERYTHING).toString(),
            Delivery.read("deploy/image/ready"),
            Delivery.read("deploy/compose/prometheus.yml")
        }) {
            PATH.matcher(text).results().forEach(path -> paths.add(path.group()));
        }
        assertThat(paths)
                .contains("/actuator/health/liveness", "/actuator/health/readiness", "/actuator/prometheus")
                .allSatisfy(path -> assertThat(api.get(path).status()).as(path).isEqualTo(200));
    }

    /** Those of Weir are in its document, and so compared there. */
    @Test
    void metricsOfJavaAndSpringThatTheDashboardShowsAreServed() {
        Matcher metric = METRIC.matcher(Delivery.read("helm/weir/files/dashboard.json"));
        Set<String> asked = new TreeSet<>();
        while (metric.find()) {
            if (!metric.group(1).startsWith("weir_")) {
                asked.add(metric.group(1));
            }
        }
        // no collector may have run yet
        asked.removeIf(name -> name.startsWith("jvm_gc_pause_"));
        assertThat(asked).hasSizeGreaterThan(2);
        // a request is counted after its answer
        Awaitility.await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
            String page = api.get("/actuator/prometheus").text();
            assertThat(asked).allSatisfy(name -> assertThat(page).containsPattern("(?m)^" + name + "[{ ]"));
        });
    }
}
