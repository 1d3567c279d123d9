package io.weir.program;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code kill -9} in the middle of writes, on one database: it always opens again, holds every write that was acknowledged,
 * and the one that was not is there as a whole or not at all.
 *
 * <p>It is {@link StoreWriter} that is killed, as a start of it is cheap and its states are compared whole;
 * {@link CrashedProgramIT} does the same to the packaged jar. Both kill more often with {@code -Dweir.kills=50}.
 */
class CrashIT {

    private static final int KILLS = Integer.getInteger("weir.kills", 10);

    @TempDir
    private Path directory;

    private final Random random = new Random(11);

    @Test
    void everyAcknowledgedWriteOutlivesAKillAndNoneIsThereByHalves() throws Exception {
        String acknowledged = null;
        String begun = null;
        int writes = 0;
        int unacknowledgedButThere = 0;
        for (int kill = 0; kill < KILLS; kill++) {
            // every fifth dies before it has opened the store, or just then
            boolean early = kill % 5 == 4;
            List<String> told = early ? runFor(500 + random.nextInt(3000), kill) : runUntil(random.nextInt(80), kill);
            for (String line : told) {
                if (line.startsWith("LOADED ")) {
                    String loaded = line.substring("LOADED ".length());
                    if (acknowledged != null) {
                        assertThat(loaded).as("after kill %d", kill).isIn(acknowledged, begun);
                        unacknowledgedButThere += loaded.equals(acknowledged) ? 0 : 1;
                    }
                    acknowledged = loaded;
                    begun = loaded;
                } else if (line.startsWith("TRY ")) {
                    begun = line.substring("TRY ".length());
                } else if (line.equals("DONE")) {
                    acknowledged = begun;
                    writes++;
                }
            }
        }
        System.out.printf(
                "%d kills after %d acknowledged writes; %d times the last write was there without an answer%n",
                KILLS, writes, unacknowledgedButThere);
        assertThat(writes).isGreaterThan(KILLS);
    }

    /** Kills after so many acknowledged writes and a moment; what it told before it died. */
    private List<String> runUntil(int writes, int seed) throws IOException, InterruptedException {
        Process process = start(seed);
        List<String> output = new ArrayList<>();
        try (BufferedReader in = reader(process)) {
            int done = 0;
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                output.add(line);
                if (line.startsWith("DONE") && ++done == writes || writes == 0 && line.startsWith("LOADED")) {
                    // somewhere in the next write or the one after it
                    process.waitFor(random.nextInt(8000), TimeUnit.MICROSECONDS);
                    kill(process);
                }
            }
        } finally {
            process.destroyForcibly().waitFor();
        }
        assertThat(output).as("it has opened the store").anyMatch(line -> line.startsWith("LOADED "));
        return complete(output);
    }

    /** Kills after a time. */
    private List<String> runFor(int millis, int seed) throws IOException, InterruptedException {
        Process process = start(seed);
        try (BufferedReader in = reader(process)) {
            process.waitFor(millis, TimeUnit.MILLISECONDS);
            kill(process);
            return complete(in.lines().toList());
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    /** Unlike {@link Process#destroyForcibly} this leaves what was printed to be read. */
    private static void kill(Process process) {
        process.toHandle().destroyForcibly();
    }

    private static BufferedReader reader(Process process) {
        return new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    private static List<String> complete(List<String> lines) {
        return lines.stream()
                .filter(line -> line.endsWith(StoreWriter.END))
                .map(line -> line.substring(0, line.length() - StoreWriter.END.length()))
                .toList();
    }

    private Process start(int seed) throws IOException {
        return new ProcessBuilder(
                        WeirProcess.java(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-Dseed=" + seed,
                        "-cp",
                        classPath(),
                        StoreWriter.class.getName(),
                        "--weir.first-listener.enabled=false",
                        "--spring.main.banner-mode=off",
                        "--logging.level.root=error")
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .start();
    }

    private static String classPath() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(entry -> new File(entry).getAbsolutePath())
                .collect(Collectors.joining(File.pathSeparator));
    }
}
