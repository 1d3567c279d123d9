package io.weir.balance;

import io.weir.config.Checks;
import io.weir.config.InvalidConfigException;
import io.weir.config.MethodSpec;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;

/** The methods by the names that operators use; one line each. */
public final class BalancingMethods {

    private static final Map<String, Supplier<BalancingMethod>> BY_NAME =
            new TreeMap<>(Map.of("round_robin", RoundRobin::new, "least_conn", LeastConn::new));

    private BalancingMethods() {}

    /** Sorted. */
    public static Set<String> names() {
        return Collections.unmodifiableSet(BY_NAME.keySet());
    }

    /**
     * Makes the method that {@code spec} asks for.
     *
     * @throws InvalidConfigException if there is no such method (field {@code method}), or it does not
     *     take one of the arguments (field: the argument's name)
     */
    public static BalancingMethod create(MethodSpec spec) {
        Supplier<BalancingMethod> factory = BY_NAME.get(spec.method());
        if (factory == null) {
            throw new InvalidConfigException("method", "must be one of " + String.join(", ", names()));
        }
        Checks checks = new Checks();
        for (String argument : new TreeSet<>(spec.arguments().keySet())) {
            checks.check(false, argument, "is not an argument of " + spec.method());
        }
        checks.done();
        return factory.get();
    }
}
