package io.weir.control.access;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says how to make it safe, instead of a stack trace. */
class AccessFailureAnalyzer extends AbstractFailureAnalyzer<AccessException> {

    @Override
    protected FailureAnalysis analyze(Throwable root, AccessException failure) {
        return new FailureAnalysis(failure.getMessage(), failure.action(), failure);
    }
}
