package io.weir.program;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What docs/troubleshooting.md says can be seen is seen. */
class TroubleshootingIT {

    @TempDir
    private Path directory;

    @Test
    void everySymptomLooksAsItIsDescribed() throws Exception {
        new DocumentRun(directory).follow(Files.readString(Path.of("docs/troubleshooting.md")));
    }
}
