package io.weir.deploy;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.autoscaling.v2.HorizontalPodAutoscaler;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import java.util.Map;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.introspect.Annotated;
import tools.jackson.databind.introspect.JacksonAnnotationIntrospector;
import tools.jackson.databind.json.JsonMapper;

/** One object for Kubernetes, as YAML says it. */
record Manifest(Map<String, Object> tree) {

    /** The types of those that Kubernetes itself knows, by version and kind. */
    static final Map<String, Class<?>> TYPES = Map.of(
            "v1 ConfigMap", ConfigMap.class,
            "v1 Pod", Pod.class,
            "v1 Secret", Secret.class,
            "v1 Service", Service.class,
            "v1 ServiceAccount", ServiceAccount.class,
            "apps/v1 Deployment", Deployment.class,
            "apps/v1 StatefulSet", StatefulSet.class,
            "autoscaling/v2 HorizontalPodAutoscaler", HorizontalPodAutoscaler.class,
            "networking.k8s.io/v1 NetworkPolicy", NetworkPolicy.class,
            "policy/v1 PodDisruptionBudget", PodDisruptionBudget.class);

    /** Refuses fields that a type does not have, which the types by themselves would put aside. */
    private static final JsonMapper STRICT = JsonMapper.builder()
            .annotationIntrospector(new JacksonAnnotationIntrospector() {
                private static final long serialVersionUID = 1;

                @Override
                public Boolean hasAnySetter(MapperConfig<?> config, Annotated member) {
                    return false;
                }
            })
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    String kind() {
        return (String) tree.get("kind");
    }

    String type() {
        return tree.get("apiVersion") + " " + kind();
    }

    String name() {
        return (String) Delivery.at(tree, "metadata", "name");
    }

    <T> T as(Class<T> type) {
        return STRICT.convertValue(tree, type);
    }
}
