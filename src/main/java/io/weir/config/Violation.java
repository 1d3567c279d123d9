package io.weir.config;

/**
 * One thing wrong with a configuration.
 *
 * @param field where, as a path from the checked object down, such as {@code servers[1].weight}; empty for the object
 * @param message what is wrong and what is allowed, fit to be shown to an operator
 */
public record Violation(String field, String message) {

    /** The same violation seen from the object that holds the checked one at {@code prefix}. */
    public Violation under(String prefix) {
        if (field.isEmpty()) {
            return new Violation(prefix, message);
        }
        return new Violation(field.startsWith("[") ? prefix + field : prefix + "." + field, message);
    }
}
