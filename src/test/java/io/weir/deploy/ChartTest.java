package io.weir.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServicePort;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.convert.DurationStyle;

/** What the chart makes of values is what Kubernetes and Weir take. */
class ChartTest {

    private static final int WEIR = 10001;

    static Stream<String> values() {
        return Stream.of("", Chart.POSTGRESQL, Chart.POSTGRESQL + "replicas: 3", Chart.EVERYTHING);
    }

    @Test
    void lintHasNoComplaint() {
        var result = Chart.lint();
        assertThat(result.isFailed()).as("%s", result.getMessages()).isFalse();
    }

    @ParameterizedTest
    @MethodSource("values")
    void everyFieldIsOneThatKubernetesHas(String values) {
        for (Manifest manifest : Chart.render(values)) {
            Class<?> type = Manifest.TYPES.get(manifest.type());
            if (type != null) {
                assertThat(manifest.as(type)).isNotNull();
            } else {
                assertThat(manifest.type()).startsWith("monitoring.coreos.com/v1 ");
            }
        }
    }

    @Test
    void aFieldThatKubernetesDoesNotHaveIsNoticed() {
        Manifest service = one(Chart.render(""), "Service", "edge-weir-control");
        Delivery.map(service.tree(), "spec").put("clusterIp", "None");
        assertThatThrownBy(() -> service.as(Service.class)).hasMessageContaining("clusterIp");
    }

    @Test
    void kindsFollowTheDatabase() {
        assertThat(kinds("")).contains("StatefulSet").doesNotContain("Deployment", "HorizontalPodAutoscaler");
        assertThat(kinds(Chart.POSTGRESQL)).contains("Deployment").doesNotContain("StatefulSet");
        assertThat(kinds(Chart.EVERYTHING))
                .containsExactlyInAnyOrder(
                        "ConfigMap",
                        "Deployment",
                        "HorizontalPodAutoscaler",
                        "NetworkPolicy",
                        "Pod",
                        "PodDisruptionBudget",
                        "PrometheusRule",
                        "Secret",
                        "Service",
                        "Service",
                        "ServiceAccount",
                        "ServiceMonitor");
    }

    private static List<String> kinds(String values) {
        return Chart.render(values).stream().map(Manifest::kind).toList();
    }

    @Test
    void anH2DatabaseIsOnAVolumeOfOnePod() {
        StatefulSet set = one(Chart.render(""), "StatefulSet").as(StatefulSet.class);
        assertThat(set.getSpec().getReplicas()).isEqualTo(1);
        assertThat(set.getSpec().getVolumeClaimTemplates())
                .extracting(claim -> claim.getMetadata().getName())
                .containsExactly("data");
        assertThat(set.getSpec().getTemplate().getSpec().getVolumes())
                .extracting(volume -> volume.getName())
                .containsExactly("tmp");
    }

