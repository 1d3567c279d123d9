package io.weir.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.weir.control.Api;
import io.weir.deploy.Dockerfile.Instruction;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * Carries out the Dockerfile without an engine: its steps run in a folder that stands for the image's root, and what it
 * starts is started there, in the environment that docker-compose.yml gives.
 *
 * <p>The Java is that of the tests, or that of {@code -Dweir.image.java=HOME}. One that is older than the image's makes its
 * archive with the older pair of options.
 */
@EnabledOnOs(OS.LINUX)
class ImageIT {

    private static final Path JAVA = Path.of(System.getProperty("weir.image.java", System.getProperty("java.home")));
    /** Slow, shared machines need most of it: the training alone takes a minute of one processor. */
    private static final Duration LIMIT = Duration.ofMinutes(10);

    private static final String TOKEN = "a-token-of-this-test";
    private static final String TERMINATED = "143";

    @TempDir
    private Path root;

    private final int controlPort = Api.freePort();
    private final int port = Api.freePort();
    private final Path log = Path.of("target", "program", "image.log").toAbsolutePath();

    @Test
    @Timeout(value = 20, unit = TimeUnit.MINUTES)
    void theStepsOfTheDockerfileMakeAWeirThatStartsServesAndStops() throws Exception {
        Files.createDirectories(log.getParent());
        Files.deleteIfExists(log);
        Dockerfile dockerfile = Dockerfile.read();
        for (Instruction instruction : dockerfile.all()) {
            carryOut(instruction);
        }
        Files.createDirectories(root.resolve("data"));
        Map<Path, Long> made = files();
        List<String> ready =
                List.of(path(dockerfile.only("HEALTHCHECK").exec().get(0)), "127.0.0.1", Integer.toString(controlPort));
        assertThat(run(root, ready)).as("ready before the start").isNotZero();

        long begin = System.nanoTime();
        Process weir = start(dockerfile);
        try {
            Awaitility.await("Weir is ready")
                    .atMost(LIMIT)
                    .pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(50))
                    .until(() -> {
                        assertThat(weir.isAlive()).as(this::printed).isTrue();
                        return run(root, ready) == 0;
                    });
            System.out.printf(
                    "the image's steps on Java %s: ready after %d ms, %d ms of CPU time; the archive has %d MB%n",
                    javaRelease(),
                    Duration.ofNanos(System.nanoTime() - begin).toMillis(),
                    weir.toHandle().info().totalCpuDuration().orElseThrow().toMillis(),
                    Files.size(root.resolve("app/weir.aot")) >> 20);
            usesItsArchiveAndLibrary(weir);
            asksForTheTokenOfTheFile();
            balancesWhatTheDemoSetsUp();
            weir.toHandle().destroy();
            assertThat(weir.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
            assertThat(Integer.toString(weir.exitValue())).as(this::printed).isEqualTo(TERMINATED);
            assertThat(run(root, ready)).as("ready after the end").isNotZero();
        } finally {
            weir.toHandle().destroyForcibly();
        }
        assertThat(files()).as("nothing is written outside of /data and /tmp").isEqualTo(made);
        assertThat(root.resolve("data/weir.mv.db")).exists();
    }

    private void carryOut(Instruction instruction) throws IOException, InterruptedException {
        switch (instruction.name()) {
            case "COPY" -> copy(instruction);
            case "RUN" -> {
                String command = forThisJava(path(instruction.arguments()));
                if (command.contains("mvn ")) {
                    // what package has made
                    Files.copy(
                            jar(),
                            Files.createDirectories(root.resolve("build/target"))
                                    .resolve(jar().getFileName()));
                } else if (!command.contains("useradd ")) {
                    Path directory = instruction.stage() == 0 ? root.resolve("build") : root;
                    Files.createDirectories(root.resolve("tmp"));
                    assertThat(run(directory, List.of("bash", "-c", command)))
                            .as(() -> command + "\n" + printed())
                            .isZero();
                }
            }
            default -> {
                // nothing to do
            }
        }
    }

    /** Contents of folders, and files, as COPY does. */
    private void copy(Instruction copy) throws IOException, InterruptedException {
        List<String> words = copy.words();
        if (words.get(0).equals(".")) {
            return;
        }
        String target = path(words.get(words.size() - 1));
        Files.createDirectories(
                target.endsWith("/") ? Path.of(target) : Path.of(target).getParent());
        for (String word : words.subList(0, words.size() - 1)) {
            String source = copy.flags().containsKey("from")
                    ? path(word)
                    : Path.of(word).toAbsolutePath().toString();
            String contents = source.endsWith("/") ? source + "." : source;
            assertThat(run(root, List.of("cp", "-pr", contents, target)))
                    .as(word)
                    .isZero();
        }
        Path options = root.resolve("app/java.options");
        if (words.contains("deploy/image/java.options")) {
            Files.writeString(options, forThisJava(path(Files.readString(options))));
        }
    }

    /** Paths of the image as they are here. */
    private String path(String text) {
        return text.replaceAll("(?<![\\w.])/(app|build|tmp|data)(?=[/\\s\"]|$)", root + "/$1");
    }

    private static String forThisJava(String text) {
        return javaRelease() >= 25
                ? text
                : text.replace("-XX:AOTCacheOutput=", "-XX:ArchiveClassesAtExit=")
                        .replace("-XX:AOTCache=", "-XX:SharedArchiveFile=");
    }

