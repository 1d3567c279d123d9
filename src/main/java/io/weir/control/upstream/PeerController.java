package io.weir.control.upstream;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.weir.control.change.Refusal;
import io.weir.control.state.Resource;
import io.weir.control.web.ListView;
import io.weir.upstream.UpstreamGroup;
import io.weir.upstream.Upstreams;
import io.weir.zone.ZoneSnapshot;
import java.time.Clock;
import java.time.Instant;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** Peers of an upstream group, as they are now. */
@RestController
@Tag(name = "Peers", description = "What is true now: the addresses of a group's servers, their state and counters")
class PeerController {

    private final Upstreams upstreams;
    private final Clock clock;

    PeerController(Upstreams upstreams, Clock clock) {
        this.upstreams = upstreams;
        this.clock = clock;
    }

    @GetMapping(path = Resource.API + "/upstreams/{upstream}/peers", produces = MediaType.APPLICATION_JSON_VALUE)
    @Operation(
            summary = "List the peers of a group",
            description = "Primaries first, each list in the order of the configuration. The counters are this node's.")
    ListView<PeerView> list(@Parameter(example = Examples.UPSTREAM) @PathVariable String upstream) {
        UpstreamGroup group = upstreams.group(upstream);
        if (group == null) {
            throw Refusal.notFound("upstream group " + upstream);
        }
        ZoneSnapshot snapshot = group.snapshot();
        Instant now = clock.instant();
        return new ListView<>(
                snapshot.peers().stream()
                        .map(peer -> PeerView.of(peer, snapshot.protocol(), now))
                        .toList(),
                snapshot.revision());
    }
}
