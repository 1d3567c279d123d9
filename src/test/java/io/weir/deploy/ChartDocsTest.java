package io.weir.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What the chart, its schema and docs/kubernetes.md say of the same things. */
class ChartDocsTest {

    private static final Pattern ROW = Pattern.compile("(?m)^\\| `([a-zA-Z0-9.]+)` \\| (.+?) \\|");

    private final Map<String, Object> values = Delivery.yaml("helm/weir/values.yaml");

    @Test
    void everyValueIsInTheTableWithItsDefault() {
        Map<String, String> rows = new TreeMap<>();
        Matcher row = ROW.matcher(Delivery.read("docs/kubernetes.md"));
        while (row.find()) {
            rows.put(row.group(1), row.group(2));
        }
        Map<String, String> defaults = new TreeMap<>();
        leaves("", values, defaults);
        assertThat(rows.keySet()).isEqualTo(defaults.keySet());
        rows.forEach((name, shown) -> {
            if (shown.startsWith("`")) {
                assertThat(shown).as(name).isEqualTo("`" + defaults.get(name) + "`");
            } else {
                assertThat(shown).as(name).isIn("empty", "see values.yaml");
                assertThat(List.of("", "[]", "{}").contains(defaults.get(name)))
                        .as(name)
                        .isEqualTo(shown.equals("empty"));
            }
        });
    }

    /** Each with its value; what an operator fills as a whole is one. */
    private static void leaves(String prefix, Map<String, Object> tree, Map<String, String> into) {
        tree.forEach((key, value) -> {
            if (value instanceof Map<?, ?> map && !map.isEmpty() && !key.equals("resources") && !key.equals("labels")) {
                leaves(prefix + key + ".", Delivery.map(map), into);
            } else {
                into.put(prefix + key, String.valueOf(value));
            }
        });
    }

    @Test
    void theSchemaKnowsEveryValue() {
        Set<String> known = new TreeSet<>();
        schema("", new JsonMapper().readTree(Delivery.read("helm/weir/values.schema.json")), known);
        Map<String, String> defaults = new TreeMap<>();
        leaves("", values, defaults);
        known.removeIf(name -> name.equals("global") || name.startsWith("resources."));
        known.add("resources");
        assertThat(known).isEqualTo(defaults.keySet());
    }

    private static void schema(String prefix, JsonNode node, Set<String> into) {
        for (Map.Entry<String, JsonNode> property : node.path("properties").properties()) {
            if (property.getValue().has("properties")) {
                schema(prefix + property.getKey() + ".", property.getValue(), into);
            } else {
                into.add(prefix + property.getKey());
            }
        }
    }

    @Test
    void theChartIsOfThisVersion() {
        assertThat(Delivery.yaml("helm/weir/Chart.yaml")).containsEntry("appVersion", Delivery.version());
    }
}
