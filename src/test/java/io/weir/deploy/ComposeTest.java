package io.weir.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.convert.DurationStyle;

/** docker-compose.yml and the files that it mounts fit each other, the image and the application. */
class ComposeTest {

    private static final String SECRETS = "/run/secrets/";

    private final Map<String, Object> compose = Delivery.yaml("docker-compose.yml");
    private final Map<String, Object> services = Delivery.map(compose, "services");
    private final Map<String, Object> weir = Delivery.map(services, "weir");

    @Test
    void imagesHaveAVersion() {
        services.forEach((name, service) ->
                assertThat((String) Delivery.at(service, "image")).as(name).matches("[a-z/]+:v?\\d[\\w.-]*"));
        assertThat(weir).containsEntry("image", "weir:" + Delivery.version());
        assertThat(Delivery.at(services, "postgres", "image"))
                .isEqualTo("postgres:" + Delivery.postgresMajor() + "-alpine");
    }

    @Test
    void whatIsMountedExists() {
        Set<String> volumes = Delivery.map(compose, "volumes").keySet();
        Set<String> used = new TreeSet<>();
        services.forEach((name, service) -> {
            for (String mount : Delivery.<String>list(service, "volumes")) {
                String[] parts = mount.split(":");
                if (parts[0].startsWith("./")) {
                    assertThat(Path.of(parts[0])).as(name).exists();
                    assertThat(parts).as(mount).hasSize(3).endsWith("ro");
                } else {
                    used.add(parts[0]);
                }
            }
        });
        assertThat(used).isEqualTo(volumes);
        assertThat(Delivery.list(weir, "volumes"))
                .contains("weir-data:" + Dockerfile.read().only("VOLUME").arguments());
    }

    @Test
    void theEnvironmentOfWeirSetsProperties() {
        assertThat(Delivery.map(weir, "environment").keySet())
                .allSatisfy(
                        name -> assertThat(Properties.isVariable(name)).as(name).isTrue());
        assertThat(weir).extractingByKey("environment").asString().contains("configtree:" + SECRETS);
        // each file is a property then
        assertThat(Delivery.list(weir, "secrets"))
                .allSatisfy(secret -> assertThat(Properties.exists((String) Delivery.at(secret, "target")))
                        .as("%s", secret)
                        .isTrue());
    }

    @Test
    void thereAreNoPasswordsButThoseOfFiles() {
        Set<String> declared = Delivery.map(compose, "secrets").keySet();
        Set<String> used = new TreeSet<>();
        services.forEach((name, service) -> {
            Set<String> files = new TreeSet<>();
            for (Object secret : Delivery.list(service, "secrets")) {
                boolean isShort = secret instanceof String;
                used.add(isShort ? (String) secret : (String) Delivery.at(secret, "source"));
                files.add(SECRETS + (isShort ? secret : Delivery.at(secret, "target")));
            }
            Delivery.map(service, "environment").forEach((variable, value) -> {
                if (variable.matches(".*(PASSWORD|TOKEN|SECRET).*")) {
                    assertThat(variable).endsWith("_FILE");
                    assertThat(files).contains((String) value);
                }
            });
        });
        assertThat(used).isEqualTo(declared);
        assertThat(Delivery.read(".gitignore").lines()).contains("/deploy/compose/secrets/");
    }

