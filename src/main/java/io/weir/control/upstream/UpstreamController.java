package io.weir.control.upstream;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.media.ExampleObject;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.weir.config.UpstreamConfig;
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
import java.util.Optional;
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

/** Upstream groups. */
@RestController
@RequestMapping(path = Resource.API + "/upstreams", produces = MediaType.APPLICATION_JSON_VALUE)
@Tag(name = "Upstream groups", description = "Servers that do the same work, and how requests are spread over them")
class UpstreamController {

    private final Configuration configuration;

    UpstreamController(Configuration configuration) {
        this.configuration = configuration;
    }

    @GetMapping
    @Operation(summary = "List the upstream groups")
    ResponseEntity<ListView<UpstreamView>> list() {
        ConfigState state = configuration.state();
        var items = state.config().upstreams().stream().map(UpstreamView::of).toList();
        return Answer.read(
                state, Resource.UPSTREAMS, new ListView<>(items, state.config().revision()));
    }

    @PostMapping(consumes = MediaType.APPLICATION_JSON_VALUE)
    @Operation(summary = "Create an upstream group")
    @Answers(value = UpstreamView.class, status = 201)
    ResponseEntity<Object> create(
            @Body(
                            schema = UpstreamView.class,
                            example = Examples.CREATE_UPSTREAM,
                            more = {
                                @ExampleObject(name = "ip_hash", value = Examples.CREATE_IP_HASH),
                                @ExampleObject(name = "hash", value = Examples.CREATE_HASH),
                                @ExampleObject(name = "consistent hash", value = Examples.CREATE_CONSISTENT),
                                @ExampleObject(name = "stream", value = Examples.CREATE_STREAM),
                                @ExampleObject(name = "stream, least time", value = Examples.CREATE_STREAM_LEAST_TIME),
                                @ExampleObject(name = "stream, hash", value = Examples.CREATE_STREAM_HASH)
                            })
                    JsonNode body,
            Write write) {
        UpstreamRequest request = UpstreamRequest.read(body, null);
        return answer(request.name(), configuration.change(write, state -> {
            write.precondition().checkMatch(state.revision(Resource.UPSTREAMS));
            if (state.config().upstream(request.name()).isPresent()) {
                throw new Refusal(
                        Refusal.Reason.NAME_TAKEN, "there is an upstream group " + request.name() + " already");
            }
            return draft(state, request);
        }));
    }

    @GetMapping("/{upstream}")
    @Operation(summary = "Show an upstream group")
    ResponseEntity<UpstreamView> show(@Parameter(example = Examples.UPSTREAM) @PathVariable String upstream) {
        ConfigState state = configuration.state();
        return Answer.read(state, Resource.upstream(upstream), UpstreamView.of(Groups.find(state, upstream)));
    }

    @PutMapping(path = "/{upstream}", consumes = MediaType.APPLICATION_JSON_VALUE)
    @Operation(
            summary = "Create or replace an upstream group",
            description =
                    "Without servers it keeps those it has. With them, a server that carries an id, or else has the"
                            + " address of one that is there, is that server and keeps its id and its state.")
    @Answers(value = UpstreamView.class, status = 201, orStatus = 200)
    ResponseEntity<Object> put(
            @Parameter(example = Examples.OTHER_UPSTREAM) @PathVariable String upstream,
            @Body(
                            schema = UpstreamView.class,
                            example = Examples.PUT_UPSTREAM,
                            more = {
                                @ExampleObject(name = "random", value = Examples.PUT_RANDOM),
                                @ExampleObject(name = "random two", value = Examples.PUT_RANDOM_TWO),
                                @ExampleObject(name = "sticky route", value = Examples.PUT_STICKY_ROUTE),
                                @ExampleObject(name = "sticky learn", value = Examples.PUT_STICKY_LEARN)
                            })
                    JsonNode body,
            Write write) {
        UpstreamRequest request = UpstreamRequest.read(body, upstream);
        return answer(upstream, configuration.change(write, state -> {
            write.precondition().check(state.revision(Resource.upstream(upstream)));
            return draft(state, request);
        }));
    }

    @PatchMapping(
            path = "/{upstream}",
            consumes = {MediaTypes.MERGE_PATCH, MediaType.APPLICATION_JSON_VALUE})
    @Operation(
            summary = "Change an upstream group",
            description =
                    "A JSON merge patch (RFC 7396): null gives a field its default back. Another balancing.method or"
                            + " sticky.type replaces the whole object.")
    @Answers(UpstreamView.class)
    ResponseEntity<Object> patch(
            @Parameter(example = Examples.UPSTREAM) @PathVariable String upstream,
            @Body(
                            schema = UpstreamView.class,
                            example = Examples.PATCH_UPSTREAM,
                            more = {
                                @ExampleObject(name = "another method", value = Examples.PATCH_METHOD),
                                @ExampleObject(name = "sticky cookie", value = Examples.PATCH_STICKY),
                                @ExampleObject(name = "not sticky", value = Examples.PATCH_NOT_STICKY)
                            })
                    JsonNode patch,
            Write write) {
        return answer(upstream, configuration.change(write, state -> {
            UpstreamConfig old = Groups.find(state, upstream);
            write.precondition().check(state.revision(Resource.upstream(upstream)));
            return draft(state, UpstreamRequest.read(UpstreamRequest.patched(old, patch), upstream));
        }));
    }

    @DeleteMapping("/{upstream}")
    @Operation(
            summary = "Remove an upstream group",
            description = "Requests in progress run to their end. Refused while a route or a listener names it.")
    @Answers(status = 204)
    ResponseEntity<Object> delete(
            @Parameter(example = Examples.OTHER_UPSTREAM) @PathVariable String upstream, Write write) {
        return Answer.removed(configuration.change(write, state -> {
            Groups.find(state, upstream);
            write.precondition().check(state.revision(Resource.upstream(upstream)));
            Groups.checkUnused(state, upstream);
            return state.withoutUpstream(upstream);
        }));
    }

    private static Draft draft(ConfigState state, UpstreamRequest request) {
        Optional<UpstreamConfig> old = state.config().upstream(request.name());
        if (old.isPresent() && old.get().protocol() != request.protocol()) {
            // to whoever refers to it, it is no longer the group that it was
            Groups.checkUnused(state, request.name());
        }
        ServerSet set = Groups.servers(state, request.name());
        if (request.servers() != null) {
            set = set.replacedBy(request.servers(), "servers");
        }
        return state.with(request.toConfig(set), set.nextId(), Resource.upstream(request.name()));
    }

    private static ResponseEntity<Object> answer(String upstream, Outcome outcome) {
        return Answer.written(outcome, state -> UpstreamView.of(Groups.find(state, upstream)));
    }
}
