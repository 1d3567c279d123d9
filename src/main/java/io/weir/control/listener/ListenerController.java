package io.weir.control.listener;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.media.ExampleObject;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.weir.config.ListenerConfig;
import io.weir.control.change.Configuration;
import io.weir.control.change.Outcome;
import io.weir.control.change.Refusal;
import io.weir.control.change.Write;
import io.weir.control.state.ConfigState;
import io.weir.control.state.Draft;
import io.weir.control.state.Resource;
import io.weir.control.web.Answer;
import io.weir.control.web.Answers;
import io.weir.control.web.Body;
import io.weir.control.web.ListView;
import io.weir.control.web.MediaTypes;
import java.util.List;
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

/** Listeners. */
@RestController
@RequestMapping(path = Resource.API + "/listeners", produces = MediaType.APPLICATION_JSON_VALUE)
@Tag(name = "Listeners", description = "The sockets that clients connect to")
class ListenerController {

    private final Configuration configuration;

    ListenerController(Configuration configuration) {
        this.configuration = configuration;
    }

    @GetMapping
    @Operation(summary = "List the listeners")
    ResponseEntity<ListView<ListenerView>> list() {
        ConfigState state = configuration.state();
        List<ListenerView> items =
                state.config().listeners().stream().map(ListenerView::of).toList();
        return Answer.read(
                state, Resource.LISTENERS, new ListView<>(items, state.config().revision()));
    }

    @PostMapping(consumes = MediaType.APPLICATION_JSON_VALUE)
    @Operation(summary = "Create a listener", description = "Refused if its port cannot be bound.")
    @Answers(value = ListenerView.class, status = 201)
    ResponseEntity<Object> create(
            @Body(
                            schema = ListenerView.class,
                            example = Examples.CREATE_LISTENER,
                            more = {
                                @ExampleObject(name = "tcp", value = Examples.CREATE_TCP),
                                @ExampleObject(name = "tcp, by TLS name", value = Examples.CREATE_PREREAD),
                                @ExampleObject(name = "udp", value = Examples.CREATE_UDP)
                            })
                    JsonNode body,
            Write write) {
        ListenerRequest request = ListenerRequest.read(body, null);
        return answer(request.name(), configuration.change(write, state -> {
            write.precondition().checkMatch(state.revision(Resource.LISTENERS));
            if (state.config().listener(request.name()).isPresent()) {
                throw new Refusal(Refusal.Reason.NAME_TAKEN, "there is a listener " + request.name() + " already");
            }
            return draft(state, request);
        }));
    }

    @GetMapping("/{listener}")
    @Operation(summary = "Show a listener")
    ResponseEntity<ListenerView> show(@Parameter(example = Examples.LISTENER) @PathVariable String listener) {
        ConfigState state = configuration.state();
        return Answer.read(state, Resource.listener(listener), ListenerView.of(Listeners.find(state, listener)));
    }

    @PutMapping(path = "/{listener}", consumes = MediaType.APPLICATION_JSON_VALUE)
    @Operation(
            summary = "Create or replace a listener",
            description =
                    "Without routes it keeps those it has, unless protocol goes from http to tcp or udp, or back.")
    @Answers(value = ListenerView.class, status = 201, orStatus = 200)
    ResponseEntity<Object> put(
            @Parameter(example = Examples.OTHER_LISTENER) @PathVariable String listener,
            @Body(
                            schema = ListenerView.class,
                            example = Examples.PUT_LISTENER,
                            more = {
                                @ExampleObject(name = "PROXY protocol", value = Examples.PUT_PROXY_PROTOCOL),
                                @ExampleObject(name = "access log of variables", value = Examples.PUT_LOG),
                                @ExampleObject(
                                        name = "tcp with PROXY protocol",
                                        value = Examples.PUT_TCP_PROXY_PROTOCOL)
                            })
                    JsonNode body,
            Write write) {
        ListenerRequest request = ListenerRequest.read(body, listener);
        return answer(listener, configuration.change(write, state -> {
            write.precondition().check(state.revision(Resource.listener(listener)));
            return draft(state, request);
        }));
    }

    @PatchMapping(
            path = "/{listener}",
            consumes = {MediaTypes.MERGE_PATCH, MediaType.APPLICATION_JSON_VALUE})
    @Operation(
            summary = "Change a listener",
            description = "A JSON merge patch (RFC 7396): null gives a field its default back. Where protocol goes from"
                    + " http to tcp or udp, or back, what was at its default takes the default of the new kind, and what"
                    + " was set stays.")
    @Answers(ListenerView.class)
    ResponseEntity<Object> patch(
            @Parameter(example = Examples.LISTENER) @PathVariable String listener,
            @Body(
                            schema = ListenerView.class,
                            example = Examples.PATCH_LISTENER,
                            more = {
                                @ExampleObject(name = "access log", value = Examples.PATCH_LOG),
                                @ExampleObject(name = "limits of clients", value = Examples.PATCH_CLIENT)
                            })
                    JsonNode patch,
            Write write) {
        return answer(listener, configuration.change(write, state -> {
            ListenerConfig old = Listeners.find(state, listener);
            write.precondition().check(state.revision(Resource.listener(listener)));
            JsonNode merged = ListenerPatch.apply(old, patch);
            return draft(state, ListenerRequest.read(merged, listener));
        }));
    }

    @DeleteMapping("/{listener}")
    @Operation(
            summary = "Remove a listener and its routes",
            description = "Requests and sessions in progress run to their end.")
    @Answers(status = 204)
    ResponseEntity<Object> delete(
            @Parameter(example = Examples.OTHER_LISTENER) @PathVariable String listener, Write write) {
        return Answer.removed(configuration.change(write, state -> {
            Listeners.find(state, listener);
            write.precondition().check(state.revision(Resource.listener(listener)));
            return state.withoutListener(listener);
        }));
    }

    private static Draft draft(ConfigState state, ListenerRequest request) {
        ListenerConfig listener =
                request.toConfig(state.config().listener(request.name()).orElse(null));
        Listeners.checkPortFree(state, listener);
        Listeners.checkRotation(state, listener);
        return state.with(listener, Resource.listener(request.name()));
    }

    private static ResponseEntity<Object> answer(String listener, Outcome outcome) {
        return Answer.written(outcome, state -> ListenerView.of(Listeners.find(state, listener)));
    }
}
