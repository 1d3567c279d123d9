package io.weir.deploy;

import com.marcnuri.helm.DryRun;
import com.marcnuri.helm.Helm;
import com.marcnuri.helm.LintResult;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.yaml.snakeyaml.Yaml;

/** The chart, rendered by helm itself as release {@code edge} in namespace {@code traffic}. */
final class Chart {

    static final Path FOLDER = Path.of("helm/weir");
    static final String RELEASE = "edge";

    /** The least that a database of its own asks for. */
    static final String POSTGRESQL = """
            database:
              kind: postgresql
              postgresql: {url: "jdbc:postgresql://db:5432/weir", existingSecret: weir-db}
            """;

    /** All that can be switched on. */
    static final String EVERYTHING = POSTGRESQL + """
            image: {repository: registry.example/weir, digest: "sha256:%s"}
            imagePullSecrets: [{name: pull}]
            autoscaling: {enabled: true, minReplicas: 3, maxReplicas: 9}
            threads: 4
            extraEnv: [{name: LOGGING_LEVEL_IO_WEIR, value: debug}]
            traffic:
              type: LoadBalancer
              annotations: {example/kind: nlb}
              loadBalancerClass: example/nlb
              loadBalancerSourceRanges: [192.0.2.0/24]
              ports:
                - {name: http, port: 80, listenerPort: 8000, protocol: TCP, nodePort: 30080}
                - {name: dns-udp, port: 53, listenerPort: 5353, protocol: UDP}
                - {name: dns-tcp, port: 53, listenerPort: 5353, protocol: TCP}
            control: {annotations: {example/owner: edge}}
            topologySpreadConstraints:
              - {maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule}
            nodeSelector: {kubernetes.io/os: linux}
            tolerations: [{key: edge, operator: Exists, effect: NoSchedule}]
            affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [
              {topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app.kubernetes.io/name: weir}}}]}}
            priorityClassName: system-cluster-critical
            podAnnotations: {example/a: b}
            podLabels: {example/c: d}
            serviceAccount: {annotations: {example/role: weir}}
            networkPolicy:
              enabled: true
              controlFrom: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: monitoring}}}]
              trafficFrom: [{ipBlock: {cidr: 192.0.2.0/24}}]
            metrics:
              serviceMonitor: {enabled: true, labels: {release: prometheus}}
              prometheusRule: {enabled: true, labels: {release: prometheus}}
              dashboard: {enabled: true}
            """.formatted("0123456789abcdef".repeat(4));

    /** With hooks as ordinary manifests: rendering leaves them out. */
    private static final Path WITHOUT_HOOKS = withoutHooks();

    private Chart() {}

    private static Path withoutHooks() {
        Path copy = Path.of("target", "chart", "weir");
        try (Stream<Path> files = Files.walk(FOLDER)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Path to = copy.resolve(FOLDER.relativize(file));
                Files.createDirectories(to.getParent());
                Files.writeString(to, Files.readString(file).replaceAll("(?m)^ +helm.sh/hook.*\\R", ""));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return copy;
    }

    /** The manifests that these values make. */
    static List<Manifest> render(String values) {
        return call(values, file -> {
            String text = new Helm(WITHOUT_HOOKS)
                    .template()
                    .withName(RELEASE)
                    .withNamespace("traffic")
                    .withKubeVersion("1.27.0")
                    .withValuesFile(file)
                    .call();
            List<Manifest> manifests = new ArrayList<>();
            for (Object document : new Yaml().loadAll(text)) {
                if (document != null) {
                    @SuppressWarnings("unchecked")
                    Map<String, Object> tree = (Map<String, Object>) document;
                    manifests.add(new Manifest(tree));
                }
            }
            return manifests;
        });
    }

    /** What helm complains of, with the default values. */
    static LintResult lint() {
        return new Helm(FOLDER).lint().strict().call();
    }

    /** What helm prints after an installation. */
    static String notes(String values) {
        String output = call(
                values,
                file -> new Helm(FOLDER)
                        .install()
                        .withName(RELEASE)
                        .withNamespace("traffic")
                        .withKubeVersion("1.27.0")
                        .withValuesFile(file)
                        .clientOnly()
                        .dryRun()
                        .withDryRunOption(DryRun.CLIENT)
                        .call()
                        .getOutput());
        return output.substring(output.indexOf("NOTES:"));
    }

    private interface Call<T> {
        T with(Path values);
    }

    private static <T> T call(String values, Call<T> call) {
        try {
            Path file = Files.createTempFile("values", ".yaml");
            try {
                Files.writeString(file, values);
                return call.with(file);
            } finally {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
