package io.weir.control.upstream;

import io.weir.config.Checks;
import io.weir.config.InvalidConfigException;
import io.weir.config.ServerConfig;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The servers of a group and the id that the next one gets.
 *
 * @param nextId greater than every id that was ever used in the group
 */
record ServerSet(List<ServerConfig> servers, int nextId) {

    /** This with one server more, at the end. */
    ServerSet plus(ServerRequest server) {
        List<ServerConfig> all = new ArrayList<>(servers);
        all.add(server.withId(nextId));
        return new ServerSet(all, nextId + 1);
    }

    /** This with the server of that id replaced where it stands. */
    ServerSet with(ServerConfig server) {
        return new ServerSet(
                servers.stream().map(s -> s.id() == server.id() ? server : s).toList(), nextId);
    }

    ServerSet without(int id) {
        return new ServerSet(servers.stream().filter(s -> s.id() != id).toList(), nextId);
    }

    /**
     * Other servers in place of these: one that carries an id is that server; one that does not is the first unclaimed
     * server with its address, or else a new one.
     *
     * @param path of the list in the request
     * @throws InvalidConfigException if an id is no server of this group, or is claimed twice
     */
    ServerSet replacedBy(List<ServerRequest> wanted, String path) {
        Map<Integer, ServerConfig> unclaimed = new LinkedHashMap<>();
        servers.forEach(server -> unclaimed.put(server.id(), server));
        @Nullable Integer[] ids = new @Nullable Integer[wanted.size()];
        Checks checks = new Checks();
        for (int i = 0; i < ids.length; i++) {
            Integer id = wanted.get(i).id();
            ids[i] = id;
            if (id != null && unclaimed.remove(id) == null) {
                boolean known = servers.stream().anyMatch(s -> s.id() == id);
                String message = known
                        ? "stands twice in this list"
                        : "is not a server of this group; leave it out for a new server";
                checks.check(false, path + "[" + i + "].id", message);
            }
        }
        checks.done();
        Map<String, List<Integer>> byAddress = new LinkedHashMap<>();
        unclaimed
                .values()
                .forEach(server -> byAddress
                        .computeIfAbsent(server.address().canonical(), a -> new ArrayList<>())
                        .add(server.id()));
        int next = nextId;
        List<ServerConfig> all = new ArrayList<>();
        for (int i = 0; i < ids.length; i++) {
            ServerRequest server = wanted.get(i);
            Integer id = ids[i];
            if (id == null) {
                List<Integer> same =
                        byAddress.getOrDefault(server.config().address().canonical(), List.of());
                id = same.isEmpty() ? Integer.valueOf(next++) : same.remove(0);
            }
            all.add(server.withId(id));
        }
        return new ServerSet(all, next);
    }
}
