package io.weir.program;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.control.Api;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/**
 * The packaged jar, running in a directory and on ports of its own. The same object can be killed and started again, and
 * then finds its directory and ports as they were. What it prints is kept in {@code target/program}, and the end of it is
 * told when something that is waited for does not come.
 */
final class WeirProcess implements AutoCloseable {

    /** Slow, shared machines need most of it. */
    private static final Duration START_LIMIT = Duration.ofSeconds(180);

    private static final Duration STOP_LIMIT = Duration.ofSeconds(60);
    private static final int LINES_TOLD = 60;
    private static final AtomicInteger count = new AtomicInteger();

    static {
        Awaitility.setDefaultTimeout(Duration.ofSeconds(60));
    }

    private static WeirProcess shared;

    private final Path directory;
    private final List<String> arguments;
    private final int adminPort;
    private final int port;
    private final Path output;
    private final Deque<String> lastLines = new ArrayDeque<>();
    private List<String> machineOptions = List.of();
    private Process process;
    private Thread reader;

    private WeirProcess(Path directory, int adminPort, int port, List<String> arguments) {
        this.directory = directory;
        this.adminPort = adminPort;
        this.port = port;
        this.arguments = arguments;
        output = Path.of("target", "program", "weir-" + count.incrementAndGet() + ".log");
        try {
            // of an earlier run of the tests
            Files.deleteIfExists(output);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Runtime.getRuntime().addShutdownHook(new Thread(this::kill));
    }

    /** One whose first listener is on {@link #port}, ready. */
    static WeirProcess start(Path directory, String... arguments) {
        WeirProcess weir = create(directory, arguments);
        weir.start();
        return weir;
    }

    /** One that does not run yet. */
    static WeirProcess create(Path directory, String... arguments) {
        return on(Api.freePort(), Api.freePort(), directory, arguments);
    }

    /** One that does not run yet, on ports that the test has chosen. */
    static WeirProcess on(int adminPort, int port, Path directory, String... arguments) {
        return new WeirProcess(directory, adminPort, port, List.of(arguments));
    }

    /**
     * One for all tests that leave it as they found it, but for groups and listeners: {@link Api#clear} before use. It ends
     * with the tests.
     */
    static synchronized WeirProcess shared() {
        if (shared == null) {
            try {
                Path parent = Files.createDirectories(Path.of("target", "program"));
                shared = start(Files.createTempDirectory(parent, "shared-"));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return shared;
    }

    /** What the Java machine is told from the next start on. */
    WeirProcess withMachineOptions(String... options) {
        machineOptions = List.of(options);
        return this;
    }

    void start() {
        launch();
        awaitReady();
    }

    /** Starts it, and does not wait. */
    void launch() {
        List<String> command = new ArrayList<>(List.of(
                java(),
                // half the time of a start is the compiler's, which a short life does not pay back
                "-XX:TieredStopAtLevel=1",
                "-Djava.io.tmpdir=" + directory.toAbsolutePath()));
        command.addAll(machineOptions);
        command.addAll(
                List.of("-jar", jar().toString(), "--server.port=" + adminPort, "--weir.first-listener.port=" + port));
        command.addAll(arguments);
        try {
            Files.createDirectories(directory);
            Files.createDirectories(output.getParent());
            process = new ProcessBuilder(command)
                    .directory(directory.toFile())
                    .redirectErrorStream(true)
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Process started = process;
        reader = new Thread(() -> read(started), output.getFileName().toString());
        reader.setDaemon(true);
        reader.start();
    }

    /** The program that runs this test. */
    static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    /** What {@code package} has made. */
    static Path jar() {
        try (Stream<Path> files = Files.list(Path.of("target"))) {
            List<Path> jars = files.filter(file -> file.getFileName().toString().matches("weir-\\d.*\\.jar"))
                    .toList();
            assertThat(jars).as("run `package` first").hasSize(1);
            return jars.get(0).toAbsolutePath();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void read(Process from) {
        try (BufferedReader in =
                        new BufferedReader(new InputStreamReader(from.getInputStream(), StandardCharsets.UTF_8));
                BufferedWriter out =
                        Files.newBufferedWriter(output, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                synchronized (lastLines) {
                    lastLines.add(line);
                    if (lastLines.size() > LINES_TOLD) {
                        lastLines.remove();
                    }
                }
                out.write(line);
                out.newLine();
                out.flush();
            }
        } catch (IOException e) {
            // killed
        }
    }

    void awaitReady() {
        Awaitility.await("Weir is ready")
                .atMost(START_LIMIT)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(100))
                .until(() -> {
                    assertThat(process.isAlive()).as(this::output).isTrue();
                    return isReady();
                });
    }

    private boolean isReady() {
        try {
            return api().get("/actuator/health/readiness").status() == 200;
        } catch (UncheckedIOException e) {
            return false;
        }
    }

    /** As {@code kill -9} does. */
    void kill() {
        if (process != null) {
            // unlike Process.destroyForcibly this leaves what was printed to be read
            process.toHandle().destroyForcibly();
            awaitExit();
        }
    }

    /** As {@code kill} does; returns at once. */
    void terminate() {
        process.toHandle().destroy();
    }

    /** Waits for the end of the process and returns its code. */
    int awaitExit() {
        try {
            assertThat(process.waitFor(STOP_LIMIT.toSeconds(), TimeUnit.SECONDS))
                    .as(this::output)
                    .isTrue();
            reader.join();
            return process.exitValue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    boolean isAlive() {
        return process.isAlive();
    }

    long pid() {
        return process.pid();
    }

    /** Of the control plane. */
    int adminPort() {
        return adminPort;
    }

    /** Of the listener {@code web} that an empty database gets. */
    int port() {
        return port;
    }

    Api api() {
        return new Api(adminPort);
    }

    Metrics metrics() {
        return Metrics.parse(api().get("/actuator/prometheus").text());
    }

    /** All that it has printed, in all its lives. */
    Path printed() {
        return output;
    }

    /** The end of what it has printed. */
    String output() {
        synchronized (lastLines) {
            return "the end of " + output + ":\n" + String.join("\n", lastLines);
        }
    }

    @Override
    public void close() {
        kill();
    }
}
