package io.weir.proxy.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.config.ByteSize;
import io.weir.config.LogRotation;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileSinkTest {

    private static final LogRotation DAILY = new LogRotation(ByteSize.parse("0"), true, 3);

    @TempDir
    private Path folder;

    private final MovableClock clock = new MovableClock();
    private Path file;
    private @Nullable FileSink sink;

    private static final class MovableClock extends Clock {
        private Instant now = Instant.now();

        @Override
        public Instant instant() {
            return now;
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            throw new UnsupportedOperationException();
        }
    }

    @BeforeEach
    void path() {
        file = folder.resolve("logs/access.log");
    }

    @AfterEach
    void close() {
        if (sink != null) {
            sink.close();
        }
    }

    private FileSink open(@Nullable LogRotation rotation) throws IOException {
        FileSink opened = new FileSink(file, rotation, clock);
        opened.open();
        sink = opened;
        return opened;
    }

    private static void write(FileSink to, String text) throws IOException {
        to.write(ByteBuffer.wrap(text.getBytes(UTF_8)));
    }

    private String older(int number) throws IOException {
        return Files.readString(file.resolveSibling("access.log." + number));
    }

    @Test
    void goesOnWithAFileThatIsThere() throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, "before\n");
        write(open(null), "after\n");
        assertThat(file).hasContent("before\nafter\n");
    }

    @Test
    void movedFileIsLeftAlone() throws IOException {
        FileSink to = open(null);
        write(to, "one\n");
        Path moved = folder.resolve("moved");
        Files.move(file, moved);
        write(to, "two\n");
        assertThat(moved).hasContent("one\n");
        assertThat(file).hasContent("two\n");
    }

    @Test
    void fileThatAnotherHasTakenThePlaceOfIsLeftAlone() throws IOException {
        FileSink to = open(null);
        write(to, "one\n");
        Files.move(file, folder.resolve("moved"));
        Files.writeString(file, "made by logrotate\n");
        write(to, "two\n");
        assertThat(file).hasContent("made by logrotate\ntwo\n");
    }

    @Test
    void removedFolderIsMadeAgain() throws IOException {
        FileSink to = open(null);
        write(to, "one\n");
        Files.delete(file);
        Files.delete(file.getParent());
        write(to, "two\n");
        assertThat(file).hasContent("two\n");
    }

    @Test
    void fileThatWasCutOffIsGoneOnWith() throws IOException {
        FileSink to = open(null);
        write(to, "a long line\n");
        try (FileChannel cut = FileChannel.open(file, StandardOpenOption.WRITE)) {
            cut.truncate(0);
        }
        write(to, "two\n");
        assertThat(file).hasContent("two\n");
    }

    @Test
    void failureIsTriedAnew() throws IOException {
        FileSink to = open(null);
        write(to, "one\n");
        Files.delete(file);
        Files.createDirectory(file);
        assertThatThrownBy(() -> write(to, "lost\n"))
                .isInstanceOf(FileSystemException.class)
                .hasMessageContaining("is a folder");
        Files.delete(file);
        write(to, "two\n");
        assertThat(file).hasContent("two\n");
    }

    @Test
    void neverGrowsBeyondItsSize() throws IOException {
        FileSink to = open(new LogRotation(ByteSize.parse("128k"), false, 2));
        String batch = "x".repeat(64 * 1024 - 1) + "\n";
        for (int i = 0; i < 7; i++) {
            write(to, i + batch.substring(1));
        }
        assertThat(Files.size(file)).isEqualTo(64 * 1024);
        assertThat(Files.readString(file)).startsWith("6");
        assertThat(older(1)).startsWith("4").hasSize(128 * 1024);
        assertThat(older(2)).startsWith("2").hasSize(128 * 1024);
        assertThat(file.resolveSibling("access.log.3")).doesNotExist();
    }

    @Test
    void eachDayBeginsANewFile() throws IOException {
        FileSink to = open(DAILY);
        write(to, "monday\n");
        clock.now = clock.now.plus(Duration.ofDays(1));
        write(to, "tuesday\n");
        write(to, "tuesday too\n");
        clock.now = clock.now.plus(Duration.ofDays(1));
        write(to, "wednesday\n");
        assertThat(file).hasContent("wednesday\n");
        assertThat(older(1)).isEqualTo("tuesday\ntuesday too\n");
        assertThat(older(2)).isEqualTo("monday\n");
    }

    @Test
    void fileOfYesterdayIsNotGoneOnWith() throws IOException {
        write(open(DAILY), "yesterday\n");
        close();
        clock.now = clock.now.plus(Duration.ofDays(1));
        write(open(DAILY), "today\n");
        assertThat(file).hasContent("today\n");
        assertThat(older(1)).isEqualTo("yesterday\n");
    }

    @Test
    void rotationThatFailsCostsNoLine() throws IOException {
        FileSink to = open(DAILY);
        write(to, "monday\n");
        // in the way of the oldest, and not to be removed
        Files.createDirectories(file.resolveSibling("access.log.3/full"));
        clock.now = clock.now.plus(Duration.ofDays(1));
        write(to, "tuesday\n");
        assertThat(file).hasContent("monday\ntuesday\n");
    }

    @Test
    void forgettingRemovesWhatOpeningMade() throws IOException {
        FileSink opened = open(null);
        assertThat(file).exists();
        opened.forget();
        assertThat(file.getParent()).doesNotExist();
        assertThat(folder).exists();
    }

    @Test
    void forgettingLeavesWhatWasThere() throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, "");
        open(null).forget();
        assertThat(file).exists();
    }
}
