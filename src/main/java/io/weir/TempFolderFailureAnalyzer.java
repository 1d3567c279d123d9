package io.weir;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says which setting it is, instead of a stack trace. */
class TempFolderFailureAnalyzer extends AbstractFailureAnalyzer<TempFolderException> {

    @Override
    protected FailureAnalysis analyze(Throwable root, TempFolderException failure) {
        return new FailureAnalysis(
                failure.getMessage(),
                "Set weir.data-plane.temp-dir (WEIR_DATAPLANE_TEMPDIR) to a folder on a disk that Weir may write to.",
                failure);
    }
}
