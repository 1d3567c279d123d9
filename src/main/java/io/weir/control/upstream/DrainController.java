package io.weir.control.upstream;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.weir.config.Checks;
import io.weir.config.DrainConfig;
import io.weir.config.InvalidConfigException;
import io.weir.config.ServerAddress;
import io.weir.config.ServerConfig;
import io.weir.config.TimeSpan;
import io.weir.config.UpstreamConfig;
import io.weir.control.change.Configuration;
import io.weir.control.change.Outcome;
import io.weir.control.change.Refusal;
import io.weir.control.change.Write;
import io.weir.control.drain.DrainReport;
import io.weir.control.drain.Drains;
import io.weir.control.state.ConfigState;
import io.weir.control.state.Draft;
import io.weir.control.state.Resource;
import io.weir.control.web.Answer;
import io.weir.control.web.Answers;
import io.weir.control.web.Body;
import java.time.Clock;
import java.time.Duration;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;
import tools.jackson.databind.JsonNode;

/** Drains of servers. */
@RestController
@RequestMapping(
        path = Resource.API + "/upstreams/{upstream}/servers/{server}/drain",
        produces = MediaType.APPLICATION_JSON_VALUE)
@Tag(name = "Drains", description = "Taking a server out without losing what is in progress there")
class DrainController {

    /** Nobody in between should be expected to hold an idle connection open for longer. */
    private static final Duration LONGEST_WAIT = Duration.ofHours(1);

    /** The wait ends by itself; this is for a clock that was set back meanwhile. */
    private static final long SPARE_MILLIS = 5_000;

    private final Configuration configuration;
    private final Drains drains;
    private final Clock clock;

    DrainController(Configuration configuration, Drains drains, Clock clock) {
        this.configuration = configuration;
        this.drains = drains;
        this.clock = clock;
    }

    @GetMapping
    @Operation(
            summary = "Show how far the drain of a server is",
            description =
                    "The last one, in progress or not; also of a server that its drain has removed. Connections and"
                            + " requests are this node's. Answered at once, or with wait when the drain has ended, or the wait is"
                            + " over.")
    DeferredResult<DrainView> show(
            @Parameter(example = Examples.UPSTREAM) @PathVariable String upstream,
            @Parameter(example = Examples.SERVER) @PathVariable String server,
            @Parameter(description = "How long to wait for the end of the drain, at most 1h.")
                    @RequestParam(required = false)
                    @Nullable
                    String wait) {
        Duration longest = wait(wait);
        DrainReport report = report(upstream, server);
        DeferredResult<DrainView> answer = new DeferredResult<>(longest.toMillis() + SPARE_MILLIS);
        if (longest.isZero() || !report.isInProgress()) {
            answer.setResult(DrainView.of(report));
            return answer;
        }
        // by its id from now on: its address may be another's when the wait is over
        String id = Integer.toString(report.server().id());
        Runnable tell = () -> tell(answer, upstream, id);
        answer.onTimeout(tell);
        drains.await(report.server(), longest, tell);
        return answer;
    }

    /** On a thread that has other things to do, so it does not fail. */
    private void tell(DeferredResult<DrainView> answer, String upstream, String server) {
        try {
            answer.setResult(DrainView.of(report(upstream, server)));
        } catch (RuntimeException e) {
            answer.setErrorResult(e);
        }
    }

    private static Duration wait(@Nullable String text) {
        if (text == null) {
            return Duration.ZERO;
        }
        Checks checks = new Checks();
        TimeSpan wait = checks.attempt("wait", () -> TimeSpan.parse(text));
        checks.check(wait == null || wait.value().compareTo(LONGEST_WAIT) <= 0, "wait", "must be at most 1h");
        checks.done();
        return wait == null ? Duration.ZERO : wait.value();
    }

    @PostMapping(consumes = MediaType.APPLICATION_JSON_VALUE)
    @Operation(
            summary = "Drain a server",
            description =
                    "It gets no more requests but those bound to it. When nothing is in progress there any more, or the"
                            + " timeout is over and what is left was cut, it stays as it is, goes down, or is removed. A drain in"
                            + " progress is replaced, and its time begins anew. A server that is down stays down meanwhile.")
    @Answers(DrainView.class)
    ResponseEntity<Object> begin(
            @Parameter(example = Examples.UPSTREAM) @PathVariable String upstream,
            @Parameter(example = Examples.SERVER) @PathVariable String server,
            @Body(schema = DrainView.class, example = Examples.DRAIN) JsonNode body,
            Write write) {
        DrainRequest request = DrainRequest.read(body);
        Outcome outcome = configuration.change(
                write, state -> draft(state, upstream, server, write, old -> request.begin(old, clock.instant())));
        return Answer.written(
                outcome,
                state -> DrainView.of(report(upstream, outcome.subject().name())));
    }

    @DeleteMapping
    @Operation(
            summary = "Cancel the drain of a server",
            description =
                    "The server gets the state back that it had before; also after the drain has ended, as long as"
                            + " nobody has changed its state.")
    @Answers(status = 204)
    ResponseEntity<Object> cancel(
            @Parameter(example = Examples.UPSTREAM) @PathVariable String upstream,
            @Parameter(example = Examples.SERVER) @PathVariable String server,
            Write write) {
        return Answer.removed(configuration.change(
                write,
                state -> draft(state, upstream, server, write, old -> {
                    DrainConfig drain = old.drain();
                    if (drain == null) {
                        throw Refusal.notFound("drain of server " + server + " in upstream group " + upstream);
                    }
                    return old.withState(drain.before());
                })));
    }

    /** What becomes of a server. */
    private interface Change {
        ServerConfig of(ServerConfig server);
    }

    private static Draft draft(ConfigState state, String upstream, String server, Write write, Change change) {
        UpstreamConfig group = Groups.find(state, upstream);
        ServerConfig old = Groups.server(group, server);
        Resource subject = Resource.server(upstream, old.id());
        write.precondition().check(state.revision(subject));
        ServerSet set = Groups.servers(state, upstream).with(change.of(old));
        try {
            return state.with(group.withServers(set.servers()), set.nextId(), subject);
        } catch (InvalidConfigException e) {
            throw e.moved("servers", "");
        }
    }

    /** @throws Refusal if there is no such server, and was none of which anything is known */
    private DrainReport report(String upstream, String server) {
        ConfigState state = configuration.state();
        try {
            return drains.report(upstream, Groups.server(Groups.find(state, upstream), server));
        } catch (Refusal e) {
            DrainReport removed =
                    e.reason() == Refusal.Reason.NOT_FOUND ? drains.reportRemoved(upstream, was(server)) : null;
            if (removed == null) {
                throw e;
            }
            return removed;
        }
    }

    /** Whether a server that is gone is the one that a path means. */
    private static Predicate<ServerConfig> was(String key) {
        if (Groups.isId(key)) {
            return server -> Integer.toString(server.id()).equals(key);
        }
        try {
            String address =
                    ServerAddress.parse(key, ServerRequest.DEFAULT_PORT).canonical();
            return server -> server.address().canonical().equals(address);
        } catch (InvalidConfigException e) {
            return server -> false;
        }
    }
}
