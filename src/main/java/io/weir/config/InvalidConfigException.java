package io.weir.config;

import java.util.List;
import java.util.stream.Collectors;

/** A configuration that Weir refuses. Nothing has been changed when it is thrown. */
public final class InvalidConfigException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    @SuppressWarnings("serial") // the list is immutable and of records; it is never serialized
    private final List<Violation> violations;

    public InvalidConfigException(List<Violation> violations) {
        super(violations.stream().map(v -> v.field() + ": " + v.message()).collect(Collectors.joining("; ")));
        this.violations = List.copyOf(violations);
    }

    public InvalidConfigException(String field, String message) {
        this(List.of(new Violation(field, message)));
    }

    /** The same for a document in which what stands at {@code from} here stands at {@code to}. */
    public InvalidConfigException moved(String from, String to) {
        return new InvalidConfigException(
                violations.stream().map(v -> v.moved(from, to)).toList());
    }

    /** What is wrong, at least one entry, in the order found. */
    public List<Violation> violations() {
        return violations;
    }
}
