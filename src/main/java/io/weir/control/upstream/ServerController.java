package io.weir.control.upstream;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.weir.config.Checks;
import io.weir.config.InvalidConfigException;
import io.weir.config.ServerAddress;
import io.weir.config.ServerConfig;
import io.weir.config.UpstreamConfig;
import io.weir.control.change.Configuration;
import io.weir.control.change.Outcome;
import io.weir.control.change.Write;
import io.weir.control.state.ConfigState;
import io.weir.control.state.Draft;
import io.weir.control.state.Resource;
import io.weir.control.web.Answer;
import io.weir.control.web.Answers;
import io.weir.control.web.Body;
import io.weir.control.web.Fields;
import io.weir.control.web.ListView;
import io.weir.control.web.MediaTypes;
import io.weir.control.web.MergePatch;
import io.weir.control.web.StrictJson;
import java.util.List;
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

/** Servers of an upstream group. */
@RestController
@RequestMapping(path = Resource.API + "/upstreams/{upstream}/servers", produces = MediaType.APPLICATION_JSON_VALUE)
@Tag(
        name = "Servers",
        description = "The servers of a group, one by one or all at once. {server} is the id or the address.")
class ServerController {

    private final Configuration configuration;

    ServerController(Configuration configuration) {
        this.configuration = configuration;
    }

    @GetMapping
    @Operation(summary = "List the servers of a group")
    ResponseEntity<ListView<ServerView>> list(@Parameter(example = Examples.UPSTREAM) @PathVariable String upstream) {
        ConfigState state = configuration.state();
        return Answer.read(state, Resource.servers(upstream), view(state, upstream));
    }

    @PutMapping(consumes = MediaType.APPLICATION_JSON_VALUE)
    @Operation(
            summary = "Replace all servers of a group",
            description =
                    "A server that carries an id, or else has the address of one that is there, is that server and"
                            + " keeps its id and its state. Two may have the same address.")
    @Answers(ServerListView.class)
    ResponseEntity<Object> putAll(
            @Parameter(example = Examples.UPSTREAM) @PathVariable String upstream,
            @Body(schema = ServerListView.class, example = Examples.PUT_SERVERS) JsonNode body,
            Write write) {
        List<ServerRequest> requests = readAll(body);
        Outcome outcome = configuration.change(write, state -> {
            UpstreamConfig group = Groups.find(state, upstream);
            write.precondition().check(state.revision(Resource.servers(upstream)));
            ServerSet set = Groups.servers(state, upstream).replacedBy(requests, "items");
            return draft(state, group, set, Resource.servers(upstream));
        });
        return Answer.written(outcome, state -> view(state, upstream));
    }

    @PostMapping(consumes = MediaType.APPLICATION_JSON_VALUE)
    @Operation(
            summary = "Add a server",
            description = "Refused if a server of the group has that address, so that sending it again does no harm.")
    @Answers(value = ServerView.class, status = 201)
    ResponseEntity<Object> add(
            @Parameter(example = Examples.UPSTREAM) @PathVariable String upstream,
            @Body(schema = ServerView.class, example = Examples.ADD_SERVER) JsonNode body,
            Write write) {
        ServerRequest request = ServerRequest.read(body, null);
        return answer(configuration.change(write, state -> {
            UpstreamConfig group = Groups.find(state, upstream);
            write.precondition().checkMatch(state.revision(Resource.servers(upstream)));
            return add(state, group, request);
        }));
    }

    @GetMapping("/{server}")
    @Operation(summary = "Show a server")
    ResponseEntity<ServerView> show(
            @Parameter(example = Examples.UPSTREAM) @PathVariable String upstream,
            @Parameter(example = Examples.SERVER) @PathVariable String server) {
        ConfigState state = configuration.state();
        ServerConfig found = Groups.server(Groups.find(state, upstream), server);
        return Answer.read(state, Resource.server(upstream, found.id()), ServerView.of(found));
    }

    @PutMapping(path = "/{server}", consumes = MediaType.APPLICATION_JSON_VALUE)
    @Operation(
            summary = "Create or replace a server",
            description = "By an address that no server of the group has, it is added; an id must be there.")
    @Answers(value = ServerView.class, status = 201, orStatus = 200)
    ResponseEntity<Object> put(
            @Parameter(example = Examples.UPSTREAM) @PathVariable String upstream,
            @Parameter(example = Examples.OTHER_SERVER) @PathVariable String server,
            @Body(schema = ServerView.class, example = Examples.PUT_SERVER) JsonNode body,
            Write write) {
        ServerAddress address = Groups.isId(server) ? null : address(server);
        ServerRequest request = ServerRequest.read(body, address);
        return answer(configuration.change(write, state -> {
            UpstreamConfig group = Groups.find(state, upstream);
            if (address == null) {
                return replace(state, group, Groups.server(group, server), request, write);
            }
            checkSame(address, request);
            Optional<ServerConfig> found = Groups.byAddress(group, address);
            if (found.isPresent()) {
                return replace(state, group, found.get(), request, write);
            }
            write.precondition().check(null);
            return add(state, group, request);
        }));
    }

