package io.weir.control.status;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.weir.control.change.Configuration;
import io.weir.control.node.Nodes;
import io.weir.control.node.Sighting;
import io.weir.control.state.Resource;
import io.weir.control.web.ListView;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** The nodes that share one database. */
@RestController
@Tag(name = "Nodes", description = "All nodes on the same database, and what they run")
class NodeController {

    private final Nodes nodes;
    private final Configuration configuration;

    NodeController(Nodes nodes, Configuration configuration) {
        this.nodes = nodes;
        this.configuration = configuration;
    }

    @GetMapping(path = Resource.API + "/nodes", produces = MediaType.APPLICATION_JSON_VALUE)
    @Operation(
            summary = "List the nodes",
            description =
                    "This one first, then the others as they have told of themselves, each second. A node that has ended or"
                            + " is cut off is not live, and is listed for ten minutes. The revision is the one that is"
                            + " stored, as far as this node knows.")
    ListView<NodeView> list() {
        List<NodeView> views = new ArrayList<>();
        views.add(NodeView.of(nodes.self(), true, true, Instant.now().truncatedTo(ChronoUnit.MILLIS)));
        for (Sighting other : nodes.others()) {
            views.add(NodeView.of(other.node(), false, nodes.isLive(other), other.at()));
        }
        return new ListView<>(views, configuration.state().config().revision());
    }
}
