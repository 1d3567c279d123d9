package io.weir.config;

/**
 * One thing wrong with a configuration.
 *
 * @param field where, as a path from the checked object down, such as {@code servers[1].weight}; empty for the object.
 *     {@code servers[*].weight} is that field of all elements together, such as a sum
 * @param message what is wrong and what is allowed, fit to be shown to an operator
 */
public record Violation(String field, String message) {

    /** The same violation, with what stands at {@code from} told as standing at {@code to} (empty: the object). */
    Violation moved(String from, String to) {
        if (!field.equals(from) && !field.startsWith(from + "[") && !field.startsWith(from + ".")) {
            return this;
        }
        String rest = field.substring(from.length());
        return new Violation(to.isEmpty() && rest.startsWith(".") ? rest.substring(1) : to + rest, message);
    }

    /** The same violation seen from the object that holds the checked one at {@code prefix}. */
    public Violation under(String prefix) {
        if (field.isEmpty()) {
            return new Violation(prefix, message);
        }
        return new Violation(field.startsWith("[") ? prefix + field : prefix + "." + field, message);
    }
}
