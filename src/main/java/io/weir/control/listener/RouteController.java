package io.weir.control.listener;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.media.ExampleObject;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.weir.config.Checks;
import io.weir.config.InvalidConfigException;
import io.weir.config.ListenerConfig;
import io.weir.config.ListenerRoute;
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
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
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
@Tag(
        name = "Routes",
        description = "Which requests of an HTTP listener, or clients of a tcp listener with sslPreread, go where")
class RouteController {

    private final Configuration configuration;

    RouteController(Configuration configuration) {
        this.configuration = configuration;
    }

    @GetMapping
    @Operation(summary = "List the routes of a listener")
    ResponseEntity<ListView<ListenerRouteView>> list(
            @Parameter(example = Examples.LISTENER) @PathVariable String listener) {
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
        Outcome outcome = configuration.change(write, state -> {
            ListenerConfig old = Listeners.find(state, listener);
            List<ListenerRoute> routes = readAll(old, body);
            write.precondition().check(state.revision(Resource.routes(listener)));
            return state.with(withRoutes(old, routes), Resource.routes(listener));
        });
        return Answer.written(outcome, state -> view(state, listener));
    }

    @PostMapping(consumes = MediaType.APPLICATION_JSON_VALUE)
    @Operation(summary = "Add a route", description = "It becomes the last.")
    @Answers(value = ListenerRouteView.class, status = 201)
    ResponseEntity<Object> create(
            @Parameter(example = Examples.LISTENER) @PathVariable String listener,
            @Body(schema = ListenerRouteView.class, example = Examples.CREATE_ROUTE) JsonNode body,
            Write write) {
        return answer(configuration.change(write, state -> {
            ListenerConfig old = Listeners.find(state, listener);
            ListenerRoute route = Routes.read(old, body, null);
            write.precondition().checkMatch(state.revision(Resource.routes(listener)));
            if (Routes.route(old, route.name()).isPresent()) {
                throw new Refusal(
                        Refusal.Reason.NAME_TAKEN,
                        "there is a route " + route.name() + " in listener " + listener + " already");
            }
            return state.with(Routes.with(old, route), Resource.route(listener, route.name()));
        }));
    }

    @GetMapping("/{route}")
    @Operation(summary = "Show a route")
    ResponseEntity<ListenerRouteView> show(
            @Parameter(example = Examples.LISTENER) @PathVariable String listener,
            @Parameter(example = Examples.ROUTE) @PathVariable String route) {
        ConfigState state = configuration.state();
        ListenerRoute found = Routes.find(Listeners.find(state, listener), route);
        return Answer.read(state, Resource.route(listener, route), ListenerRouteView.of(found));
    }

    @PutMapping(path = "/{route}", consumes = MediaType.APPLICATION_JSON_VALUE)
    @Operation(summary = "Create or replace a route", description = "A new one becomes the last.")
    @Answers(value = ListenerRouteView.class, status = 201, orStatus = 200)
    ResponseEntity<Object> put(
            @Parameter(example = Examples.LISTENER) @PathVariable String listener,
            @Parameter(example = Examples.OTHER_ROUTE) @PathVariable String route,
            @Body(schema = ListenerRouteView.class, example = Examples.PUT_ROUTE) JsonNode body,
            Write write) {
        Resource resource = Resource.route(listener, route);
        return answer(configuration.change(write, state -> {
            ListenerConfig old = Listeners.find(state, listener);
            ListenerRoute request = Routes.read(old, body, route);
            write.precondition().check(state.revision(resource));
            return state.with(Routes.with(old, request), resource);
        }));
    }

    @PatchMapping(
            path = "/{route}",
            consumes = {MediaTypes.MERGE_PATCH, MediaType.APPLICATION_JSON_VALUE})
    @Operation(
            summary = "Change a route",
            description = "A JSON merge patch (RFC 7396): null gives a field its default back. Another target takes the"
                    + " place of the one there is.")
    @Answers(ListenerRouteView.class)
    ResponseEntity<Object> patch(
            @Parameter(example = Examples.LISTENER) @PathVariable String listener,
            @Parameter(example = Examples.ROUTE) @PathVariable String route,
            @Body(
                            schema = ListenerRouteView.class,
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
            ListenerRoute found = Routes.find(old, route);
            write.precondition().check(state.revision(resource));
            JsonNode merged = Routes.patch(found, patch);
            return state.with(Routes.with(old, Routes.read(old, merged, route)), resource);
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
            Routes.find(old, route);
            write.precondition().check(state.revision(resource));
            return state.with(Routes.without(old, route), resource);
        }));
    }

    private static ListenerConfig withRoutes(ListenerConfig listener, List<ListenerRoute> routes) {
        try {
            return Routes.with(listener, routes);
        } catch (InvalidConfigException e) {
            throw e.moved("routes", "items");
        }
    }

    private static List<ListenerRoute> readAll(ListenerConfig listener, JsonNode body) {
        Checks checks = new Checks();
        Fields fields = Fields.of(body, checks);
        fields.require("items");
        List<Fields> items = fields.objects("items");
        List<ListenerRoute> routes = new ArrayList<>();
        for (Fields item : items == null ? List.<Fields>of() : items) {
            ListenerRoute route = Routes.read(listener, item);
            if (route != null) {
                routes.add(route);
            }
        }
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

    private static ListView<ListenerRouteView> view(ConfigState state, String listener) {
        ListenerConfig found = Listeners.find(state, listener);
        Long revision = state.revision(Resource.routes(listener));
        return new ListView<>(
                found.routes().stream().map(ListenerRouteView::of).toList(), revision == null ? 0 : revision);
    }

    private static ResponseEntity<Object> answer(Outcome outcome) {
        Resource route = outcome.subject();
        return Answer.written(
                outcome,
                state -> ListenerRouteView.of(Routes.find(Listeners.find(state, route.parent()), route.name())));
    }
}