    @PatchMapping(
            path = "/{server}",
            consumes = {MediaTypes.MERGE_PATCH, MediaType.APPLICATION_JSON_VALUE})
    @Operation(
            summary = "Change a server",
            description = "A JSON merge patch (RFC 7396): null gives a field its default back.")
    @Answers(ServerView.class)
    ResponseEntity<Object> patch(
            @Parameter(example = Examples.UPSTREAM) @PathVariable String upstream,
            @Parameter(example = Examples.SERVER) @PathVariable String server,
            @Body(schema = ServerView.class, example = Examples.PATCH_SERVER) JsonNode patch,
            Write write) {
        return answer(configuration.change(write, state -> {
            UpstreamConfig group = Groups.find(state, upstream);
            ServerConfig old = Groups.server(group, server);
            write.precondition().check(state.revision(Resource.server(upstream, old.id())));
            JsonNode merged = MergePatch.apply(StrictJson.of(ServerView.of(old)), patch);
            return replace(state, group, old, ServerRequest.read(merged, null), Write.NOW);
        }));
    }

    @DeleteMapping("/{server}")
    @Operation(summary = "Remove a server", description = "Requests in progress there run to their end.")
    @Answers(status = 204)
    ResponseEntity<Object> delete(
            @Parameter(example = Examples.UPSTREAM) @PathVariable String upstream,
            @Parameter(example = Examples.OTHER_SERVER) @PathVariable String server,
            Write write) {
        return Answer.removed(configuration.change(write, state -> {
            UpstreamConfig group = Groups.find(state, upstream);
            int id = Groups.server(group, server).id();
            write.precondition().check(state.revision(Resource.server(upstream, id)));
            ServerSet set = Groups.servers(state, upstream).without(id);
            return draft(state, group, set, Resource.server(upstream, id));
        }));
    }

    private static Draft add(ConfigState state, UpstreamConfig group, ServerRequest request) {
        Groups.checkAddressFree(group, request.config().address(), -1);
        ServerSet set = Groups.servers(state, group.name());
        ServerSet more = set.plus(request);
        return draft(state, group, more, Resource.server(group.name(), more.nextId() - 1));
    }

    private static Draft replace(
            ConfigState state, UpstreamConfig group, ServerConfig old, ServerRequest request, Write write) {
        Resource resource = Resource.server(group.name(), old.id());
        write.precondition().check(state.revision(resource));
        checkId(request, old.id());
        // one of two with the same address may keep it
        if (!request.config().address().canonical().equals(old.address().canonical())) {
            Groups.checkAddressFree(group, request.config().address(), old.id());
        }
        return draft(state, group, Groups.servers(state, group.name()).with(request.inPlaceOf(old)), resource);
    }

    private static Draft draft(ConfigState state, UpstreamConfig group, ServerSet set, Resource subject) {
        try {
            return state.with(group.withServers(set.servers()), set.nextId(), subject);
        } catch (InvalidConfigException e) {
            if (subject.name().isEmpty()) {
                throw e.moved("servers", "items");
            }
            throw e.moved("servers[" + set.position(subject.name()) + "]", "").moved("servers", "");
        }
    }

    private static List<ServerRequest> readAll(JsonNode body) {
        Checks checks = new Checks();
        Fields fields = Fields.of(body, checks);
        fields.require("items");
        List<Fields> items = fields.objects("items");
        List<ServerRequest> requests = items == null
                ? List.of()
                : items.stream().map(item -> ServerRequest.read(item, null)).toList();
        // so that what GET answered can be sent back; a version is asked for with If-Match
        fields.any("revision");
        fields.end();
        checks.done();
        return requests;
    }

    private static ServerAddress address(String text) {
        Checks checks = new Checks();
        ServerAddress address = checks.attempt("address", () -> ServerAddress.parse(text, ServerRequest.DEFAULT_PORT));
        checks.done();
        return address == null ? ServerAddress.parse(text, ServerRequest.DEFAULT_PORT) : address;
    }

    private static void checkSame(ServerAddress inPath, ServerRequest request) {
        if (!request.config().address().canonical().equals(inPath.canonical())) {
            throw new InvalidConfigException(
                    "address", "must be " + inPath + ", as in the path, or absent; use the id to change it");
        }
    }

    /** The id in a document, if there is one, must be that of the server. */
    private static void checkId(ServerRequest request, int id) {
        if (request.id() != null && request.id() != id) {
            throw new InvalidConfigException("id", "must be " + id + " or absent");
        }
    }

    private static ListView<ServerView> view(ConfigState state, String upstream) {
        UpstreamConfig group = Groups.find(state, upstream);
        Long revision = state.revision(Resource.servers(upstream));
        return new ListView<>(group.servers().stream().map(ServerView::of).toList(), revision == null ? 0 : revision);
    }

    private static ResponseEntity<Object> answer(Outcome outcome) {
        Resource server = outcome.subject();
        return Answer.written(
                outcome, state -> ServerView.of(Groups.server(Groups.find(state, server.parent()), server.name())));
    }
}
