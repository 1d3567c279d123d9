package io.weir.control.openapi;

import io.swagger.v3.core.converter.ModelConverters;
import io.swagger.v3.oas.models.Components;
import io.swagger.v3.oas.models.OpenAPI;
import io.swagger.v3.oas.models.PathItem;
import io.swagger.v3.oas.models.Paths;
import io.swagger.v3.oas.models.info.Info;
import io.swagger.v3.oas.models.security.SecurityRequirement;
import io.swagger.v3.oas.models.security.SecurityScheme;
import io.swagger.v3.oas.models.tags.Tag;
import io.weir.control.change.Write;
import io.weir.control.web.Body;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.springdoc.core.customizers.GlobalOpenApiCustomizer;
import org.springdoc.core.utils.SpringDocUtils;
import org.springframework.stereotype.Component;

/**
 * The whole of the OpenAPI document: its order, in which the examples build on one another, and what it says of itself.
 */
@Component
class ApiDocument implements GlobalOpenApiCustomizer {

    /** What the paths are sorted by; a tag that is not here comes last. */
    private static final List<String> TAGS =
            List.of("Upstream groups", "Servers", "Drains", "Peers", "Listeners", "Routes", "Status", "Nodes");

    private static final String BEARER = "token";
    private static final String BASIC = "user";

    private static final String DESCRIPTION = """
            Changes take effect at once, without a reload, and survive a restart: a write that is answered with success is \
            stored and runs.

            Try the operations from top to bottom: each example works as it stands, once those above it were sent.
            """;

    private final Operations operations;

    ApiDocument(Operations operations) {
        this.operations = operations;
        SpringDocUtils.getConfig().addRequestWrapperToIgnore(Write.class).addAnnotationsToIgnore(Body.class);
    }

    @Override
    public void customise(OpenAPI document) {
        document.setInfo(new Info().title("Weir").version("v1").description(DESCRIPTION));
        document.setServers(null);
        addSchemas(document);
        document.getComponents()
                .addSecuritySchemes(BEARER, scheme("bearer", "weir.admin.token, where it is set"))
                .addSecuritySchemes(
                        BASIC, scheme("basic", "weir.admin.username and weir.admin.password, where they are set"));
        document.setSecurity(List.of(
                new SecurityRequirement(),
                new SecurityRequirement().addList(BEARER),
                new SecurityRequirement().addList(BASIC)));
        sort(document);
    }

    private static SecurityScheme scheme(String name, String description) {
        return new SecurityScheme().type(SecurityScheme.Type.HTTP).scheme(name).description(description);
    }

    private void addSchemas(OpenAPI document) {
        if (document.getComponents() == null) {
            document.setComponents(new Components());
        }
        for (Class<?> type : operations.schemas()) {
            ModelConverters.getInstance(true)
                    .readAll(type)
                    .forEach((name, schema) -> document.getComponents().addSchemas(name, schema));
        }
    }

    private static void sort(OpenAPI document) {
        List<Map.Entry<String, PathItem>> paths =
                new ArrayList<>(document.getPaths().entrySet());
        paths.sort(Comparator.comparingInt((Map.Entry<String, PathItem> path) -> rank(path.getValue()))
                .thenComparing(Map.Entry::getKey));
        Paths sorted = new Paths();
        paths.forEach(path -> sorted.addPathItem(path.getKey(), path.getValue()));
        document.setPaths(sorted);
        if (document.getTags() != null) {
            List<Tag> tags = new ArrayList<>(document.getTags());
            tags.sort(Comparator.comparingInt(tag -> rank(tag.getName())));
            document.setTags(tags);
        }
    }

    private static int rank(PathItem path) {
        return path.readOperations().stream()
                .flatMap(operation -> operation.getTags().stream())
                .mapToInt(ApiDocument::rank)
                .min()
                .orElse(TAGS.size());
    }

    private static int rank(String tag) {
        int rank = TAGS.indexOf(tag);
        return rank < 0 ? TAGS.size() : rank;
    }
}
