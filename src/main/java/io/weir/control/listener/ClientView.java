package io.weir.control.listener;

import io.swagger.v3.oas.annotations.media.Schema;
import io.weir.config.ByteSize;
import io.weir.config.ClientSettings;
import io.weir.config.HeaderBuffers;
import io.weir.config.TimeSpan;
import io.weir.control.web.Fields;
import org.jspecify.annotations.Nullable;

/** What clients are granted, as the API shows it. */
@Schema(name = "Client", description = "Times and limits of clients and their connections.")
record ClientView(
        @Schema(description = "For a whole request head, however it trickles in; 408 then.", defaultValue = "60s")
        String headerTimeout,

        @Schema(description = "Between two reads of a request body; 408 then.", defaultValue = "60s")
        String bodyTimeout,

        @Schema(
                description = "While the client takes nothing of its response; the connection is closed then.",
                defaultValue = "60s")
        String sendTimeout,

        @Schema(description = "Between two requests on a connection; 0s closes it after each.", defaultValue = "75s")
        String keepaliveTimeout,

        @Schema(description = "Most requests on one connection, 1 or more.", defaultValue = "1000")
        int keepaliveRequests,

        LargeHeaderBuffers largeHeaderBuffers,

        @Schema(description = "Most header fields of a request, 1 to 100000; 431 beyond.", defaultValue = "1000")
        int maxHeaders,

        @Schema(
                description = "How long to wait for more of a body that nobody reads before the connection is closed.",
                defaultValue = "5s")
        String lingeringTimeout,

        @Schema(description = "How long to go on with that.", defaultValue = "30s")
        String lingeringTime,

        @Schema(
                description = "Most connections at one time, 0 for no limit; more are closed at once.",
                defaultValue = "0")
        int maxConnections,

        @Schema(
                description = "Most connections from one address at one time, 0 for no limit; more are closed at once.",
                defaultValue = "0")
        int maxConnectionsPerAddress) {

    /** How long a request head may be. */
    @Schema(
            name = "LargeHeaderBuffers",
            description =
                    "The request line must fit one buffer, or 414; each field too, and all lines all of them, or 431.")
    record LargeHeaderBuffers(
            @Schema(description = "1 to 64.", defaultValue = "4")
            int count,

            @Schema(description = "512 to 1m.", defaultValue = "8k")
            String size) {

        static LargeHeaderBuffers of(HeaderBuffers config) {
            return new LargeHeaderBuffers(config.count(), config.size().text());
        }

        static HeaderBuffers read(@Nullable Fields fields) {
            HeaderBuffers standard = HeaderBuffers.DEFAULT;
            if (fields == null) {
                return standard;
            }
            int count = fields.integer("count", standard.count());
            ByteSize size = fields.parsed("size", standard.size(), ByteSize::parse);
            fields.end();
            HeaderBuffers read = fields.checks().attempt(fields.path(), () -> new HeaderBuffers(count, size));
            return read == null ? standard : read;
        }
    }

    static ClientView of(ClientSettings config) {
        return new ClientView(
                config.headerTimeout().text(),
                config.bodyTimeout().text(),
                config.sendTimeout().text(),
                config.keepaliveTimeout().text(),
                config.keepaliveRequests(),
                LargeHeaderBuffers.of(config.largeHeaderBuffers()),
                config.maxHeaders(),
                config.lingeringTimeout().text(),
                config.lingeringTime().text(),
                config.maxConnections(),
                config.maxConnectionsPerAddress());
    }

    /** What a client wants; what is wrong is in the checks of {@code fields}, and the default is read in its place. */
    static ClientSettings read(@Nullable Fields fields) {
        ClientSettings standard = ClientSettings.DEFAULT;
        if (fields == null) {
            return standard;
        }
        TimeSpan header = fields.parsed("headerTimeout", standard.headerTimeout(), TimeSpan::parse);
        TimeSpan body = fields.parsed("bodyTimeout", standard.bodyTimeout(), TimeSpan::parse);
        TimeSpan send = fields.parsed("sendTimeout", standard.sendTimeout(), TimeSpan::parse);
        TimeSpan keepalive = fields.parsed("keepaliveTimeout", standard.keepaliveTimeout(), TimeSpan::parse);
        int requests = fields.unbounded("keepaliveRequests", standard.keepaliveRequests());
        HeaderBuffers buffers = LargeHeaderBuffers.read(fields.object("largeHeaderBuffers"));
        int headers = fields.integer("maxHeaders", standard.maxHeaders());
        TimeSpan lingeringTimeout = fields.parsed("lingeringTimeout", standard.lingeringTimeout(), TimeSpan::parse);
        TimeSpan lingeringTime = fields.parsed("lingeringTime", standard.lingeringTime(), TimeSpan::parse);
        int connections = fields.unbounded("maxConnections", standard.maxConnections());
        int perAddress = fields.unbounded("maxConnectionsPerAddress", standard.maxConnectionsPerAddress());
        fields.end();
        ClientSettings read = fields.checks()
                .attempt(
                        fields.path(),
                        () -> new ClientSettings(
                                header,
                                body,
                                send,
                                keepalive,
                                requests,
                                buffers,
                                headers,
                                lingeringTimeout,
                                lingeringTime,
                                connections,
                                perAddress));
        return read == null ? standard : read;
    }
}
