package io.weir.control.openapi;

import io.swagger.v3.oas.annotations.media.ExampleObject;
import io.swagger.v3.oas.models.Operation;
import io.swagger.v3.oas.models.examples.Example;
import io.swagger.v3.oas.models.headers.Header;
import io.swagger.v3.oas.models.media.BooleanSchema;
import io.swagger.v3.oas.models.media.Content;
import io.swagger.v3.oas.models.media.MediaType;
import io.swagger.v3.oas.models.media.Schema;
import io.swagger.v3.oas.models.media.StringSchema;
import io.swagger.v3.oas.models.parameters.Parameter;
import io.swagger.v3.oas.models.parameters.RequestBody;
import io.swagger.v3.oas.models.responses.ApiResponse;
import io.swagger.v3.oas.models.responses.ApiResponses;
import io.weir.control.change.Write;
import io.weir.control.web.Answers;
import io.weir.control.web.Body;
import io.weir.control.web.DryRunView;
import io.weir.control.web.LagView;
import io.weir.control.web.MediaTypes;
import io.weir.control.web.Problem;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.springdoc.core.customizers.GlobalOperationCustomizer;
import org.springframework.core.MethodParameter;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Component;
import org.springframework.web.bind.annotation.PatchMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.method.HandlerMethod;
import tools.jackson.databind.json.JsonMapper;

/** What the OpenAPI document says of each operation, beyond what its controller says by itself. */
@Component
class Operations implements GlobalOperationCustomizer {

    private static final String JSON = "application/json";
    private static final String PROBLEM_JSON = "application/problem+json";
    private static final JsonMapper MAPPER = new JsonMapper();

    private final Set<Class<?>> schemas = ConcurrentHashMap.newKeySet();

    Operations() {
        schemas.add(Problem.class);
        schemas.add(DryRunView.class);
    }

    /** The records that operations refer to. */
    Set<Class<?>> schemas() {
        return schemas;
    }

    @Override
    public Operation customize(Operation operation, HandlerMethod handler) {
        for (MethodParameter parameter : handler.getMethodParameters()) {
            Body body = parameter.getParameterAnnotation(Body.class);
            if (body != null) {
                operation.setRequestBody(body(body, handler));
            } else if (parameter.getParameterType() == Write.class) {
                addWriteParameters(operation, handler);
            }
        }
        Answers answers = handler.getMethodAnnotation(Answers.class);
        if (answers != null) {
            operation.setResponses(written(answers));
        } else if (operation.getParameters() != null) {
            operation.getResponses().addApiResponse("404", problem("There is no such thing."));
        }
        operation
                .getResponses()
                .addApiResponse("401", problem("Credentials are asked for, and none or wrong ones came."));
        return operation;
    }

    private RequestBody body(Body body, HandlerMethod handler) {
        boolean isPatch = handler.hasMethodAnnotation(PatchMapping.class);
        Map<String, Example> examples = new LinkedHashMap<>();
        examples.put("first", example(body.example()));
        for (ExampleObject more : body.more()) {
            examples.put(more.name(), example(more.value()));
        }
        Content content = new Content();
        for (String type : isPatch ? List.of(MediaTypes.MERGE_PATCH, JSON) : List.of(JSON)) {
            content.addMediaType(
                    type, new MediaType().schema(reference(body.schema())).examples(examples));
        }
        return new RequestBody().required(true).content(content);
    }

    private static Example example(String json) {
        return new Example().value(MAPPER.readValue(json, Object.class));
    }

    private static void addWriteParameters(Operation operation, HandlerMethod handler) {
        operation.addParametersItem(new Parameter()
                .name("dryRun")
                .in("query")
                .description("Check it and tell what it would change, without doing so.")
                .schema(new BooleanSchema()._default(false)));
        operation.addParametersItem(new Parameter()
                .name("wait")
                .in("query")
                .description("Answer when all nodes that are alive run the change.")
                .schema(new StringSchema().addEnumItem("applied")));
        operation.addParametersItem(new Parameter()
                .name("timeout")
                .in("query")
                .description("How long to wait for that, at most 60s; 10s unless said.")
                .schema(new StringSchema()));
        operation.addParametersItem(new Parameter()
                .name("If-Match")
                .in("header")
                .description("The ETag that the resource must still have.")
                .schema(new StringSchema()));
        if (handler.hasMethodAnnotation(PutMapping.class)) {
            operation.addParametersItem(new Parameter()
                    .name("If-None-Match")
                    .in("header")
                    .description("* to create only.")
                    .schema(new StringSchema()));
        }
    }

    private ApiResponses written(Answers answers) {
        ApiResponses responses = new ApiResponses();
        for (int status : new int[] {answers.status(), answers.orStatus()}) {
            if (status > 0) {
                responses.addApiResponse(Integer.toString(status), success(status, answers.value()));
            }
        }
        if (!responses.containsKey("200")) {
            responses.addApiResponse("200", success(200, DryRunView.class).description("What it would change."));
        }
        responses.addApiResponse(
                "202",
                success(202, LagView.class).description("Stored and applied here, and not by all nodes in time."));
        return responses
                .addApiResponse("400", problem("The request is malformed, or a value is not allowed."))
                .addApiResponse("404", problem("There is no such thing."))
                .addApiResponse("409", problem("The name or address is taken, or it is in use."))
                .addApiResponse("412", problem("It is no longer at the version that the request expects."))
                .addApiResponse("503", problem("The change could not be stored, and was not applied."));
    }

    private ApiResponse success(int status, Class<?> type) {
        ApiResponse response =
                new ApiResponse().description(HttpStatus.valueOf(status).getReasonPhrase());
        if (type != Void.class) {
            response.content(new Content().addMediaType(JSON, new MediaType().schema(reference(type))));
        }
        if (type != Void.class && type != DryRunView.class && type != LagView.class) {
            response.addHeaderObject(
                    "ETag", new Header().description("Its version.").schema(new StringSchema()));
        }
        return response;
    }

    private ApiResponse problem(String description) {
        return new ApiResponse()
                .description(description)
                .content(new Content().addMediaType(PROBLEM_JSON, new MediaType().schema(reference(Problem.class))));
    }

    private Schema<?> reference(Class<?> type) {
        schemas.add(type);
        io.swagger.v3.oas.annotations.media.Schema named =
                type.getAnnotation(io.swagger.v3.oas.annotations.media.Schema.class);
        String name = named == null || named.name().isEmpty() ? type.getSimpleName() : named.name();
        return new Schema<>().$ref("#/components/schemas/" + name);
    }
}
