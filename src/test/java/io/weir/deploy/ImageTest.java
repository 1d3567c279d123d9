package io.weir.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.deploy.Dockerfile.Instruction;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What the Dockerfile says fits this project and the application. */
class ImageTest {

    private final Dockerfile dockerfile = Dockerfile.read();

    @Test
    void basesHaveAVersionAndTheSameJava() {
        assertThat(dockerfile.all("FROM"))
                .extracting(from -> from.words().get(0))
                .hasSize(2)
                .allSatisfy(image -> assertThat(image).matches(".+:[^:]*temurin-25-.*|eclipse-temurin:25-.*"));
    }

    @Test
    void whatIsCopiedExistsAndIsNotIgnored() {
        for (Instruction copy : dockerfile.all("COPY")) {
            List<String> words = copy.words();
            for (String source : words.subList(0, words.size() - 1)) {
                if (!copy.flags().containsKey("from") && !source.equals(".")) {
                    assertThat(Path.of(source)).exists();
                    assertThat(isSent(source)).as(source).isTrue();
                }
            }
        }
        assertThat(List.of("pom.xml", "src/main/java", ".mvn/jvm.config", ".git"))
                .allSatisfy(needed -> {
                    assertThat(Path.of(needed)).exists();
                    assertThat(isSent(needed)).isTrue();
                });
        assertThat(List.of("target", "data", "deploy/compose/secrets", "src/test", ".git/config"))
                .allSatisfy(other -> assertThat(isSent(other)).isFalse());
    }

    /** As .dockerignore says: the last line that a file is below decides. */
    private static boolean isSent(String file) {
        List<String> lines = Delivery.read(".dockerignore")
                .lines()
                .filter(line -> !line.isBlank() && !line.startsWith("#"))
                .toList();
        assertThat(lines.get(0)).isEqualTo("*");
        boolean sent = false;
        for (String line : lines.subList(1, lines.size())) {
            boolean back = line.startsWith("!");
            if (Path.of(file).startsWith(back ? line.substring(1) : line)) {
                sent = back;
            }
        }
        return sent;
    }

    @Test
    void portsAreThoseOfTheApplication() {
        assertThat(dockerfile.only("EXPOSE").words())
                .containsExactly(Properties.value("weir.first-listener.port"), Properties.value("server.port"));
    }

    @Test
    void environmentSetsProperties() {
        for (Instruction environment : dockerfile.all("ENV")) {
            for (String word : environment.words()) {
                assertThat(Properties.isVariable(word.split("=", 2)[0]))
                        .as(word)
                        .isTrue();
            }
        }
    }

    @Test
    void runsAsAUserWhoIsNamedByNumber() {
        assertThat(dockerfile.only("USER").arguments()).matches("[1-9]\\d{3,}:[1-9]\\d{3,}");
    }

    @Test
    void allThatWeirWritesIsOnTheVolume() {
        Path working = Path.of(dockerfile.only("WORKDIR").arguments());
        Path volume = Path.of(dockerfile.only("VOLUME").arguments());
        String url = Properties.value("spring.datasource.url");
        assertThat(url).startsWith("jdbc:h2:file:./");
        String database = url.substring("jdbc:h2:file:".length()).split(";")[0];
        assertThat(List.of(database, Properties.value("weir.data-plane.temp-dir")))
                .allSatisfy(written -> assertThat(working.resolve(written).normalize())
                        .satisfies(path -> assertThat(path.startsWith(volume)).isTrue()));
    }

    @Test
    void commandsAreExecutedWithoutAShell() {
        assertThat(dockerfile.only("ENTRYPOINT").exec()).startsWith("java").endsWith("-jar", "/app/weir.jar");
        assertThat(dockerfile.only("HEALTHCHECK").exec()).containsExactly("/app/ready");
        assertThat(Path.of("deploy/image/ready").toFile().canExecute()).isTrue();
    }

    /** An archive is of no use to a Java with other options. */
    @Test
    void trainingAndStartHaveTheSameOptionsAndTheSameFile() {
        String training = dockerfile.all("RUN").stream()
                .map(Instruction::arguments)
                .filter(command -> command.contains("-XX:AOTCacheOutput="))
                .findAny()
                .orElseThrow();
        List<String> trained = List.of(Pattern.compile("java (.*weir\\.jar)")
                .matcher(training)
                .results()
                .findAny()
                .orElseThrow()
                .group(1)
                .replace("-XX:AOTCacheOutput=", "-XX:AOTCache=")
                .replace("-Dspring.context.exit=onRefresh ", "")
                .split(" "));
        List<String> started = dockerfile.only("ENTRYPOINT").exec();
        assertThat(started.subList(1, started.size())).isEqualTo(trained);
    }
}
