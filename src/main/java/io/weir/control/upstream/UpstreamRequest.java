package io.weir.control.upstream;

import io.weir.config.Checks;
import io.weir.config.GroupProtocol;
import io.weir.config.InvalidConfigException;
import io.weir.config.KeepaliveConfig;
import io.weir.config.MethodSpec;
import io.weir.config.StickyConfig;
import io.weir.config.TimeSpan;
import io.weir.config.UpstreamConfig;
import io.weir.control.web.Fields;
import io.weir.control.web.MergePatch;
import io.weir.control.web.Names;
import io.weir.control.web.StrictJson;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * An upstream group as a client wants it.
 *
 * @param servers null if the client says nothing about them
 */
record UpstreamRequest(
        String name,
        GroupProtocol protocol,
        MethodSpec balancing,
        @Nullable StickyConfig sticky,
        KeepaliveConfig keepalive,
        @Nullable List<ServerRequest> servers) {

    static final String METHOD = "method";
    static final String PROTOCOL = "protocol";

    /** The parts whose other fields depend on one of them. */
    static final Map<String, String> KINDS = Map.of("balancing", METHOD, "sticky", StickyView.TYPE);

    /**
     * Reads a document.
     *
     * @param name that the path gives, null if it gives none
     * @throws InvalidConfigException with all that is wrong
     */
    static UpstreamRequest read(JsonNode document, @Nullable String name) {
        Checks checks = new Checks();
        Fields fields = Fields.of(document, checks);
        String named = Names.read(fields, name);
        GroupProtocol protocol = fields.parsed(PROTOCOL, GroupProtocol.HTTP, UpstreamRequest::protocol);
        MethodSpec balancing = balancing(fields.object("balancing"));
        StickyConfig sticky = null;
        KeepaliveConfig keepalive = KeepaliveConfig.NONE;
        if (protocol == GroupProtocol.HTTP) {
            sticky = StickyView.read(fields.object("sticky"));
            keepalive = keepalive(fields.object("keepalive"));
        }
        List<Fields> items = fields.objects("servers");
        List<ServerRequest> servers = items == null
                ? null
                : items.stream().map(item -> ServerRequest.read(item, null)).toList();
        fields.end();
        checks.done();
        return new UpstreamRequest(named, protocol, balancing, sticky, keepalive, servers);
    }

    private static GroupProtocol protocol(String word) {
        for (GroupProtocol protocol : GroupProtocol.values()) {
            if (protocol.word().equals(word)) {
                return protocol;
            }
        }
        throw new InvalidConfigException("", "must be http or stream");
    }

    /**
     * The document of the group that a merge patch makes of one. Where it changes the protocol, what only followed from the
     * defaults of HTTP goes; what was set stays, and is refused.
     *
     * @throws InvalidConfigException if the patch is no object
     */
    static JsonNode patched(UpstreamConfig group, JsonNode patch) {
        ObjectNode old = (ObjectNode) StrictJson.of(UpstreamView.of(group));
        if (patch.path(PROTOCOL).asString("").equals(GroupProtocol.STREAM.word())
                && group.keepalive().equals(KeepaliveConfig.DEFAULT)) {
            old.remove("keepalive");
        }
        return MergePatch.apply(old, patch, KINDS);
    }

    private static MethodSpec balancing(@Nullable Fields fields) {
        if (fields == null) {
            return MethodSpec.ROUND_ROBIN;
        }
        String method = fields.text(METHOD, MethodSpec.ROUND_ROBIN.method());
        fields.checks()
                .check(
                        method.matches("[a-z_]{1,64}"),
                        fields.at(METHOD),
                        "must be the name of a balancing method such as round_robin");
        Map<String, Object> arguments = new LinkedHashMap<>();
        for (String name : fields.names()) {
            if (!name.equals(METHOD)) {
                JsonNode value = fields.any(name);
                Object argument = value == null ? null : argument(value);
                if (argument != null) {
                    arguments.put(name, argument);
                } else if (value != null) {
                    fields.fault(name, "must be a string, true, false, or a number");
                }
            }
        }
        return new MethodSpec(method, arguments);
    }

    private static @Nullable Object argument(JsonNode value) {
        if (value.isString()) {
            return value.stringValue();
        }
        if (value.isBoolean()) {
            return value.booleanValue();
        }
        if (value.isIntegralNumber()) {
            if (value.canConvertToInt()) {
                return value.intValue();
            }
            return value.canConvertToLong() ? value.longValue() : null;
        }
        return value.isNumber() && Double.isFinite(value.doubleValue()) ? value.doubleValue() : null;
    }

    private static KeepaliveConfig keepalive(@Nullable Fields fields) {
        KeepaliveConfig standard = KeepaliveConfig.DEFAULT;
        if (fields == null) {
            return standard;
        }
        int connections = fields.integer("connections", standard.connections());
        boolean local = fields.flag("local", standard.local());
        int requests = fields.unbounded("requests", standard.requests());
        TimeSpan time = fields.parsed("time", standard.time(), TimeSpan::parse);
        TimeSpan timeout = fields.parsed("timeout", standard.timeout(), TimeSpan::parse);
        fields.end();
        KeepaliveConfig keepalive = fields.checks()
                .attempt(fields.path(), () -> new KeepaliveConfig(connections, local, requests, time, timeout));
        return keepalive == null ? standard : keepalive;
    }

    /**
     * The group, which had or has these servers.
     *
     * @throws InvalidConfigException with paths of the document
     */
    UpstreamConfig toConfig(ServerSet set) {
        return new UpstreamConfig(name, protocol, balancing, sticky, keepalive, set.servers());
    }
}
