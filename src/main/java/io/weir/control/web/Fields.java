package io.weir.control.web;

import io.weir.config.Checks;
import io.weir.config.InvalidConfigException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Reads the fields of a JSON object and keeps every fault it meets, with its path, in {@link Checks}; a field with a fault
 * reads as its default, so that reading goes on and all faults are told at once.
 *
 * <p>{@link #end} reports the fields that nobody asked for. Nothing is coerced: a string is no number, {@code 1.0} is no
 * whole number, and null is a fault.
 */
public final class Fields {

    private final JsonNode object;
    private final String path;
    private final Checks checks;
    private final Set<String> known = new HashSet<>();

    private Fields(JsonNode object, String path, Checks checks) {
        this.object = object;
        this.path = path;
        this.checks = checks;
    }

    /**
     * The fields of a whole document.
     *
     * @throws InvalidConfigException if it is no object
     */
    public static Fields of(JsonNode document, Checks checks) {
        if (!document.isObject()) {
            throw new InvalidConfigException("", "must be a JSON object");
        }
        return new Fields(document, "", checks);
    }

    public Checks checks() {
        return checks;
    }

    /** The path of a field of this object. */
    public String at(String name) {
        return path.isEmpty() ? name : path + "." + name;
    }

    /** The path of this object. */
    public String path() {
        return path;
    }

    public boolean has(String name) {
        return object.has(name);
    }

    /** The names that are there, in their order. */
    public List<String> names() {
        return List.copyOf(object.propertyNames());
    }

    /** Reports a fault of a field. */
    public void fault(String name, String message) {
        checks.check(false, at(name), message);
    }

    /** A value of any type, or null if the field is absent or null; the caller judges it. */
    public @Nullable JsonNode any(String name) {
        JsonNode value = get(name);
        return value == null || fails(name, !value.isNull(), "must not be null") ? null : value;
    }

    public @Nullable String text(String name) {
        JsonNode value = any(name);
        return value == null || fails(name, value.isString(), "must be a string") ? null : value.stringValue();
    }

    public String text(String name, String otherwise) {
        String value = text(name);
        return value == null ? otherwise : value;
    }

    /** Reports a field that must be there and is not. */
    public void require(String name) {
        if (get(name) == null) {
            fault(name, "is required");
        }
    }

    public boolean flag(String name, boolean otherwise) {
        JsonNode value = any(name);
        return value == null || fails(name, value.isBoolean(), "must be true or false")
                ? otherwise
                : value.booleanValue();
    }

    /**
     * A whole number. One that is no int reads as the nearest int, for the range of the field to refuse: that tells what
     * is allowed. A field that allows the greatest int is read by {@link #unbounded}.
     */
    public @Nullable Integer integer(String name) {
        JsonNode value = any(name);
        if (value == null || fails(name, value.isIntegralNumber(), "must be a whole number")) {
            return null;
        }
        return value.canConvertToInt()
                ? value.intValue()
                : value.bigIntegerValue().signum() < 0 ? Integer.MIN_VALUE : Integer.MAX_VALUE;
    }

    public int integer(String name, int otherwise) {
        Integer value = integer(name);
        return value == null ? otherwise : value;
    }

    /** A whole number of a field that has no upper bound but the greatest int. */
    public int unbounded(String name, int otherwise) {
        Integer value = integer(name);
        return value == null
                        || fails(name, object.get(name).canConvertToInt() || value < 0, "must be at most 2147483647")
                ? otherwise
                : value;
    }

    /**
     * A string in a syntax of its own.
     *
     * @param parser throws {@link InvalidConfigException} with an empty field
     */
    public <T> T parsed(String name, T otherwise, Function<String, T> parser) {
        String text = text(name);
        if (text == null) {
            return otherwise;
        }
        T value = checks.attempt(at(name), () -> parser.apply(text));
        return value == null ? otherwise : value;
    }

    /** The fields of an object within this one, or null. */
    public @Nullable Fields object(String name) {
        JsonNode value = any(name);
        return value == null || fails(name, value.isObject(), "must be an object")
                ? null
                : new Fields(value, at(name), checks);
    }

    /** The objects of an array, or null if the field is absent. */
    public @Nullable List<Fields> objects(String name) {
        List<JsonNode> values = array(name);
        if (values == null) {
            return null;
        }
        List<Fields> objects = new ArrayList<>();
        for (int i = 0; i < values.size(); i++) {
            String at = name + "[" + i + "]";
            if (!fails(at, values.get(i).isObject(), "must be an object")) {
                objects.add(new Fields(values.get(i), at(at), checks));
            }
        }
        return objects;
    }

    /** The strings of an array, each in a syntax of its own; {@code otherwise} if the field is absent. */
    public <T> List<T> parsedTexts(String name, List<T> otherwise, Function<String, T> parser) {
        List<JsonNode> values = array(name);
        if (values == null) {
            return otherwise;
        }
        List<T> parsed = new ArrayList<>();
        for (int i = 0; i < values.size(); i++) {
            String at = name + "[" + i + "]";
            JsonNode value = values.get(i);
            if (!fails(at, value.isString(), "must be a string")) {
                T item = checks.attempt(at(at), () -> parser.apply(value.stringValue()));
                if (item != null) {
                    parsed.add(item);
                }
            }
        }
        return parsed;
    }

    public List<String> texts(String name) {
        return parsedTexts(name, List.of(), text -> text);
    }

    /** The whole numbers of an array, or null if the field is absent or one of them is none. */
    public @Nullable List<Integer> integers(String name) {
        List<JsonNode> values = array(name);
        if (values == null) {
            return null;
        }
        List<Integer> integers = new ArrayList<>();
        for (int i = 0; i < values.size(); i++) {
            JsonNode value = values.get(i);
            if (!fails(
                    name + "[" + i + "]",
                    value.isIntegralNumber() && value.canConvertToInt(),
                    "must be a whole number")) {
                integers.add(value.intValue());
            }
        }
        return integers.size() == values.size() ? integers : null;
    }

    /** The strings of an object by their names, each in a syntax of its own; empty if the field is absent. */
    public <T> Map<String, T> textMap(String name, Function<String, T> parser) {
        Fields map = object(name);
        if (map == null) {
            return Map.of();
        }
        Map<String, T> values = new LinkedHashMap<>();
        for (String key : map.names()) {
            String text = map.text(key);
            if (text != null) {
                T value = checks.attempt(map.at(key), () -> parser.apply(text));
                if (value != null) {
                    values.put(key, value);
                }
            }
        }
        return values;
    }

    /** Reports the fields that nobody asked for. */
    public void end() {
        for (String name : object.propertyNames()) {
            checks.check(known.contains(name), at(name), "is not a field here");
        }
    }

    private @Nullable List<JsonNode> array(String name) {
        JsonNode value = any(name);
        return value == null || fails(name, value.isArray(), "must be an array") ? null : List.copyOf(value.values());
    }

    private @Nullable JsonNode get(String name) {
        known.add(name);
        return object.get(name);
    }

    private boolean fails(String name, boolean ok, String message) {
        checks.check(ok, at(name), message);
        return !ok;
    }
}
