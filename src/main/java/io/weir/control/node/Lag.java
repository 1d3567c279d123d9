package io.weir.control.node;

import java.util.List;

/**
 * That a change had not come to all nodes when the time for that was over.
 *
 * @param lacking those that were alive and did not have it
 * @param known whether the nodes could be looked at since the change; if not, others may lack it too
 */
public record Lag(long revision, List<Node> lacking, boolean known) {

    public Lag {
        lacking = List.copyOf(lacking);
    }
}
