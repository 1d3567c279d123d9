package io.weir.program;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A document, done as it is written on the packaged jar with the profile {@code demo}.
 *
 * <p>A block of {@code sh} that a block of {@code text} follows is executed with bash, in order and in one directory, in which the
 * jar is {@code weir.jar}; what it prints must be that text. A line of {@code ...} stands for any lines, {@code ...} in a line
 * for any text, and white space at the ends of lines does not count. At a comment {@code restart}, Weir is killed and started
 * again. The document's ports are exchanged for free ones in all of its text, in the same order, as output may be sorted.
 */
final class DocumentRun {

    private static final long BLOCK_LIMIT_SECONDS = 120;

    private static final int LISTENER = 8000;
    private static final int ADMIN = 8080;
    private static final int DEMO = 9001;
    private static final List<Integer> PORTS = List.of(LISTENER, 8001, ADMIN, 8081, DEMO, 9002, 9003, 9004, 9005);

    /** Below the ports that systems give to clients. */
    private static final int LOWEST = 10_000;

    private static final int HIGHEST = 30_000;

    private static final Pattern STEP =
            Pattern.compile("(?m)^<!-- (restart) -->$|^```sh\\n((?s:.*?))^```\\n\\s*^```text\\n((?s:.*?))^```$");

    private static final Pattern SHELL = Pattern.compile("(?m)^```sh$");

    private final Path directory;
    private final Map<Integer, Integer> ports = freePorts();

    DocumentRun(Path directory) {
        this.directory = directory;
    }

    /** Does all of the text, in which every block of {@code sh} must have its output. */
    void follow(String document) throws Exception {
        String text = exchangePorts(document);
        Path jar = Files.createSymbolicLink(directory.resolve("weir.jar"), WeirProcess.jar());
        try (WeirProcess weir = WeirProcess.on(
                ports.get(ADMIN),
                ports.get(LISTENER),
                directory,
                "--spring.profiles.active=demo",
                "--weir.demo.first-port=" + ports.get(DEMO))) {
            weir.start();
            Matcher step = STEP.matcher(text);
            int blocks = 0;
            while (step.find()) {
                if (step.group(1) != null) {
                    weir.kill();
                    weir.start();
                } else {
                    blocks++;
                    String printed = run(step.group(2));
                    assertThat(matches(step.group(3), printed))
                            .as("%s\nshould print\n%s\nand printed\n%s", step.group(2), step.group(3), printed)
                            .isTrue();
                }
            }
            System.out.printf("%d blocks work as written%n", blocks);
            assertThat(blocks).isGreaterThan(5).isEqualTo((int)
                    SHELL.matcher(text).results().count());
        } finally {
            endWhatTheDocumentStarted();
            Files.delete(jar);
        }
    }

    /** Programs in the background, whose ids the document keeps in files. */
    private void endWhatTheDocumentStarted() throws IOException {
        try (DirectoryStream<Path> ids = Files.newDirectoryStream(directory, "*.pid")) {
            for (Path id : ids) {
                ProcessHandle.of(Long.parseLong(Files.readString(id).strip()))
                        .filter(process -> process.info().command().orElse("").contains("python"))
                        .ifPresent(ProcessHandle::destroy);
            }
        }
    }

    /** As far apart as those of the document. */
    private static Map<Integer, Integer> freePorts() {
        Random random = new Random();
        while (true) {
            int offset = random.nextInt(LOWEST, HIGHEST) - LISTENER;
            if (PORTS.stream().allMatch(port -> isFree(port + offset))) {
                return new TreeMap<>(PORTS.stream().collect(Collectors.toMap(port -> port, port -> port + offset)));
            }
        }
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }

    private String exchangePorts(String text) {
        String exchanged = text;
        for (Map.Entry<Integer, Integer> port : ports.entrySet()) {
            exchanged = exchanged.replaceAll("\\b" + port.getKey() + "\\b", Integer.toString(port.getValue()));
        }
        return exchanged;
    }

    private String run(String block) throws IOException, InterruptedException {
        Path output = directory.resolve("printed.txt");
        Process bash = new ProcessBuilder("bash", "-c", block)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(bash.waitFor(BLOCK_LIMIT_SECONDS, TimeUnit.SECONDS))
                    .as("%s\nends", block)
                    .isTrue();
        } finally {
            bash.destroyForcibly();
        }
        return Files.readString(output, StandardCharsets.UTF_8);
    }

    private static boolean matches(String expected, String printed) {
        List<String> pattern = new ArrayList<>();
        for (String line : expected.stripTrailing().split("\n")) {
            pattern.add(
                    line.strip().equals("...")
                            ? "(?:.*\n)*?"
                            : Arrays.stream(line.stripTrailing().split(Pattern.quote("..."), -1))
                                            .map(Pattern::quote)
                                            .collect(Collectors.joining(".*"))
                                    + "\n");
        }
        String lines = Arrays.stream(printed.stripTrailing().split("\n"))
                .map(line -> line.stripTrailing() + "\n")
                .collect(Collectors.joining());
        return Pattern.matches(String.join("", pattern), lines);
    }
}
