package io.weir.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.Yaml;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The alerts and the dashboard ask for metrics that there are, in a language that Prometheus knows. */
class MonitoringTest {

    private static final Pattern METRIC = Pattern.compile("\\bweir_[a-z_]+");
    private static final Pattern LABEL = Pattern.compile("\\{\\{(\\w+)}}");

    private final JsonNode dashboard = new JsonMapper().readTree(Delivery.read("helm/weir/files/dashboard.json"));

    @Test
    void alertsAreThoseOfTheDocument() {
        Matcher block = Pattern.compile("(?s)```yaml\\n(groups:.*?)```").matcher(Delivery.read("docs/metrics.md"));
        assertThat(block.find()).isTrue();
        assertThat(Delivery.yaml("helm/weir/files/alerts.yaml")).isEqualTo(new Yaml().load(block.group(1)));
        check("helm/weir/files/alerts.yaml");
    }

    @Test
    void metricsOfTheDashboardAreInTheDocument() {
        Set<String> known = new TreeSet<>();
        METRIC.matcher(Delivery.read("docs/metrics.md")).results().forEach(metric -> known.add(metric.group()));
        Set<String> asked = new TreeSet<>();
        for (String expression : expressions()) {
            METRIC.matcher(expression)
                    .results()
                    .forEach(metric -> asked.add(metric.group().replaceAll("_bucket$", "")));
        }
        assertThat(asked).hasSizeGreaterThan(15);
        assertThat(known).containsAll(asked);
    }

    /** promtool reads the expressions as alerts, with values for Grafana's variables. */
    @Test
    void expressionsAreOnesOfPrometheus(@TempDir Path folder) throws IOException {
        List<Map<String, Object>> rules = new ArrayList<>();
        for (String expression : expressions()) {
            rules.add(Map.of(
                    "alert",
                    "Panel" + rules.size(),
                    "expr",
                    expression.replace("$__rate_interval", "5m").replaceAll("\\$(job|instance|group)", ".*")));
        }
        assertThat(rules).hasSizeGreaterThan(20);
        Path file = folder.resolve("panels.yaml");
        java.nio.file.Files.writeString(
                file, new Yaml().dump(Map.of("groups", List.of(Map.of("name", "panels", "rules", rules)))));
        check(file.toString());
    }

    @Test
    void legendsNameLabelsThatAreLeft() {
        for (JsonNode target : targets()) {
            String expression = target.path("expr").asString();
            Matcher label = LABEL.matcher(target.path("legendFormat").asString());
            while (label.find()) {
                String name = label.group(1);
                assertThat(expression.contains("by (") ? expression : name)
                        .as(expression)
                        .containsPattern("by \\([^)]*\\b" + name + "\\b|^" + name + "$");
            }
        }
    }

    @Test
    void panelsDoNotLieOnEachOther() {
        Set<String> taken = new TreeSet<>();
        Set<Integer> ids = new TreeSet<>();
        for (JsonNode panel : dashboard.path("panels").values()) {
            assertThat(ids.add(panel.path("id").asInt())).isTrue();
            JsonNode place = panel.path("gridPos");
            for (int x = 0; x < place.path("w").asInt(); x++) {
                for (int y = 0; y < place.path("h").asInt(); y++) {
                    int column = place.path("x").asInt() + x;
                    assertThat(column).isLessThan(24);
                    assertThat(taken.add(column + "," + (place.path("y").asInt() + y)))
                            .as(panel.path("title").asString())
                            .isTrue();
                }
            }
        }
    }

    private List<JsonNode> targets() {
        List<JsonNode> targets = new ArrayList<>();
        for (JsonNode panel : dashboard.path("panels").values()) {
            targets.addAll(panel.path("targets").values());
        }
        return targets;
    }

    private List<String> expressions() {
        List<String> expressions = new ArrayList<>();
        targets().forEach(target -> expressions.add(target.path("expr").asString()));
        for (JsonNode annotation : dashboard.path("annotations").path("list").values()) {
            expressions.add(annotation.path("expr").asString());
        }
        return expressions;
    }

    private static void check(String rules) {
        try {
            Process promtool = new ProcessBuilder("promtool", "check", "rules", rules)
                    .redirectErrorStream(true)
                    .start();
            String output = new String(promtool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(promtool.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(promtool.exitValue()).as(output).isZero();
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