    @Test
    void theScriptMakesEachSecretOnce(@TempDir Path folder) throws IOException, InterruptedException {
        Path script = Files.copy(Path.of("deploy/compose/secrets.sh"), folder.resolve("secrets.sh"));
        run("sh", script.toString());
        Map<String, String> made = secrets(folder);
        Set<String> wanted = new TreeSet<>();
        Delivery.map(compose, "secrets").values().forEach(secret -> {
            Path file = Path.of((String) Delivery.at(secret, "file")).normalize();
            assertThat(file.getParent()).isEqualTo(Path.of("deploy/compose/secrets"));
            wanted.add(file.getFileName().toString());
        });
        assertThat(made.keySet()).isEqualTo(wanted);
        assertThat(made.values()).doesNotHaveDuplicates().allMatch(secret -> secret.matches("[0-9a-f]{48}"));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve("secrets"))))
                .isEqualTo("rwx------");

        Files.delete(folder.resolve("secrets/admin-token"));
        run("sh", script.toString());
        assertThat(secrets(folder).get("admin-token")).hasSize(48).isNotEqualTo(made.remove("admin-token"));
        assertThat(secrets(folder)).containsAllEntriesOf(made);
    }

    private static Map<String, String> secrets(Path folder) throws IOException {
        Map<String, String> secrets = new TreeMap<>();
        try (Stream<Path> files = Files.list(folder.resolve("secrets"))) {
            for (Path file : files.toList()) {
                secrets.put(file.getFileName().toString(), Files.readString(file));
            }
        }
        return secrets;
    }

    @Test
    void onlyTrafficIsPublishedBeyondThisMachine() {
        List<String> open = new ArrayList<>();
        services.forEach((name, service) -> {
            for (String port : Delivery.<String>list(service, "ports")) {
                if (!port.startsWith("127.0.0.1:")) {
                    open.add(name + " " + port);
                }
            }
        });
        String traffic = Properties.value("weir.first-listener.port");
        String control = Properties.value("server.port");
        assertThat(open).containsExactly("weir " + traffic + ":" + traffic);
        assertThat(Delivery.list(weir, "ports")).contains("127.0.0.1:" + control + ":" + control);
        assertThat(Delivery.at(services, "demo", "environment", "WEIR_URL")).isEqualTo("http://weir:" + control);
    }

    @Test
    void whoWaitsForHealthWaitsForSomebodyWhoTellsIt() {
        services.forEach((name, service) -> Delivery.map(service, "depends_on").forEach((other, condition) -> {
            assertThat(services).containsKey(other);
            assertThat(condition).isEqualTo(Map.of("condition", "service_healthy"));
            if (!other.equals("weir")) {
                assertThat(Delivery.map(services, other)).as(other).containsKey("healthcheck");
            }
        }));
    }

    @Test
    void weirHasTheTimeToStop() {
        assertThat(DurationStyle.detectAndParse((String) weir.get("stop_grace_period")))
                .isGreaterThan(DurationStyle.detectAndParse(Properties.value("weir.data-plane.shutdown-timeout"))
                        .plus(DurationStyle.detectAndParse(Properties.value("weir.data-plane.shutdown-delay"))));
    }

    @Test
    void weirWritesToNothingButItsVolumeAndTmp() {
        assertThat(weir)
                .containsEntry("read_only", true)
                .containsEntry("cap_drop", List.of("ALL"))
                .containsEntry("security_opt", List.of("no-new-privileges:true"))
                .containsEntry("tmpfs", List.of("/tmp"));
    }

    @Test
    void prometheusFindsWeirItsTokenAndTheAlerts() throws IOException, InterruptedException {
        Map<String, Object> prometheus = Delivery.yaml("deploy/compose/prometheus.yml");
        assertThat(Delivery.at(prometheus, "scrape_configs", 0, "static_configs", 0, "targets"))
                .isEqualTo(List.of("weir:" + Properties.value("server.port")));
        assertThat(Delivery.list(services, "prometheus", "secrets").stream().map(secret -> SECRETS + secret))
                .contains((String) Delivery.at(prometheus, "scrape_configs", 0, "authorization", "credentials_file"));
        assertThat(Delivery.<String>list(services, "prometheus", "volumes").stream()
                        .map(mount -> mount.split(":")[1]))
                .contains((String) Delivery.at(prometheus, "rule_files", 0), "/etc/prometheus/prometheus.yml");
        run("promtool", "check", "config", "--syntax-only", "deploy/compose/prometheus.yml");
    }

    @Test
    void grafanaFindsPrometheusAndTheDashboard() {
        Map<String, Object> source =
                Delivery.map(Delivery.yaml("deploy/compose/grafana/datasource.yml"), "datasources", 0);
        assertThat(source).containsEntry("url", "http://prometheus:9090").containsEntry("type", "prometheus");
        assertThat(services).containsKey("prometheus");
        String folder = (String)
                Delivery.at(Delivery.yaml("deploy/compose/grafana/dashboards.yml"), "providers", 0, "options", "path");
        assertThat(Delivery.<String>list(services, "grafana", "volumes"))
                .contains("./helm/weir/files/dashboard.json:" + folder + "/weir.json:ro");
    }

    private static void run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(output).isZero();
    }
}
