package io.weir.control.listener;

import io.swagger.v3.oas.annotations.media.Schema;
import io.weir.config.Checks;
import io.weir.config.InvalidConfigException;
import io.weir.config.StreamRouteConfig;
import io.weir.control.web.Fields;
import io.weir.control.web.Names;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** A route of a stream listener as the API shows it. */
@Schema(
        name = "StreamRoute",
        description = "Which TLS clients it takes, and the group that they go to. At least one of hosts and alpn.")
record StreamRouteView(
        @Schema(description = "1 to 64 characters of A-Z a-z 0-9 . _ -")
        String name,

        @Schema(
                description =
                        "Names that a client asks for (SNI): names, *.name or name.*, kept in lower case; none for"
                                + " any.",
                example = "[\"db.example.com\"]")
        List<String> hosts,

        @Schema(
                description = "Protocols of which the client must offer one (ALPN); none for any.",
                example = "[\"h2\"]")
        List<String> alpn,

        @Schema(description = "An upstream group of protocol stream.")
        String upstream)
        implements ListenerRouteView {

    static StreamRouteView of(StreamRouteConfig config) {
        return new StreamRouteView(config.name(), config.hosts(), config.alpn(), config.upstream());
    }

    /**
     * Reads a whole document.
     *
     * @param name that the path gives, null if it gives none
     * @throws InvalidConfigException with all that is wrong
     */
    static StreamRouteConfig read(JsonNode document, @Nullable String name) {
        Checks checks = new Checks();
        StreamRouteConfig route = read(Fields.of(document, checks), name);
        checks.done();
        if (route == null) {
            throw new InvalidConfigException("", "is not a route");
        }
        return route;
    }

    /** Reads one of many; null if something is wrong, which is then in the checks of {@code fields}. */
    static @Nullable StreamRouteConfig read(Fields fields, @Nullable String name) {
        String named = Names.read(fields, name);
        // names of hosts have no case; config compares them in lower case
        List<String> hosts = fields.texts("hosts").stream()
                .map(host -> host.toLowerCase(Locale.ROOT))
                .toList();
        List<String> alpn = fields.texts("alpn");
        fields.require("upstream");
        String upstream = fields.text("upstream", "-");
        fields.end();
        String checkedName = Names.isName(named) ? named : "-";
        return fields.checks().attempt(fields.path(), () -> new StreamRouteConfig(checkedName, hosts, alpn, upstream));
    }
}
