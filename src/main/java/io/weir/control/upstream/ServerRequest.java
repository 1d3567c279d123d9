package io.weir.control.upstream;

import io.weir.config.AdminState;
import io.weir.config.Checks;
import io.weir.config.DrainConfig;
import io.weir.config.InvalidConfigException;
import io.weir.config.ServerAddress;
import io.weir.config.ServerConfig;
import io.weir.config.TimeSpan;
import io.weir.control.web.Fields;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A server as a client wants it.
 *
 * @param id which server is meant, if the client says so
 * @param config checked; its id means nothing yet
 */
record ServerRequest(@Nullable Integer id, ServerConfig config) {

    /** As nginx takes for HTTP where an address names none. */
    static final int DEFAULT_PORT = 80;

    private static final ServerConfig DEFAULT = ServerConfig.of(0, "0.0.0.0");

    /**
     * Reads a whole document.
     *
     * @param address taken if the document has none
     * @throws InvalidConfigException with all that is wrong
     */
    static ServerRequest read(JsonNode document, @Nullable ServerAddress address) {
        Checks checks = new Checks();
        ServerRequest request = read(Fields.of(document, checks), address);
        checks.done();
        return request;
    }

    /** Reads one of many; faults go to the checks of {@code fields}. */
    static ServerRequest read(Fields fields, @Nullable ServerAddress address) {
        Integer id = fields.integer("id");
        ServerAddress otherwise = address == null ? DEFAULT.address() : address;
        if (address == null) {
            fields.require("address");
        }
        ServerAddress at = fields.parsed("address", otherwise, text -> ServerAddress.parse(text, DEFAULT_PORT));
        int weight = fields.integer("weight", DEFAULT.weight());
        int maxConns = fields.integer("maxConns", DEFAULT.maxConns());
        int maxFails = fields.integer("maxFails", DEFAULT.maxFails());
        TimeSpan failTimeout = fields.parsed("failTimeout", DEFAULT.failTimeout(), TimeSpan::parse);
        TimeSpan slowStart = fields.parsed("slowStart", DEFAULT.slowStart(), TimeSpan::parse);
        boolean backup = fields.flag("backup", DEFAULT.backup());
        AdminState state = fields.parsed("state", DEFAULT.state(), ServerRequest::state);
        String route = fields.text("route", DEFAULT.route());
        fields.end();
        ServerConfig config = fields.checks()
                .attempt(
                        fields.path(),
                        () -> new ServerConfig(
                                0, at, weight, maxConns, maxFails, failTimeout, slowStart, backup, state, route));
        return new ServerRequest(id, config == null ? DEFAULT : config);
    }

    private static AdminState state(String text) {
        for (AdminState state : AdminState.values()) {
            if (state.name().toLowerCase(Locale.ROOT).equals(text)) {
                return state;
            }
        }
        throw new InvalidConfigException("", "must be up, down or drain");
    }

    /** A new server under its id. */
    ServerConfig withId(int id) {
        return as(id, null);
    }

    /** The server in place of {@code old}; another state or address ends its drain. */
    ServerConfig inPlaceOf(ServerConfig old) {
        boolean same = config.state() == old.state()
                && config.address().canonical().equals(old.address().canonical());
        return as(old.id(), same ? old.drain() : null);
    }

    private ServerConfig as(int id, @Nullable DrainConfig drain) {
        return new ServerConfig(
                id,
                config.address(),
                config.weight(),
                config.maxConns(),
                config.maxFails(),
                config.failTimeout(),
                config.slowStart(),
                config.backup(),
                config.state(),
                config.route(),
                drain);
    }
}
