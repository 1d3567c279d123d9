package io.weir.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.metrics.config.EscapingScheme;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What Prometheus gets to read, taken apart: series by their full text. */
record Page(String text, Map<String, Double> series, Map<String, String> types) {

    static Page scrape(PrometheusRegistry registry) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            PrometheusTextFormatWriter.create().write(out, registry.scrape(), EscapingScheme.DEFAULT);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return parse(out.toString(StandardCharsets.UTF_8));
    }

    private static Page parse(String text) {
        Map<String, Double> series = new LinkedHashMap<>();
        Map<String, String> types = new HashMap<>();
        for (String line : text.lines().toList()) {
            if (line.startsWith("# TYPE ")) {
                String[] parts = line.split(" ", -1);
                types.put(parts[2], parts[3]);
            } else if (!line.startsWith("#")) {
                int space = line.lastIndexOf(' ');
                String value = line.substring(space + 1);
                Double before = series.put(
                        line.substring(0, space),
                        value.equals("+Inf") ? Double.POSITIVE_INFINITY : Double.parseDouble(value));
                assertThat(before).as("stands twice: %s", line).isNull();
            }
        }
        return new Page(text, series, types);
    }

    /** The value of a series, which is there. */
    double value(String name) {
        assertThat(series).containsKey(name);
        return series.getOrDefault(name, Double.NaN);
    }

    List<String> seriesWith(String part) {
        return series.keySet().stream().filter(s -> s.contains(part)).toList();
    }
}
