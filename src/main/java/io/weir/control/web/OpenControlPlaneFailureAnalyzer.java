package io.weir.control.web;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says how to make it safe, instead of a stack trace. */
class OpenControlPlaneFailureAnalyzer extends AbstractFailureAnalyzer<OpenControlPlaneException> {

    @Override
    protected FailureAnalysis analyze(Throwable root, OpenControlPlaneException failure) {
        return new FailureAnalysis(
                failure.getMessage(),
                "Set weir.admin.token (WEIR_ADMIN_TOKEN) to a secret, or server.address (SERVER_ADDRESS) to 127.0.0.1.",
                failure);
    }
}
