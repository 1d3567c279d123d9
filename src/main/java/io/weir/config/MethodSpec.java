package io.weir.config;

import java.util.Map;
import java.util.TreeMap;

/**
 * A balancing method as the operator named it; the method that owns it reads the arguments.
 *
 * @param method such as {@code round_robin}
 * @param arguments by name; values are strings, booleans or numbers
 */
public record MethodSpec(String method, Map<String, Object> arguments) {

    public static final MethodSpec ROUND_ROBIN = new MethodSpec("round_robin", Map.of());

    public MethodSpec {
        arguments = Map.copyOf(arguments);
    }

    @Override
    public String toString() {
        return arguments.isEmpty() ? method : method + " " + new TreeMap<>(arguments);
    }
}
