package io.weir.control.upstream;

import io.weir.config.InvalidConfigException;
import io.weir.config.ListenerConfig;
import io.weir.config.ServerAddress;
import io.weir.config.ServerConfig;
import io.weir.config.UpstreamConfig;
import io.weir.control.change.Refusal;
import io.weir.control.state.ConfigState;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Finds groups and servers in a state, by what paths say. */
final class Groups {

    private static final Pattern ID = Pattern.compile("\\d+");

    private Groups() {}

    static UpstreamConfig find(ConfigState state, String upstream) {
        return state.config().upstream(upstream).orElseThrow(() -> Refusal.notFound("upstream group " + upstream));
    }

    /** The servers of a group, none if there is no such group. */
    static ServerSet servers(ConfigState state, String upstream) {
        List<ServerConfig> servers =
                state.config().upstream(upstream).map(UpstreamConfig::servers).orElse(List.of());
        return new ServerSet(servers, state.nextServerId(upstream));
    }

    /**
     * The server that a path means.
     *
     * @param key an id or an address
     * @throws Refusal if there is none, or several have that address
     */
    static ServerConfig server(UpstreamConfig upstream, String key) {
        Optional<ServerConfig> server;
        if (isId(key)) {
            // leading zeros are no second name of a server, and a number that no int holds is no id
            server = upstream.servers().stream()
                    .filter(s -> Integer.toString(s.id()).equals(key))
                    .findFirst();
        } else {
            try {
                server = byAddress(upstream, ServerAddress.parse(key, ServerRequest.DEFAULT_PORT));
            } catch (InvalidConfigException e) {
                server = Optional.empty();
            }
        }
        return server.orElseThrow(() -> Refusal.notFound("server " + key + " in upstream group " + upstream.name()));
    }

    static boolean isId(String key) {
        return ID.matcher(key).matches();
    }

    /**
     * The server with that address.
     *
     * @throws Refusal if several have it
     */
    static Optional<ServerConfig> byAddress(UpstreamConfig upstream, ServerAddress address) {
        List<ServerConfig> same = upstream.servers().stream()
                .filter(s -> s.address().canonical().equals(address.canonical()))
                .toList();
        if (same.size() > 1) {
            String ids = same.stream().map(s -> Integer.toString(s.id())).collect(Collectors.joining(", "));
            throw new Refusal(
                    Refusal.Reason.AMBIGUOUS_ADDRESS,
                    "several servers have the address " + address + "; use one of the ids " + ids);
        }
        return same.stream().findFirst();
    }

    /**
     * Checks that no other server has an address.
     *
     * @param id of the server that may have it, -1 for none
     */
    static void checkAddressFree(UpstreamConfig upstream, ServerAddress address, int id) {
        for (ServerConfig server : upstream.servers()) {
            if (server.id() != id && server.address().canonical().equals(address.canonical())) {
                throw new Refusal(
                        Refusal.Reason.ADDRESS_TAKEN,
                        "server " + server.id() + " has the address " + address
                                + " already; to have it twice, PUT the whole set");
            }
        }
    }

    /** Checks that no listener or route names the group. */
    static void checkUnused(ConfigState state, String upstream) {
        List<String> users = new ArrayList<>();
        for (ListenerConfig listener : state.config().listeners()) {
            for (ListenerConfig.Reference reference : listener.references()) {
                if (reference.upstream().equals(upstream)) {
                    users.add(reference.user());
                }
            }
        }
        if (!users.isEmpty()) {
            throw new Refusal(
                    Refusal.Reason.IN_USE, "upstream group " + upstream + " is used by " + String.join(", ", users));
        }
    }
}
