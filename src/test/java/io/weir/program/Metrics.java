package io.weir.program;

import java.util.Arrays;
import java.util.List;

/** A page of metrics, as Prometheus reads it. */
record Metrics(List<String> samples) {

    static Metrics parse(String page) {
        return new Metrics(Arrays.stream(page.split("\n"))
                .filter(line -> !line.startsWith("#"))
                .toList());
    }

    /** Samples of this family whose labels contain all of these, such as {@code group="app"}. */
    List<String> find(String family, String... labels) {
        return samples.stream()
                .filter(line -> line.startsWith(family + "{") || line.startsWith(family + " "))
                .filter(line -> Arrays.stream(labels).allMatch(line::contains))
                .toList();
    }

    /** Their sum. */
    double sum(String family, String... labels) {
        return find(family, labels).stream()
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }
}
