package io.weir.control.listener;

import io.weir.config.AccessLogConfig;
import io.weir.config.Checks;
import io.weir.config.GroupProtocol;
import io.weir.config.InvalidConfigException;
import io.weir.config.ListenerConfig;
import io.weir.config.ListenerProtocol;
import io.weir.config.RealIpConfig;
import io.weir.control.web.Fields;
import io.weir.control.web.Names;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** A listener as a client wants it. */
sealed interface ListenerRequest permits HttpListenerRequest, StreamListenerRequest {

    String PROTOCOL = "protocol";

    String name();

    /**
     * The listener, which keeps the routes that it has if the client says nothing about them and they are of its kind.
     *
     * @param old null for a new one
     * @throws InvalidConfigException if it does not go with those routes
     */
    ListenerConfig toConfig(@Nullable ListenerConfig old);

    /**
     * Reads a document.
     *
     * @param name that the path gives, null if it gives none
     * @throws InvalidConfigException with all that is wrong
     */
    static ListenerRequest read(JsonNode document, @Nullable String name) {
        Checks checks = new Checks();
        Fields fields = Fields.of(document, checks);
        ListenerProtocol protocol = fields.parsed(PROTOCOL, ListenerProtocol.HTTP, ListenerRequest::protocol);
        // which fields there are is unknown without it
        checks.done();
        Common common = Common.read(fields, name, protocol);
        ListenerRequest request = protocol == ListenerProtocol.HTTP
                ? HttpListenerRequest.read(fields, common)
                : StreamListenerRequest.read(fields, common, protocol);
        checks.done();
        return request;
    }

    /** The protocol that a word means. */
    static ListenerProtocol protocol(String word) {
        for (ListenerProtocol protocol : ListenerProtocol.values()) {
            if (protocol.word().equals(word)) {
                return protocol;
            }
        }
        throw new InvalidConfigException(
                "",
                "must be one of "
                        + Arrays.stream(ListenerProtocol.values())
                                .map(ListenerProtocol::word)
                                .collect(Collectors.joining(", ")));
    }

    /**
     * What listeners of every protocol have.
     *
     * @param port null if there is none, or it is no number
     */
    record Common(
            String name,
            String bind,
            @Nullable Integer port,
            boolean proxyProtocol,
            @Nullable RealIpConfig realIp,
            AccessLogConfig accessLog) {

        private static final String ANY_ADDRESS = "0.0.0.0";

        static Common read(Fields fields, @Nullable String name, ListenerProtocol protocol) {
            boolean streams = protocol.group() == GroupProtocol.STREAM;
            String named = Names.read(fields, name);
            String bind = fields.text("bind", ANY_ADDRESS);
            fields.require("port");
            Integer port = fields.integer("port");
            boolean proxyProtocol = fields.flag("proxyProtocol", false);
            RealIpConfig realIp = RealIpView.read(
                    fields.object("realIp"), streams ? RealIpConfig.PROXY_PROTOCOL : RealIpConfig.DEFAULT_HEADER);
            AccessLogConfig accessLog = AccessLogRequest.read(
                    fields.object("accessLog"), streams ? AccessLogConfig.STREAM_DEFAULT : AccessLogConfig.DEFAULT);
            return new Common(named, bind, port, proxyProtocol, realIp, accessLog);
        }

        /** The port, once it is known to be there. */
        int requiredPort() {
            return port == null ? 0 : port;
        }
    }
}
