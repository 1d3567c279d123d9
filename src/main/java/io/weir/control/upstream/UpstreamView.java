package io.weir.control.upstream;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.swagger.v3.oas.annotations.media.Schema;
import io.weir.config.GroupProtocol;
import io.weir.config.KeepaliveConfig;
import io.weir.config.MethodSpec;
import io.weir.config.UpstreamConfig;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** An upstream group as the API shows it. */
@Schema(name = "Upstream", description = "Servers, and how requests are spread over them. Only the name is required.")
record UpstreamView(
        @Schema(description = "1 to 64 characters of A-Z a-z 0-9 . _ -")
        String name,

        @Schema(
                description =
                        "What the servers are sent: requests of HTTP listeners, or sessions of tcp and udp listeners."
                                + " Can be changed while nothing refers to the group.",
                allowableValues = {"http", "stream"},
                defaultValue = "http")
        String protocol,

        @Schema(
                description = "The balancing method, its own arguments beside it.",
                example = "{\"method\": \"round_robin\"}")
        Map<String, Object> balancing,

        @JsonInclude(JsonInclude.Include.NON_NULL) @Schema(description = "http only.") @Nullable
        StickyView sticky,

        @JsonInclude(JsonInclude.Include.NON_NULL) @Schema(description = "http only.") @Nullable
        Keepalive keepalive,

        List<ServerView> servers) {

    /** The cache of idle connections as the API shows it. */
    @Schema(name = "Keepalive", description = "The cache of idle connections to the servers.")
    record Keepalive(
            @Schema(description = "Most idle connections; 0 for none.", defaultValue = "32")
            int connections,

            @Schema(description = "Whether only the route that stored one uses it again.", defaultValue = "true")
            boolean local,

            @Schema(description = "Most requests on one connection.", defaultValue = "1000")
            int requests,

            @Schema(description = "Greatest age of one that is stored again.", defaultValue = "1h")
            String time,

            @Schema(description = "Greatest time one stays idle.", defaultValue = "60s")
            String timeout) {

        static Keepalive of(KeepaliveConfig config) {
            return new Keepalive(
                    config.connections(),
                    config.local(),
                    config.requests(),
                    config.time().text(),
                    config.timeout().text());
        }
    }

    static UpstreamView of(UpstreamConfig config) {
        return new UpstreamView(
                config.name(),
                config.protocol().word(),
                balancing(config.balancing()),
                StickyView.of(config.sticky()),
                config.protocol() == GroupProtocol.HTTP ? Keepalive.of(config.keepalive()) : null,
                config.servers().stream().map(ServerView::of).toList());
    }

    private static Map<String, Object> balancing(MethodSpec spec) {
        Map<String, Object> balancing = new LinkedHashMap<>();
        balancing.put(UpstreamRequest.METHOD, spec.method());
        balancing.putAll(new TreeMap<>(spec.arguments()));
        return balancing;
    }
}
