package io.weir.program;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The section "First ten minutes" of README.md works as it is written. */
class FirstMinutesIT {

    private static final String SECTION = "## First ten minutes\n";

    @TempDir
    private Path directory;

    @Test
    void theReadmeWorksAsItIsWritten() throws Exception {
        String all = Files.readString(Path.of("README.md"));
        assertThat(all).contains(SECTION);
        String rest = all.substring(all.indexOf(SECTION) + SECTION.length());
        int end = rest.indexOf("\n## ");
        new DocumentRun(directory).follow(end < 0 ? rest : rest.substring(0, end + 1));
    }
}
