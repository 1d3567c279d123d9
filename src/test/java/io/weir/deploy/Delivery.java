package io.weir.deploy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.yaml.snakeyaml.Yaml;

/** Files of this project, read as what they are. Tests run in the project's folder. */
final class Delivery {

    private static final Pattern VERSION =
            Pattern.compile("<artifactId>weir</artifactId>\\s*<version>([^<]+)</version>");
    private static final Pattern POSTGRES = Pattern.compile("<postgres-binaries.version>(\\d+)\\.");

    private Delivery() {}

    static String read(String file) {
        try {
            return Files.readString(Path.of(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Map<String, Object> yaml(String file) {
        return new Yaml().load(read(file));
    }

    /** The version that pom.xml gives. */
    static String version() {
        return find(VERSION);
    }

    /** The PostgreSQL that tests run on. */
    static String postgresMajor() {
        return find(POSTGRES);
    }

    private static String find(Pattern pattern) {
        Matcher found = pattern.matcher(read("pom.xml"));
        if (!found.find()) {
            throw new IllegalStateException("pom.xml has no " + pattern);
        }
        return found.group(1);
    }

    /** What stands at a path of keys, of which a number is an index. */
    static Object at(Object tree, Object... path) {
        Object here = tree;
        for (Object step : path) {
            here = step instanceof Integer index ? ((List<?>) here).get(index) : ((Map<?, ?>) here).get(step);
        }
        return here;
    }

    @SuppressWarnings("unchecked")
    static Map<String, Object> map(Object tree, Object... path) {
        Object found = at(tree, path);
        return found == null ? Map.of() : (Map<String, Object>) found;
    }

    @SuppressWarnings("unchecked")
    static <T> List<T> list(Object tree, Object... path) {
        Object found = at(tree, path);
        return found == null ? List.of() : (List<T>) found;
    }
}