    private static int javaRelease() {
        try (Stream<String> lines = Files.lines(JAVA.resolve("release"))) {
            return Integer.parseInt(lines.filter(line -> line.startsWith("JAVA_VERSION="))
                    .findAny()
                    .orElseThrow()
                    .replaceAll("JAVA_VERSION=\"(\\d+).*", "$1"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Process start(Dockerfile dockerfile) throws IOException {
        List<String> command = dockerfile.only("ENTRYPOINT").exec().stream()
                .map(this::path)
                .map(ImageIT::forThisJava)
                .collect(Collectors.toList());
        // a search of the path would take the one that runs this test
        command.set(0, JAVA.resolve("bin").resolve(command.get(0)).toString());
        ProcessBuilder builder = builder(root, command);
        for (String word : dockerfile.only("ENV").words()) {
            String[] variable = word.split("=", 2);
            builder.environment().put(variable[0], variable[1]);
        }
        // as the compose file gives it, but for the database
        Path secrets = Files.createDirectories(root.resolve("tmp/secrets"));
        Files.writeString(secrets.resolve("weir.admin.token"), TOKEN);
        String tree = (String) Delivery.at(
                Delivery.yaml("docker-compose.yml"), "services", "weir", "environment", "SPRING_CONFIG_IMPORT");
        builder.environment().put("SPRING_CONFIG_IMPORT", tree.replace("/run/secrets", secrets.toString()));
        builder.environment().put("SERVER_PORT", Integer.toString(controlPort));
        builder.environment().put("WEIR_FIRSTLISTENER_PORT", Integer.toString(port));
        return builder.start();
    }

    private void usesItsArchiveAndLibrary(Process weir) throws IOException {
        assertThat(Files.readString(Path.of("/proc", Long.toString(weir.pid()), "maps")))
                .contains(root + "/app/weir.aot")
                .containsPattern(root + "/app/native/libnetty_transport_native_epoll_\\w+\\.so");
    }

    private void asksForTheTokenOfTheFile() throws IOException, InterruptedException {
        URI status = URI.create("http://127.0.0.1:" + controlPort + "/api/v1/status");
        HttpClient client = HttpClient.newHttpClient();
        assertThat(client.send(HttpRequest.newBuilder(status).build(), BodyHandlers.discarding())
                        .statusCode())
                .isEqualTo(401);
        HttpRequest request = HttpRequest.newBuilder(status)
                .header("Authorization", "Bearer " + TOKEN)
                .build();
        assertThat(client.send(request, BodyHandlers.discarding()).statusCode()).isEqualTo(200);
    }

    private void balancesWhatTheDemoSetsUp() throws IOException, InterruptedException {
        HttpServer backend = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        backend.createContext("/", exchange -> {
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        backend.start();
        try {
            Path demo = Files.createDirectories(root.resolve("tmp/demo"));
            for (String file : List.of("setup.sh", "upstream.json", "route.json")) {
                String text = Delivery.read("deploy/compose/demo/" + file);
                // there are no such hosts here
                Files.writeString(
                        demo.resolve(file),
                        text.replace(
                                        "backend-a:80",
                                        "127.0.0.1:" + backend.getAddress().getPort())
                                .replace("backend-b:80", "127.0.0.2:1"));
            }
            for (int time = 1; time <= 2; time++) {
                ProcessBuilder setup =
                        builder(demo, List.of("sh", demo.resolve("setup.sh").toString()));
                setup.environment().put("WEIR_URL", "http://127.0.0.1:" + controlPort);
                setup.environment()
                        .put(
                                "TOKEN_FILE",
                                root.resolve("tmp/secrets/weir.admin.token").toString());
                assertThat(run(setup)).as(this::printed).isZero();
            }
            assertThat(printed())
                    .contains("created /api/v1/upstreams/demo", "/api/v1/listeners/web/routes/demo is there");
            HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/"))
                    .build();
            var answer = HttpClient.newHttpClient().send(request, BodyHandlers.discarding());
            assertThat(answer.statusCode()).isEqualTo(204);
            assertThat(answer.headers().firstValue("X-Upstream")).isPresent();
        } finally {
            backend.stop(0);
        }
    }

    private int run(Path directory, List<String> command) throws IOException, InterruptedException {
        return run(builder(directory, command));
    }

    private static int run(ProcessBuilder builder) throws IOException, InterruptedException {
        Process process = builder.start();
        try {
            assertThat(process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        return process.exitValue();
    }

    private ProcessBuilder builder(Path directory, List<String> command) {
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
        Map<String, String> environment = builder.environment();
        environment.keySet().removeIf(name -> name.matches("(WEIR|SPRING|SERVER|MANAGEMENT)_.*|JDK_JAVA_OPTIONS"));
        environment.put("PATH", JAVA.resolve("bin") + ":" + environment.get("PATH"));
        // /tmp of the image
        environment.put("JAVA_TOOL_OPTIONS", "-Djava.io.tmpdir=" + root.resolve("tmp"));
        return builder;
    }

    private String printed() {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Of the image, with the times of their last change. */
    private Map<Path, Long> files() throws IOException {
        Set<Path> written = Set.of(root.resolve("data"), root.resolve("tmp"));
        Map<Path, Long> files = new TreeMap<>();
        try (Stream<Path> all = Files.walk(root)) {
            for (Path file : all.filter(file -> written.stream().noneMatch(file::startsWith))
                    .toList()) {
                files.put(root.relativize(file), Files.getLastModifiedTime(file).toMillis());
            }
        }
        return files;
    }

    private static Path jar() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("target"))) {
            List<Path> jars = files.filter(file -> file.getFileName().toString().matches("weir-\\d.*\\.jar"))
                    .toList();
            assertThat(jars).as("run `package` first").hasSize(1);
            return jars.get(0);
        }
    }
}
