package io.weir.control.upstream;

import io.weir.config.AdminState;
import io.weir.config.Checks;
import io.weir.config.DrainConfig;
import io.weir.config.InvalidConfigException;
import io.weir.config.ServerConfig;
import io.weir.config.TimeSpan;
import io.weir.control.web.Fields;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A drain as a client wants it.
 *
 * @param timeout null for none
 */
record DrainRequest(DrainConfig.Then then, @Nullable TimeSpan timeout) {

    private static final TimeSpan SOME_TIME = TimeSpan.parse("1s");

    /** @throws InvalidConfigException with all that is wrong */
    static DrainRequest read(JsonNode document) {
        Checks checks = new Checks();
        Fields fields = Fields.of(document, checks);
        TimeSpan timeout = fields.has("timeout") ? fields.parsed("timeout", SOME_TIME, DrainRequest::timeout) : null;
        DrainConfig.Then then = fields.parsed("then", DrainConfig.Then.KEEP, DrainRequest::then);
        fields.end();
        checks.done();
        return new DrainRequest(then, timeout);
    }

    private static TimeSpan timeout(String text) {
        TimeSpan timeout = TimeSpan.parse(text);
        if (timeout.isZero()) {
            throw new InvalidConfigException("", "must be more than 0; without it a drain may take any time");
        }
        return timeout;
    }

    private static DrainConfig.Then then(String text) {
        for (DrainConfig.Then then : DrainConfig.Then.values()) {
            if (then.name().toLowerCase(Locale.ROOT).equals(text)) {
                return then;
            }
        }
        throw new InvalidConfigException("", "must be keep, down or remove");
    }

    /**
     * The server with this drain. One that is down stays so, as draining would let bound requests in again. A drain that
     * takes the place of another leads back to the same state.
     */
    ServerConfig begin(ServerConfig server, Instant now) {
        DrainConfig old = server.drain();
        AdminState before = old == null ? server.state() : old.before();
        AdminState state = server.state() == AdminState.DOWN ? AdminState.DOWN : AdminState.DRAIN;
        return server.withDrain(
                state, new DrainConfig(then, timeout, now.truncatedTo(ChronoUnit.MILLIS), before, null));
    }
}
