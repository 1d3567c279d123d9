package io.weir.config;

import java.util.List;

/** Not all of the running side follows a configuration that was committed. The first failure is the cause. */
public final class IncompleteCommitException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** @param failures at least one */
    IncompleteCommitException(List<Throwable> failures) {
        super("the configuration was committed, and does not run whole", failures.get(0));
        failures.stream().skip(1).forEach(this::addSuppressed);
    }
}
