package io.weir.control.web;

import io.weir.control.change.Outcome;
import io.weir.control.change.Refusal;
import io.weir.control.state.ConfigState;
import io.weir.control.state.Resource;
import java.net.URI;
import java.util.function.Function;
import org.springframework.http.ResponseEntity;

/** Answers with a resource and its version. */
public final class Answer {

    private Answer() {}

    /** To a read. */
    public static <T> ResponseEntity<T> read(ConfigState state, Resource resource, T view) {
        return ResponseEntity.ok().eTag(tag(state, resource)).body(view);
    }

    /** To a write: what is there now, or what a dry run found. */
    public static ResponseEntity<Object> written(Outcome outcome, Function<ConfigState, Object> view) {
        if (outcome.dryRun()) {
            return ResponseEntity.ok(DryRunView.of(outcome));
        }
        String tag = tag(outcome.after(), outcome.subject());
        URI location = URI.create(outcome.subject().path());
        if (outcome.lag() != null) {
            ResponseEntity.BodyBuilder accepted = ResponseEntity.accepted().eTag(tag);
            return (outcome.created() ? accepted.location(location) : accepted).body(LagView.of(outcome.lag()));
        }
        ResponseEntity.BodyBuilder answer = outcome.created() ? ResponseEntity.created(location) : ResponseEntity.ok();
        return answer.eTag(tag).body(view.apply(outcome.after()));
    }

    /** To a removal. */
    public static ResponseEntity<Object> removed(Outcome outcome) {
        if (outcome.lag() != null) {
            return ResponseEntity.accepted().body(LagView.of(outcome.lag()));
        }
        return outcome.dryRun()
                ? ResponseEntity.ok(DryRunView.of(outcome))
                : ResponseEntity.noContent().build();
    }

    private static String tag(ConfigState state, Resource resource) {
        Long revision = state.revision(resource);
        if (revision == null) {
            throw Refusal.notFound(resource.path());
        }
        return "\"" + revision + "\"";
    }
}
