package io.weir.balance;

import io.weir.config.GroupProtocol;
import io.weir.config.InvalidConfigException;
import io.weir.config.MethodSpec;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.random.RandomGenerator;

/** The methods by the names that operators use; one line each. */
public final class BalancingMethods {

    /** Makes a method from its arguments; refuses with {@link InvalidConfigException} those that it does not know. */
    @FunctionalInterface
    private interface Factory {
        BalancingMethod create(Arguments arguments, RandomGenerator chance);
    }

    private static final Map<String, Factory> BY_NAME = new TreeMap<>(Map.of(
            "round_robin", (arguments, chance) -> RoundRobin.create(arguments),
            "least_conn", (arguments, chance) -> LeastConn.create(arguments),
            "ip_hash", (arguments, chance) -> IpHash.create(arguments),
            "hash", (arguments, chance) -> Hash.create(arguments),
            "least_time", (arguments, chance) -> LeastTime.create(arguments),
            "random", Random::create));

    /** What goes by requests and not by sessions; nginx has no more for streams. */
    private static final Set<String> HTTP_ONLY = Set.of("ip_hash");

    private BalancingMethods() {}

    /** Sorted. */
    public static Set<String> names() {
        return Collections.unmodifiableSet(BY_NAME.keySet());
    }

    /**
     * Makes the method that {@code spec} asks for.
     *
     * @param protocol of the group: what a method can go by, and which variables there are
     * @param chance for methods that draw lots; asked under the lock of the zone
     * @throws InvalidConfigException if there is no such method for the protocol (field {@code method}), or it does not
     *     take one of the arguments, or lacks one (field: the argument's name)
     */
    public static BalancingMethod create(MethodSpec spec, GroupProtocol protocol, RandomGenerator chance) {
        Set<String> known = new TreeSet<>(names());
        if (protocol == GroupProtocol.STREAM) {
            known.removeAll(HTTP_ONLY);
        }
        Factory factory = BY_NAME.get(spec.method());
        if (factory == null || !known.contains(spec.method())) {
            throw new InvalidConfigException(
                    "method",
                    "must be one of " + String.join(", ", known)
                            + (factory == null ? "" : ": " + spec.method() + " goes with protocol http only"));
        }
        return factory.create(new Arguments(spec, protocol), chance);
    }
}
