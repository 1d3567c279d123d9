package io.weir.control.listener;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.media.ExampleObject;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.weir.config.Checks;
import io.weir.config.InvalidConfigException;
import io.weir.config.ListenerConfig;
import io.weir.config.RouteConfig;
import io.weir.control.change.Configuration;
import io.weir.control.change.Outcome;
import io.weir.control.change.Refusal;
import io.weir.control.change.Write;
import io.weir.control.state.ConfigState;
import io.weir.control.state.Resource;
import io.weir.control.web.Answer;
import io.weir.control.web.Answers;
import io.weir.control.web.Body;
import io.weir.control.web.Fields;
import io.weir.control.web.ListView;
import io.weir.control.web.MediaTypes;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PatchMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.JsonNode;

/** Routes of a listener. */
@RestController
@RequestMapping(path = Resource.API + "/listeners/{listener}/routes", produces = MediaType.APPLICATION_JSON_VALUE)
@Tag(name = "Routes", description = "Which requests of a listener go where")
class RouteController {

    private final Configuration configuration;

    RouteController(Configuration configuration) {
        this.configuration = configuration;
    }

    @GetMapping
    @Operation(summary = "List the routes of a listener")
    ResponseEntity<ListView<RouteView>> list(@Parameter(example = Examples.LISTENER) @PathVariable String listener) {
        ConfigState state = configuration.state();
        return Answer.read(state, Resource.routes(listener), view(state, listener));
    }

    @PutMapping(consumes = MediaType.APPLICATION_JSON_VALUE)
    @Operation(summary = "Replace all routes of a listener")
    @Answers(RouteListView.class)
    ResponseEntity<Object> putAll(
            @Parameter(example = Examples.LISTENER) @PathVariable String listener,
            @Body(schema = RouteListView.class, example = Examples.PUT_ROUTES) JsonNode body,
            Write write) {
        List<RouteConfig> routes = readAll(body);
        Outcome outcome = configuration.change(write, state -> {
            ListenerConfig old = Listeners.find(state, listener);
            write.precondition().check(state.revision(Resource.routes(listener)));
            return state.with(withRoutes(old, routes), Resource.routes(listener));
        });
        return Answer.written(outcome, state -> view(state, listener));
    }

    @PostMapping(consumes = MediaType.APPLICATION_JSON_VALUE)
    @Operation(summary = "Add a route", description = "It becomes the last.")
    @Answers(value = RouteView.class, status = 201)
    ResponseEntity<Object> create(
            @Parameter(example = Examples.LISTENER) @PathVariable String listener,
            @Body(schema = RouteView.class, example = Examples.CREATE_ROUTE) JsonNode body,
            Write write) {
        RouteConfig route = RouteRequest.read(body, null);
        return answer(configuration.change(write, state -> {
            ListenerConfig old = Listeners.find(state, listener);
            write.precondition().checkMatch(state.revision(Resource.routes(listener)));
            if (Listeners.route(old, route.name()).isPresent()) {
                throw new Refusal(
                        Refusal.Reason.NAME_TAKEN,
                        "there is a route " + route.name() + " in listener " + listener + " already");
            }
            return state.with(Listeners.withRoute(old, route), Resource.route(listener, route.name()));
        }));
    }

    @GetMapping("/{route}")
    @Operation(summary = "Show a route")
    ResponseEntity<RouteView> show(
            @Parameter(example = Examples.LISTENER) @PathVariable String listener,
            @Parameter(example = Examples.ROUTE) @PathVariable String route) {
        ConfigState state = configuration.state();
        RouteConfig found = Listeners.findRoute(Listeners.find(state, listener), route);
        return Answer.read(state, Resource.route(listener, route), RouteView.of(found));
    }

