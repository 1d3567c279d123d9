package io.weir.control.store;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says who else may have the database file open, instead of a stack trace. */
class LockedStoreFailureAnalyzer extends AbstractFailureAnalyzer<SQLException> {

    /** DATABASE_ALREADY_OPEN_1 of H2, which is not on the class path of the compiler. */
    private static final int ALREADY_OPEN = 90020;

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable root, SQLException failure) {
        if (failure.getErrorCode() != ALREADY_OPEN) {
            return null;
        }
        return new FailureAnalysis(
                "The database file is in use by another process: " + failure.getMessage(),
                "Stop the other Weir that runs in this directory, or give this one a file of its own by"
                        + " spring.datasource.url. Several replicas share a PostgreSQL, never a file.",
                failure);
    }
}
