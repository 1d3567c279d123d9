package io.weir.control.web;

import io.weir.config.Checks;
import org.jspecify.annotations.Nullable;

/** The field {@code name} of a resource that has its name in its path too. */
public final class Names {

    private static final String NAME = "name";

    private Names() {}

    /** Whether a resource may be called that. */
    public static boolean isName(String text) {
        return !new Checks().name(NAME, text).hasViolations();
    }

    /**
     * Reads it.
     *
     * @param inPath what the path says; then the field may be absent, or must say the same
     */
    public static String read(Fields fields, @Nullable String inPath) {
        if (inPath == null) {
            fields.require(NAME);
            String name = fields.text(NAME);
            if (name != null) {
                fields.checks().name(fields.at(NAME), name);
            }
            return name == null ? "" : name;
        }
        fields.checks().name(fields.at(NAME), inPath);
        if (!fields.text(NAME, inPath).equals(inPath)) {
            fields.fault(NAME, "must be " + inPath + ", as in the path, or absent");
        }
        return inPath;
    }
}
