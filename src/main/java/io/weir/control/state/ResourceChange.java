package io.weir.control.state;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** That a resource was added, changed or removed. A group changes with its servers, a listener with its routes. */
public record ResourceChange(Action action, Resource resource) {

    /** What became of it. */
    public enum Action {
        ADDED,
        CHANGED,
        REMOVED
    }

    /** All that differs between two states, in the order of the resources' paths. */
    public static List<ResourceChange> between(ConfigState before, ConfigState after) {
        List<ResourceChange> changes = new ArrayList<>();
        Map<Resource, Long> old = before.revisions();
        after.revisions().forEach((resource, revision) -> {
            Long was = old.get(resource);
            if (was == null) {
                changes.add(new ResourceChange(Action.ADDED, resource));
            } else if (!was.equals(revision)) {
                changes.add(new ResourceChange(Action.CHANGED, resource));
            }
        });
        old.keySet().stream()
                .filter(resource -> !after.revisions().containsKey(resource))
                .forEach(resource -> changes.add(new ResourceChange(Action.REMOVED, resource)));
        changes.sort(Comparator.comparing(change -> change.resource().path()));
        return changes;
    }
}
