package io.weir.deploy;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ClassPathResource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The properties that Weir reads: its own, and those of Spring Boot. */
final class Properties {

    private static final Pattern PLACEHOLDER = Pattern.compile("\\$\\{(weir\\.[a-z.-]+)[:}]");
    private static final String METADATA = "META-INF/spring-configuration-metadata.json";

    /** With their defaults, which are empty if none is known. */
    private static final Map<String, String> ALL = all();

    private Properties() {}

    static boolean exists(String property) {
        return ALL.containsKey(property);
    }

    /** Whether an environment variable sets a property. */
    static boolean isVariable(String name) {
        return ALL.keySet().stream().anyMatch(property -> variable(property).equals(name));
    }

    /** The name by which the environment sets a property. */
    static String variable(String property) {
        return property.toUpperCase(Locale.ROOT).replace(".", "_").replace("-", "");
    }

    /** The default of a property that has one. */
    static String value(String property) {
        String value = ALL.getOrDefault(property, "");
        if (value.isEmpty()) {
            throw new IllegalArgumentException(property + " has no default");
        }
        return value;
    }

    private static Map<String, String> all() {
        Map<String, String> all = new TreeMap<>();
        try {
            addPlaceholders(all);
            addMetadata(all);
            addDefaults(all);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return all;
    }

    private static void addPlaceholders(Map<String, String> all) throws IOException {
        try (Stream<Path> sources = Files.walk(Path.of("src/main/java"))) {
            for (Path source : sources.filter(Files::isRegularFile).toList()) {
                PLACEHOLDER
                        .matcher(Files.readString(source))
                        .results()
                        .forEach(placeholder -> all.put(placeholder.group(1), ""));
            }
        }
    }

    /** What the compiler has found, for each jar. */
    private static void addMetadata(Map<String, String> all) throws IOException {
        for (URL url : Collections.list(Properties.class.getClassLoader().getResources(METADATA))) {
            try (InputStream in = url.openStream()) {
                for (JsonNode property :
                        new JsonMapper().readTree(in).path("properties").values()) {
                    all.put(
                            property.path("name").asString(),
                            property.path("defaultValue").asString(""));
                }
            }
        }
    }

    /** Those of application.yaml, which are stronger. */
    private static void addDefaults(Map<String, String> all) throws IOException {
        for (PropertySource<?> source :
                new YamlPropertySourceLoader().load("defaults", new ClassPathResource("application.yaml"))) {
            for (String name : ((EnumerablePropertySource<?>) source).getPropertyNames()) {
                all.put(name, String.valueOf(source.getProperty(name)));
            }
        }
    }
}
