package io.weir.control.change;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says in two sentences why Weir does not start, instead of a stack trace. */
class StartupFailureAnalyzer extends AbstractFailureAnalyzer<StartupException> {

    @Override
    protected FailureAnalysis analyze(Throwable root, StartupException failure) {
        return new FailureAnalysis(
                failure.getMessage(),
                "Free the port or whatever else is named above, start the database, choose another"
                        + " weir.first-listener.port, or point spring.datasource.url at another database.",
                failure);
    }
}
