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
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
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

    /** Those of application.yaml, with their values. */
    private static final Map<String, Object> DEFAULTS = defaults();

    private static final Set<String> NAMES = names();

    private Properties() {}

    static boolean exists(String property) {
        return NAMES.contains(property);
    }

    /** Whether an environment variable sets a property. */
    static boolean isVariable(String name) {
        return NAMES.stream().anyMatch(property -> variable(property).equals(name));
    }

    /** The name by which the environment sets a property. */
    static String variable(String property) {
        return property.toUpperCase(Locale.ROOT).replace(".", "_").replace("-", "");
    }

    /** The default in application.yaml. */
    static String value(String property) {
        Object value = DEFAULTS.get(property);
        if (value == null) {
            throw new IllegalArgumentException("application.yaml has no " + property);
        }
        return value.toString();
    }

    private static Map<String, Object> defaults() {
        Map<String, Object> defaults = new TreeMap<>();
        try {
            for (PropertySource<?> source :
                    new YamlPropertySourceLoader().load("defaults", new ClassPathResource("application.yaml"))) {
                for (String name : ((EnumerablePropertySource<?>) source).getPropertyNames()) {
                    defaults.put(name, source.getProperty(name));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return defaults;
    }

    private static Set<String> names() {
        Set<String> names = new TreeSet<>(DEFAULTS.keySet());
        try (Stream<Path> sources = Files.walk(Path.of("src/main/java"))) {
            for (Path source : sources.filter(Files::isRegularFile).toList()) {
                PLACEHOLDER
                        .matcher(Files.readString(source))
                        .results()
                        .forEach(placeholder -> names.add(placeholder.group(1)));
            }
            for (URL url : Collections.list(Properties.class.getClassLoader().getResources(METADATA))) {
                try (InputStream in = url.openStream()) {
                    for (JsonNode property :
                            new JsonMapper().readTree(in).path("properties").values()) {
                        names.add(property.path("name").asString());
                    }
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return names;
    }
}
