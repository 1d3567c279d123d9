package io.weir.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ListenerCollectorTest {

    private List<ListenerSessions> listeners = List.of();

    private Page page() {
        PrometheusRegistry registry = new PrometheusRegistry();
        registry.register(new ListenerCollector(() -> listeners));
        return Page.scrape(registry);
    }

    @Test
    void eachListenerHasAllStatusesFromTheStart() {
        listeners = List.of(new ListenerSessions("echo", 0, Map.of(), 0, 0));
        assertThat(page().series())
                .containsOnlyKeys(
                        "weir_stream_sessions_total{listener=\"echo\",status=\"200\"}",
                        "weir_stream_sessions_total{listener=\"echo\",status=\"400\"}",
                        "weir_stream_sessions_total{listener=\"echo\",status=\"403\"}",
                        "weir_stream_sessions_total{listener=\"echo\",status=\"500\"}",
                        "weir_stream_sessions_total{listener=\"echo\",status=\"502\"}",
                        "weir_stream_sessions_total{listener=\"echo\",status=\"503\"}",
                        "weir_stream_sessions_active{listener=\"echo\"}",
                        "weir_stream_received_bytes_total{listener=\"echo\"}",
                        "weir_stream_sent_bytes_total{listener=\"echo\"}");
    }

    @Test
    void countsAreThoseOfTheDataPlane() throws IOException, InterruptedException {
        listeners = List.of(
                new ListenerSessions("echo", 3, Map.of(200, 17L, 502, 2L), 1_000, 2_000),
                new ListenerSessions("dns", 1, Map.of(200, 5L), 10, 20));
        Page page = page();
        assertThat(page.value("weir_stream_sessions_total{listener=\"echo\",status=\"200\"}"))
                .isEqualTo(17);
        assertThat(page.value("weir_stream_sessions_total{listener=\"echo\",status=\"502\"}"))
                .isEqualTo(2);
        assertThat(page.value("weir_stream_sessions_active{listener=\"echo\"}")).isEqualTo(3);
        assertThat(page.value("weir_stream_received_bytes_total{listener=\"echo\"}"))
                .isEqualTo(1_000);
        assertThat(page.value("weir_stream_sent_bytes_total{listener=\"dns\"}")).isEqualTo(20);
        ZoneCollectorTest.lint(page);
        listeners = List.of();
        assertThat(page().series())
                .as("a listener that is gone leaves nothing behind")
                .isEmpty();
    }
}
