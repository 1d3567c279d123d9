package io.weir.config;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Collects everything wrong with an object, so that an operator sees all of it at once.
 *
 * <p>Used by the compact constructors of this package and by whatever builds them from text. Not thread-safe.
 */
public final class Checks {

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}");

    private final List<Violation> violations = new ArrayList<>();

    /** Records a violation unless {@code ok}. */
    public Checks check(boolean ok, String field, String message) {
        if (!ok) {
            violations.add(new Violation(field, message));
        }
        return this;
    }

    /** A name as the API allows it: 1 to 64 letters, digits, dots, underscores and hyphens. */
    public Checks name(String field, String value) {
        // "." and ".." would be swallowed by every URL parser between a client and the API
        return check(
                NAME.matcher(value).matches() && !value.equals(".") && !value.equals(".."),
                field,
                "must be 1 to 64 characters of A-Z a-z 0-9 . _ - and not . or ..");
    }

    /** A whole number between {@code least} and {@code most}, both included. */
    public Checks range(String field, long value, long least, long most) {
        return check(value >= least && value <= most, field, "must be between " + least + " and " + most);
    }

    /** A size between {@code least} and {@code most} bytes, both included. */
    public Checks size(String field, ByteSize value, long least, long most) {
        return range(field, value.bytes(), least, most);
    }

    /** Adds the violations of a part that stands at {@code prefix}. */
    public Checks under(String prefix, List<Violation> part) {
        part.forEach(v -> violations.add(v.under(prefix)));
        return this;
    }

    /** Adds what another has found of a part that stands at {@code prefix}. */
    public Checks under(String prefix, Checks part) {
        return under(prefix, part.violations);
    }

    /**
     * Runs {@code part} and keeps its violations, told as standing at {@code prefix} (empty: as they are).
     *
     * <p>Of a field that was found wrong before, in whole or in part, nothing more is told: what {@code part} got in its
     * place is not what was sent.
     *
     * @return what it made, or null if it was refused
     */
    public <T> @Nullable T attempt(String prefix, Supplier<T> part) {
        try {
            return part.get();
        } catch (InvalidConfigException e) {
            List<Violation> found = new ArrayList<>();
            for (Violation violation : e.violations()) {
                Violation told = prefix.isEmpty() ? violation : violation.under(prefix);
                if (violations.stream().noneMatch(known -> isWithin(known.field(), told.field()))) {
                    found.add(told);
                }
            }
            violations.addAll(found);
            return null;
        }
    }

    private static boolean isWithin(String field, String whole) {
        return !whole.isEmpty()
                && field.startsWith(whole)
                && (field.length() == whole.length() || ".[".indexOf(field.charAt(whole.length())) >= 0);
    }

    public boolean hasViolations() {
        return !violations.isEmpty();
    }

    /**
     * Ends the checking.
     *
     * @throws InvalidConfigException with everything that was found, if anything was
     */
    public void done() {
        if (!violations.isEmpty()) {
            throw new InvalidConfigException(violations);
        }
    }
}