    @Test
    void aRollingUpdateTakesNobodyAwayBeforeAnotherIsReady() {
        Deployment deployment = one(Chart.render(Chart.POSTGRESQL + "replicas: 3"), "Deployment")
                .as(Deployment.class);
        assertThat(deployment.getSpec().getReplicas()).isEqualTo(3);
        assertThat(deployment
                        .getSpec()
                        .getStrategy()
                        .getRollingUpdate()
                        .getMaxUnavailable()
                        .getIntVal())
                .isZero();
        // the autoscaler's number would be overwritten by each upgrade
        assertThat(one(Chart.render(Chart.EVERYTHING), "Deployment")
                        .as(Deployment.class)
                        .getSpec()
                        .getReplicas())
                .isNull();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    replicas: 2                                                             | replicas
                    autoscaling: {enabled: true}                                            | autoscaling
                    database: {kind: mysql}                                                 | kind
                    database: {kind: postgresql}                                            | url
                    database: {kind: postgresql, postgresql: {url: "jdbc:h2:mem:x", existingSecret: a}} | url
                    database: {kind: postgresql, postgresql: {url: "jdbc:postgresql://db/w"}} | existingSecret
                    replica: 1                                                              | replica
                    traffic: {ports: [{name: control, port: 1, listenerPort: 8000, protocol: TCP}]} | name
                    traffic: {ports: [{name: a, port: 1, listenerPort: 80, protocol: TCP}]} | listenerPort
                    traffic: {ports: [{name: a, port: 1, listenerPort: 8000, protocol: SCTP}]} | protocol
                    traffic: {ports: [{name: a, port: 1, listenerPort: 8080, protocol: TCP}]} | has the port of the control plane
                    traffic: {ports: [{name: a, port: 1, listenerPort: 8000, protocol: TCP}, {name: b, port: 1, listenerPort: 8001, protocol: TCP}]} | port 1/TCP is there twice
                    traffic: {ports: [{name: a, port: 1, listenerPort: 8000, protocol: TCP}, {name: b, port: 2, listenerPort: 8000, protocol: TCP}]} | listenerPort 8000/TCP is there twice
                    traffic: {ports: [{name: a, port: 1, listenerPort: 8000, protocol: TCP}, {name: a, port: 2, listenerPort: 8001, protocol: TCP}]} | name a is there twice
                    shutdown: {gracePeriodSeconds: 45}                                      | must be more than
                    autoscaling: {minReplicas: 7}                                           | minReplicas is more than
                    admin: {token: secret}                                                  | token
                    image: {digest: "sha256:12"}                                            | digest
                    """)
    void whatCannotWorkIsRefused(String values, String message) {
        assertThatThrownBy(() -> Chart.render(values)).hasMessageContaining(message);
    }

    @ParameterizedTest
    @MethodSource("values")
    void podsAreRestricted(String values) {
        for (PodSpec pod : pods(Chart.render(values))) {
            assertThat(pod.getAutomountServiceAccountToken()).isFalse();
            assertThat(pod.getSecurityContext().getRunAsNonRoot()).isTrue();
            assertThat(pod.getSecurityContext().getSeccompProfile().getType()).isEqualTo("RuntimeDefault");
            assertThat(pod.getContainers()).hasSize(1).allSatisfy(container -> {
                var security = container.getSecurityContext();
                assertThat(security.getReadOnlyRootFilesystem()).isTrue();
                assertThat(security.getAllowPrivilegeEscalation()).isFalse();
                assertThat(security.getCapabilities().getDrop()).containsExactly("ALL");
                assertThat(container.getResources().getRequests()).containsKeys("cpu", "memory");
                assertThat(container.getResources().getLimits()).containsKey("memory");
            });
        }
    }

    @Test
    void theUserAndTheFoldersAreThoseOfTheImage() {
        Dockerfile dockerfile = Dockerfile.read();
        PodSpec pod = template(Chart.render("")).getSpec();
        var security = pod.getSecurityContext();
        assertThat(dockerfile.only("USER").arguments())
                .isEqualTo(security.getRunAsUser() + ":" + security.getRunAsGroup());
        assertThat(security.getFsGroup()).isEqualTo(WEIR);
        assertThat(pod.getContainers().get(0).getVolumeMounts())
                .extracting(mount -> mount.getMountPath())
                .containsExactly(dockerfile.only("VOLUME").arguments(), "/tmp");
        Manifest test = one(Chart.render(""), "Pod");
        assertThat(test.as(Pod.class).getSpec().getContainers().get(0).getCommand())
                .startsWith(dockerfile.only("HEALTHCHECK").exec().get(0));
    }

    @ParameterizedTest
    @MethodSource("values")
    void environmentSetsPropertiesAndOnlyThose(String values) {
        PodSpec pod = template(Chart.render(values)).getSpec();
        List<EnvVar> environment = pod.getContainers().get(0).getEnv();
        assertThat(environment)
                .extracting(EnvVar::getName)
                .doesNotHaveDuplicates()
                .contains("WEIR_ADMIN_TOKEN");
        assertThat(environment)
                .extracting(EnvVar::getName)
                .filteredOn(name -> !name.equals("LOGGING_LEVEL_IO_WEIR"))
                .allSatisfy(
                        name -> assertThat(Properties.isVariable(name)).as(name).isTrue());
        // a service called weir would set WEIR_PORT
        assertThat(pod.getEnableServiceLinks()).isFalse();
    }

    @ParameterizedTest
    @MethodSource("values")
    void credentialsComeFromSecrets(String values) {
        List<EnvVar> environment =
                template(Chart.render(values)).getSpec().getContainers().get(0).getEnv();
        assertThat(environment)
                .filteredOn(variable -> variable.getName().matches(".*(TOKEN|PASSWORD|USERNAME)"))
                .isNotEmpty()
                .allSatisfy(variable -> {
                    assertThat(variable.getValue()).isNull();
                    assertThat(variable.getValueFrom().getSecretKeyRef().getName())
                            .isNotEmpty();
                });
    }

    @Test
    void theTokenIsRandomAndTheNameIsTheOneThatIsReferredTo() {
        String token = token(Chart.render(""));
        assertThat(token).matches("[A-Za-z0-9]{48}").isNotEqualTo(token(Chart.render("")));

        List<Manifest> manifests = Chart.render("admin: {existingSecret: mine, tokenKey: t}");
        assertThat(manifests).extracting(Manifest::kind).doesNotContain("Secret");
        var reference =
                variables(manifests).get("WEIR_ADMIN_TOKEN").getValueFrom().getSecretKeyRef();
        assertThat(reference.getName() + "/" + reference.getKey()).isEqualTo("mine/t");
    }

    private static String token(List<Manifest> manifests) {
        Secret secret = one(manifests, "Secret").as(Secret.class);
        var reference =
                variables(manifests).get("WEIR_ADMIN_TOKEN").getValueFrom().getSecretKeyRef();
        assertThat(secret.getMetadata().getName()).isEqualTo(reference.getName());
        return new String(Base64.getDecoder().decode(secret.getData().get(reference.getKey())), StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "shutdown: {delaySeconds: 15}",
                "shutdown: {delaySeconds: 0, timeoutSeconds: 600}",
                "shutdown: {delaySeconds: 30, timeoutSeconds: 30, gracePeriodSeconds: 61}"
            })
    void aPodHasTheTimeToStop(String values) {
        List<Manifest> manifests = Chart.render(values);
        Map<String, EnvVar> variables = variables(manifests);
        Duration delay = duration(variables, "weir.data-plane.shutdown-delay");
        Duration timeout = duration(variables, "weir.data-plane.shutdown-timeout");
        assertThat(Duration.ofSeconds(template(manifests).getSpec().getTerminationGracePeriodSeconds()))
                .isGreaterThan(delay.plus(timeout));
        assertThat(duration(variables, "spring.lifecycle.timeout-per-shutdown-phase"))
                .isGreaterThan(delay.plus(timeout));
    }

    private static Duration duration(Map<String, EnvVar> variables, String property) {
        return DurationStyle.detectAndParse(
                variables.get(Properties.variable(property)).getValue());
    }

    @ParameterizedTest
    @MethodSource("values")
    void servicesFindThePodsOfWeirAndTheirPorts(String values) {
        List<Manifest> manifests = Chart.render(values);
        Map<String, String> labels = template(manifests).getMetadata().getLabels();
        Set<String> ports = template(manifests).getSpec().getContainers().get(0).getPorts().stream()
                .map(port -> port.getName() + "/" + port.getProtocol())
                .collect(Collectors.toSet());
        List<Manifest> services =
                manifests.stream().filter(m -> m.kind().equals("Service")).toList();
        assertThat(services).hasSize(2);
        Map<String, String> test =
                one(manifests, "Pod").as(Pod.class).getMetadata().getLabels();
        for (Manifest manifest : services) {
            var spec = manifest.as(Service.class).getSpec();
            assertThat(labels).containsAllEntriesOf(spec.getSelector());
            assertThat(test.entrySet().containsAll(spec.getSelector().entrySet()))
                    .isFalse();
            for (ServicePort port : spec.getPorts()) {
                assertThat(ports).contains(port.getTargetPort().getStrVal() + "/" + port.getProtocol());
            }
        }
    }

    @Test
    void portsAreThoseOfTheApplication() {
        List<Manifest> manifests = Chart.render("");
        Container weir = template(manifests).getSpec().getContainers().get(0);
        assertThat(weir.getPorts())
                .extracting(port -> port.getName() + " " + port.getContainerPort())
                .containsExactly(
                        "http " + Properties.value("weir.first-listener.port"),
                        "control " + Properties.value("server.port"));
        assertThat(variables(manifests).get("SERVER_PORT").getValue()).isEqualTo(Properties.value("server.port"));
        assertThat(weir.getImage()).isEqualTo("weir:" + Delivery.version());
    }

    @Test
    void listenersOfAllProtocolsAreServed() {
        var spec = one(Chart.render(Chart.EVERYTHING), "Service", "edge-weir")
                .as(Service.class)
                .getSpec();
        assertThat(spec.getType()).isEqualTo("LoadBalancer");
        assertThat(spec.getExternalTrafficPolicy()).isEqualTo("Local");
        assertThat(spec.getPorts())
                .extracting(port -> port.getName() + " " + port.getPort() + "/" + port.getProtocol())
                .containsExactly("http 80/TCP", "dns-udp 53/UDP", "dns-tcp 53/TCP");
    }

    @Test
    void theNetworkPolicyOpensTheControlPortToNamedPeersOnly() {
        NetworkPolicy policy =
                one(Chart.render(Chart.EVERYTHING), "NetworkPolicy").as(NetworkPolicy.class);
        assertThat(policy.getSpec().getPolicyTypes()).containsExactly("Ingress");
        var rules = policy.getSpec().getIngress();
        assertThat(rules).hasSize(2);
        assertThat(rules.get(0).getPorts())
                .extracting(port -> port.getPort().getIntVal())
                .containsExactly(8000, 5353, 5353);
        assertThat(rules.get(1).getPorts())
                .extracting(port -> port.getPort().getIntVal())
                .containsExactly(Integer.parseInt(Properties.value("server.port")));
        assertThat(rules.get(1).getFrom()).hasSize(2);
        // without a name, everybody may reach the control port
        NetworkPolicy least = one(Chart.render("networkPolicy: {enabled: true}"), "NetworkPolicy")
                .as(NetworkPolicy.class);
        assertThat(least.getSpec().getIngress().get(0).getFrom()).isEmpty();
        assertThat(least.getSpec().getIngress().get(1).getFrom()).hasSize(1);
    }

    @Test
    void spreadingSelectsTheseVeryPodsUnlessToldOtherwise() {
        PodTemplateSpec template = template(Chart.render(Chart.EVERYTHING));
        assertThat(template.getSpec().getTopologySpreadConstraints())
                .singleElement()
                .satisfies(spread -> {
                    assertThat(spread.getTopologyKey()).isEqualTo("topology.kubernetes.io/zone");
                    assertThat(template.getMetadata().getLabels())
                            .containsAllEntriesOf(spread.getLabelSelector().getMatchLabels());
                });
        assertThat(template(Chart.render("""
                                topologySpreadConstraints:
                                  - {maxSkew: 1, topologyKey: a, whenUnsatisfiable: ScheduleAnyway, labelSelector: {matchLabels: {x: "y"}}}
                                """)).getSpec().getTopologySpreadConstraints())
                .singleElement()
                .satisfies(spread ->
                        assertThat(spread.getLabelSelector().getMatchLabels()).isEqualTo(Map.of("x", "y")));
    }

    /** Its type is not Kubernetes' own; these are the fields of its documentation. */
    @Test
    void theServiceMonitorSendsTheToken() {
        List<Manifest> manifests = Chart.render(Chart.EVERYTHING);
        Manifest monitor = one(manifests, "ServiceMonitor");
        assertThat(Delivery.map(monitor.tree(), "spec").keySet()).isEqualTo(Set.of("selector", "endpoints"));
        Map<String, Object> endpoint = Delivery.map(monitor.tree(), "spec", "endpoints", 0);
        assertThat(endpoint.keySet()).isEqualTo(Set.of("port", "path", "interval", "authorization"));
        assertThat(Delivery.map(endpoint, "authorization", "credentials"))
                .isEqualTo(Map.of("name", one(manifests, "Secret").name(), "key", "token"));
        Service control = one(manifests, "Service", "edge-weir-control").as(Service.class);
        Map<String, Object> selected = Delivery.map(monitor.tree(), "spec", "selector", "matchLabels");
        assertThat(new TreeMap<String, Object>(control.getMetadata().getLabels()))
                .containsAllEntriesOf(selected);
        assertThat(control.getSpec().getPorts().get(0).getName()).isEqualTo(endpoint.get("port"));
        assertThat(Delivery.map(monitor.tree(), "metadata", "labels")).containsEntry("release", "prometheus");
    }

    @Test
    void alertsAndDashboardArriveAsTheyAre() {
        List<Manifest> manifests = Chart.render(Chart.EVERYTHING);
        assertThat(one(manifests, "PrometheusRule").tree().get("spec"))
                .isEqualTo(Delivery.yaml("helm/weir/files/alerts.yaml"));
        Manifest dashboard = one(manifests, "ConfigMap");
        assertThat(Delivery.map(dashboard.tree(), "data")
                        .get("weir.json")
                        .toString()
                        .strip())
                .isEqualTo(Delivery.read("helm/weir/files/dashboard.json").strip());
        assertThat(Delivery.map(dashboard.tree(), "metadata", "labels")).containsEntry("grafana_dashboard", "1");
    }

    @ParameterizedTest
    @MethodSource("values")
    void notesLeadToWhatThereIs(String values) {
        List<Manifest> manifests = Chart.render(values);
        String workload = manifests.stream()
                .map(Manifest::kind)
                .filter(kind -> kind.equals("Deployment") || kind.equals("StatefulSet"))
                .findAny()
                .orElseThrow();
        assertThat(Chart.notes(values))
                .contains(workload.toLowerCase(Locale.ROOT) + "/edge-weir\n")
                .contains("get secret " + one(manifests, "Secret").name() + " ")
                .contains("service/"
                        + one(manifests, "Service", "edge-weir-control").name() + " 8080")
                .contains("{{ index .data \"token\" | base64decode }}");
    }

    private static Manifest one(List<Manifest> manifests, String kind) {
        List<Manifest> found =
                manifests.stream().filter(m -> m.kind().equals(kind)).toList();
        assertThat(found).as(kind).hasSize(1);
        return found.get(0);
    }

    private static Manifest one(List<Manifest> manifests, String kind, String name) {
        return one(manifests.stream().filter(m -> m.name().equals(name)).toList(), kind);
    }

    /** Of the pods that carry traffic. */
    private static PodTemplateSpec template(List<Manifest> manifests) {
        for (Manifest manifest : manifests) {
            if (manifest.kind().equals("Deployment")) {
                return manifest.as(Deployment.class).getSpec().getTemplate();
            }
            if (manifest.kind().equals("StatefulSet")) {
                return manifest.as(StatefulSet.class).getSpec().getTemplate();
            }
        }
        throw new AssertionError("no pods");
    }

    private static List<PodSpec> pods(List<Manifest> manifests) {
        List<PodSpec> pods = new ArrayList<>();
        pods.add(template(manifests).getSpec());
        pods.add(one(manifests, "Pod").as(Pod.class).getSpec());
        return pods;
    }

    private static Map<String, EnvVar> variables(List<Manifest> manifests) {
        return template(manifests).getSpec().getContainers().get(0).getEnv().stream()
                .collect(Collectors.toMap(EnvVar::getName, variable -> variable));
    }
}
