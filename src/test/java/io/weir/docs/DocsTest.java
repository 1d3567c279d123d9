package io.weir.docs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.weir.balance.BalancingMethods;
import io.weir.config.ActiveConfig;
import io.weir.config.StreamVariable;
import io.weir.config.Variable;
import io.weir.metrics.BuildInfo;
import io.weir.metrics.ListenerCollector;
import io.weir.metrics.ZoneCollector;
import io.weir.upstream.AddressResolver;
import io.weir.upstream.Upstreams;
import io.weir.zone.Ticker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.core.io.ClassPathResource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What the documents list is what the code has, and the other way round. */
class DocsTest {

    private static final Pattern LINK = Pattern.compile("\\[[^\\]]*]\\(([^)\\s]+)\\)");
    private static final Pattern HEADING = Pattern.compile("(?m)^#+ +(.*)$");

    @Test
    void everyJsonBlockIsJson() {
        for (Path file : Docs.all()) {
            for (Docs.Block block : Docs.blocks(file)) {
                if (block.language().equals("json")) {
                    assertThatCode(() -> new JsonMapper().readTree(block.text()))
                            .as("%s, line %d", file.getFileName(), block.line())
                            .doesNotThrowAnyException();
                }
            }
        }
    }

    @Test
    void linksWithinTheProjectLeadSomewhere() {
        for (Path file : Docs.all()) {
            Matcher link = LINK.matcher(Docs.read(file));
            while (link.find()) {
                String target = link.group(1);
                if (target.startsWith("http:") || target.startsWith("https:")) {
                    continue;
                }
                String[] parts = target.split("#", 2);
                Path to = parts[0].isEmpty()
                        ? file
                        : file.resolveSibling(parts[0]).normalize();
                assertThat(to).as("%s: %s", file.getFileName(), target).exists();
                if (parts.length == 2) {
                    assertThat(anchors(to))
                            .as("%s: %s", file.getFileName(), target)
                            .contains(parts[1]);
                }
            }
        }
    }

    private static List<String> anchors(Path file) {
        return HEADING.matcher(Docs.read(file))
                .results()
                .map(heading -> heading.group(1)
                        .toLowerCase(java.util.Locale.ROOT)
                        .replaceAll("[^a-z0-9 _-]", "")
                        .replace(' ', '-'))
                .toList();
    }

    @Test
    void everyAdrStandsUnderItsNumber() {
        for (Path file : Docs.all()) {
            if (file.getParent().endsWith("adr")) {
                String name = file.getFileName().toString();
                assertThat(Docs.read(file)).as(name).startsWith("# " + Integer.parseInt(name.substring(0, 4)) + ". ");
            }
        }
    }

    /** The text of the document is that of the records that hold the properties. */
    @Test
    void propertiesOfWeirAreInConfigurationMd() throws IOException {
        StringBuilder rows = new StringBuilder();
        for (JsonNode property : metadata().path("properties").values()) {
            String name = property.path("name").asString();
            String value = property.path("defaultValue").asString("");
            rows.append("| `")
                    .append(name)
                    .append("` | `")
                    .append(variable(name))
                    .append("` | ")
                    .append(value.isEmpty() ? "none" : "`" + value + "`")
                    .append(" | ")
                    .append(property.path("description").asString())
                    .append(" |\n");
            assertThat(property.path("description").asString("")).as(name).isNotBlank();
        }
        assertThat(rows).contains("| `weir.admin.token` |");
        assertThat(Docs.read(Docs.file("docs/configuration.md")))
                .as("the table of docs/configuration.md should be\n%s", rows)
                .contains("| --- | --- | --- | --- |\n" + rows + "\n");
        assertThat(Docs.firstCells("docs/configuration.md", Pattern.compile("weir\\..*")))
                .hasSize(metadata().path("properties").size());
    }

    /** What the annotation processor has found in the records. */
    private static JsonNode metadata() throws IOException {
        return new JsonMapper()
                .readTree(
                        new ClassPathResource("META-INF/spring-configuration-metadata.json").getContentAsString(UTF_8));
    }

