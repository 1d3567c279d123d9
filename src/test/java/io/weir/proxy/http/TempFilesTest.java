package io.weir.proxy.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class TempFilesTest {

    @TempDir
    private Path parent;

    @Test
    void folderIsMadeAndWhatAnEarlierProcessLeftIsRemoved() throws Exception {
        Path folder = parent.resolve("a/b");
        new TempFiles(folder).close();
        assertThat(folder).isDirectory();
        Path left = Files.writeString(folder.resolve("weir-body-1"), "body");
        Path other = Files.writeString(folder.resolve("other"), "not Weir's");
        new TempFiles(folder).close();
        assertThat(left).doesNotExist();
        assertThat(other).exists();
    }

    /** So that nothing is left of it, however the process ends. */
    @Test
    @DisabledOnOs(OS.WINDOWS)
    void fileHasNoNameWhileItIsUsed() throws Exception {
        try (TempFiles files = new TempFiles(parent);
                FileChannel file = files.open()) {
            assertThat(parent).isEmptyDirectory();
            file.write(ByteBuffer.wrap(new byte[] {1, 2}));
            ByteBuffer read = ByteBuffer.allocate(2);
            file.read(read, 0);
            assertThat(read.array()).containsExactly(1, 2);
        }
    }

    @Test
    void placeWhereNoFileCanBeMadeIsRefused() throws Exception {
        Path file = Files.createFile(parent.resolve("file"));
        assertThatThrownBy(() -> new TempFiles(file)).isInstanceOf(IOException.class);
    }
}
