package io.weir.control.upstream;

import io.weir.config.Checks;
import io.weir.config.InvalidConfigException;
import io.weir.config.ServerConfig;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The servers of a group and the id that the next one gets.
 *
 * @param nextId greater than every id that was ever used in the group
 */
record ServerSet(List<ServerConfig> servers, int nextId) {

    /** The greatest id that a client may name for a new server: more than as many are left for those that follow. */
    private static final int MOST_NAMED = 1_000_000_000;

    /** One less than an int holds, so that there always is a next id. */
    private static final int MOST_GIVEN = Integer.MAX_VALUE - 1;

    /**
     * This with one server more, at the end.
     *
     * @throws InvalidConfigException if it names an id that it cannot have
     */
    ServerSet plus(ServerRequest server) {
        Checks checks = new Checks();
        Integer named = server.id();
        if (named == null) {
            checkLeft(nextId, "", checks);
        } else {
            checkNew(named, "id", checks);
        }
        checks.done();
        int id = named == null ? nextId : named;
        List<ServerConfig> all = new ArrayList<>(servers);
        all.add(server.withId(id));
        return new ServerSet(all, id + 1);
    }

    /** A new server may bring its id, so that a saved group can be made again; but none that was in use before. */
    private void checkNew(int id, String field, Checks checks) {
        String message = id > MOST_NAMED
                ? "of a new server must be at most " + MOST_NAMED
                : "is not a server of this group, and ids below " + nextId
                        + " are not used again; leave it out for a new server";
        checks.check(id >= nextId && id <= MOST_NAMED, field, message);
    }

    private static void checkLeft(int id, String field, Checks checks) {
        checks.check(id <= MOST_GIVEN, field, "cannot be added: the group has used up its ids");
    }

    /** This with the server of that id replaced where it stands. */
    ServerSet with(ServerConfig server) {
        return new ServerSet(
                servers.stream().map(s -> s.id() == server.id() ? server : s).toList(), nextId);
    }

    /** Where the server of that id stands; -1 for nowhere. */
    int position(String id) {
        for (int i = 0; i < servers.size(); i++) {
            if (Integer.toString(servers.get(i).id()).equals(id)) {
                return i;
            }
        }
        return -1;
    }

    ServerSet without(int id) {
        return new ServerSet(servers.stream().filter(s -> s.id() != id).toList(), nextId);
    }

    /**
     * Other servers in place of these: one that carries an id is that server; one that does not is the first unclaimed
     * server with its address, or else a new one. An id that was never used makes a new server of that id.
     *
     * @param path of the list in the request
     * @throws InvalidConfigException if an id belongs to a server that is gone, or is claimed twice
     */
    ServerSet replacedBy(List<ServerRequest> wanted, String path) {
        Map<Integer, ServerConfig> unclaimed = new LinkedHashMap<>();
        servers.forEach(server -> unclaimed.put(server.id(), server));
        @Nullable Integer[] ids = new @Nullable Integer[wanted.size()];
        Checks checks = new Checks();
        Set<Integer> claimed = new HashSet<>();
        int next = nextId;
        for (int i = 0; i < ids.length; i++) {
            Integer id = wanted.get(i).id();
            ids[i] = id;
            if (id != null) {
                String field = path + "[" + i + "].id";
                checks.check(claimed.add(id), field, "stands twice in this list");
                if (unclaimed.remove(id) == null && servers.stream().noneMatch(s -> s.id() == id)) {
                    checkNew(id, field, checks);
                    next = Math.max(next, Math.min(id, MOST_NAMED) + 1);
                }
            }
        }
        checks.done();
        Map<String, List<Integer>> byAddress = new LinkedHashMap<>();
        unclaimed
                .values()
                .forEach(server -> byAddress
                        .computeIfAbsent(server.address().canonical(), a -> new ArrayList<>())
                        .add(server.id()));
        Map<Integer, ServerConfig> byId = new LinkedHashMap<>();
        servers.forEach(server -> byId.put(server.id(), server));
        List<ServerConfig> all = new ArrayList<>();
        for (int i = 0; i < ids.length; i++) {
            ServerRequest server = wanted.get(i);
            Integer id = ids[i];
            if (id == null) {
                List<Integer> same =
                        byAddress.getOrDefault(server.config().address().canonical(), List.of());
                if (same.isEmpty()) {
                    checkLeft(next, path + "[" + i + "]", checks);
                    checks.done();
                }
                id = same.isEmpty() ? Integer.valueOf(next++) : same.remove(0);
            }
            ServerConfig old = byId.get(id);
            all.add(old == null ? server.withId(id) : server.inPlaceOf(old));
        }
        return new ServerSet(all, next);
    }
}