    /** One that an annotation reads past the records would not be checked at the start, nor be in the document. */
    @Test
    void everyPropertyOfWeirIsInARecord() throws IOException {
        try (Stream<Path> sources = Files.walk(Docs.file("src/main/java"))) {
            assertThat(sources.filter(source -> source.toString().endsWith(".java"))
                            .filter(source -> Docs.read(source).contains("${weir.")))
                    .isEmpty();
        }
    }

    @Test
    void namesOfEnvironmentVariablesFollowFromTheProperties() {
        Docs.read(Docs.file("docs/configuration.md"))
                .lines()
                .filter(line -> line.startsWith("| `"))
                .forEach(line -> {
                    String[] cells = line.split("\\|", -1);
                    String property = cells[1].strip().replace("`", "");
                    assertThat(cells[2].strip()).isEqualTo("`" + variable(property) + "`");
                });
    }

    private static String variable(String property) {
        return property.toUpperCase(java.util.Locale.ROOT).replace(".", "_").replace("-", "");
    }

    @Test
    void variablesAreInRoutingAndProxyingMd() {
        Set<String> variables = new TreeSet<>();
        Variable.names().forEach(name -> variables.add("$" + name));
        Variable.prefixes().forEach(prefix -> variables.add("$" + prefix + "NAME"));
        Variable.logPrefixes().forEach(prefix -> variables.add("$" + prefix + "NAME"));
        assertThat(Docs.firstCells("docs/routing-and-proxying.md", Pattern.compile("\\$.*")))
                .isEqualTo(variables);
    }

    @Test
    void variablesOfStreamsAreInStreamsMd() {
        assertThat(Docs.firstCells("docs/streams.md", Pattern.compile("\\$.*")))
                .isEqualTo(StreamVariable.names().stream()
                        .map(name -> "$" + name)
                        .collect(Collectors.toCollection(TreeSet::new)));
    }

    @Test
    void balancingMethodsAreInTheTables() {
        Pattern method = Pattern.compile("[a-z_]+");
        assertThat(Docs.firstCells("README.md", method)).isEqualTo(BalancingMethods.names());
        assertThat(Docs.firstCells("docs/balancing.md", method)).containsAll(BalancingMethods.names());
    }

    @Test
    void metricsAreInMetricsMd() {
        PrometheusRegistry registry = new PrometheusRegistry();
        Upstreams upstreams = new Upstreams(Ticker.system(), AddressResolver.system());
        registry.register(new ZoneCollector(
                upstreams, new ActiveConfig(List.of(upstreams)), Clock.systemUTC(), new BuildInfo("1", "2")));
        registry.register(new ListenerCollector(List::of));
        Set<String> metrics = new TreeSet<>();
        for (MetricSnapshot family : registry.scrape()) {
            String suffix =
                    family instanceof CounterSnapshot ? "_total" : family instanceof InfoSnapshot ? "_info" : "";
            metrics.add(family.getMetadata().getPrometheusName() + suffix);
        }
        // these are the data plane's own, registered by DataPlaneConfiguration
        metrics.add("weir_connections");
        metrics.add("weir_connections_accepted_total");
        metrics.add("weir_connections_refused_total");
        metrics.add("weir_drains_active");
        metrics.add("weir_drains_total");
        metrics.add("weir_access_log_dropped_lines_total");
        // and these the store's, registered by StoreMetrics
        metrics.add("weir_store_up");
        metrics.add("weir_config_stored_revision");
        metrics.add("weir_config_apply_failures_total");
        metrics.add("weir_last_good_revision");
        metrics.add("weir_nodes");
        assertThat(Docs.firstCells("docs/metrics.md", Pattern.compile("weir_.*")))
                .isEqualTo(metrics);
    }

    @Test
    void alertsAskForMetricsThatExist() {
        Set<String> known = Docs.firstCells("docs/metrics.md", Pattern.compile("weir_.*"));
        Docs.blocks(Docs.file("docs/metrics.md")).stream()
                .filter(block -> block.language().equals("yaml"))
                .flatMap(block ->
                        Pattern.compile("\\bweir_[a-z_]+").matcher(block.text()).results())
                .map(metric -> metric.group().replaceAll("_bucket$", ""))
                .forEach(metric -> assertThat(known).contains(metric));
    }
}