    @PutMapping(path = "/{route}", consumes = MediaType.APPLICATION_JSON_VALUE)
    @Operation(summary = "Create or replace a route", description = "A new one becomes the last.")
    @Answers(value = RouteView.class, status = 201, orStatus = 200)
    ResponseEntity<Object> put(
            @Parameter(example = Examples.LISTENER) @PathVariable String listener,
            @Parameter(example = Examples.OTHER_ROUTE) @PathVariable String route,
            @Body(schema = RouteView.class, example = Examples.PUT_ROUTE) JsonNode body,
            Write write) {
        RouteConfig request = RouteRequest.read(body, route);
        Resource resource = Resource.route(listener, route);
        return answer(configuration.change(write, state -> {
            ListenerConfig old = Listeners.find(state, listener);
            write.precondition().check(state.revision(resource));
            return state.with(Listeners.withRoute(old, request), resource);
        }));
    }

    @PatchMapping(
            path = "/{route}",
            consumes = {MediaTypes.MERGE_PATCH, MediaType.APPLICATION_JSON_VALUE})
    @Operation(
            summary = "Change a route",
            description = "A JSON merge patch (RFC 7396): null gives a field its default back. Another target takes the"
                    + " place of the one there is.")
    @Answers(RouteView.class)
    ResponseEntity<Object> patch(
            @Parameter(example = Examples.LISTENER) @PathVariable String listener,
            @Parameter(example = Examples.ROUTE) @PathVariable String route,
            @Body(
                            schema = RouteView.class,
                            example = Examples.PATCH_ROUTE,
                            more = {
                                @ExampleObject(name = "buffering", value = Examples.PATCH_BUFFERING),
                                @ExampleObject(name = "error pages", value = Examples.PATCH_ERROR_PAGES)
                            })
                    JsonNode patch,
            Write write) {
        Resource resource = Resource.route(listener, route);
        return answer(configuration.change(write, state -> {
            ListenerConfig old = Listeners.find(state, listener);
            RouteView view = RouteView.of(Listeners.findRoute(old, route));
            write.precondition().check(state.revision(resource));
            JsonNode merged = RoutePatch.apply(view, patch);
            return state.with(Listeners.withRoute(old, RouteRequest.read(merged, route)), resource);
        }));
    }

    @DeleteMapping("/{route}")
    @Operation(summary = "Remove a route")
    @Answers(status = 204)
    ResponseEntity<Object> delete(
            @Parameter(example = Examples.LISTENER) @PathVariable String listener,
            @Parameter(example = Examples.OTHER_ROUTE) @PathVariable String route,
            Write write) {
        Resource resource = Resource.route(listener, route);
        return Answer.removed(configuration.change(write, state -> {
            ListenerConfig old = Listeners.find(state, listener);
            Listeners.findRoute(old, route);
            write.precondition().check(state.revision(resource));
            return state.with(Listeners.withoutRoute(old, route), resource);
        }));
    }

    private static ListenerConfig withRoutes(ListenerConfig listener, List<RouteConfig> routes) {
        try {
            return listener.withRoutes(routes);
        } catch (InvalidConfigException e) {
            throw e.moved("routes", "items");
        }
    }

    private static List<RouteConfig> readAll(JsonNode body) {
        Checks checks = new Checks();
        Fields fields = Fields.of(body, checks);
        fields.require("items");
        List<Fields> items = fields.objects("items");
        List<RouteConfig> routes = items == null
                ? List.of()
                : items.stream()
                        .map(item -> RouteRequest.read(item, null))
                        .filter(Objects::nonNull)
                        .toList();
        // so that what GET answered can be sent back; a version is asked for with If-Match
        fields.any("revision");
        fields.end();
        if (!checks.hasViolations()) {
            Set<String> names = new HashSet<>();
            for (int i = 0; i < routes.size(); i++) {
                checks.check(names.add(routes.get(i).name()), "items[" + i + "].name", "stands twice");
            }
        }
        checks.done();
        return routes;
    }

    private static ListView<RouteView> view(ConfigState state, String listener) {
        ListenerConfig found = Listeners.find(state, listener);
        Long revision = state.revision(Resource.routes(listener));
        return new ListView<>(found.routes().stream().map(RouteView::of).toList(), revision == null ? 0 : revision);
    }

    private static ResponseEntity<Object> answer(Outcome outcome) {
        Resource route = outcome.subject();
        return Answer.written(
                outcome,
                state -> RouteView.of(Listeners.findRoute(Listeners.find(state, route.parent()), route.name())));
    }
}
