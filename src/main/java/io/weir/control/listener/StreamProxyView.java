package io.weir.control.listener;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.swagger.v3.oas.annotations.media.Schema;
import io.weir.config.ByteSize;
import io.weir.config.InvalidConfigException;
import io.weir.config.ProxyHeaderVersion;
import io.weir.config.StreamSettings;
import io.weir.config.TimeSpan;
import io.weir.control.web.Fields;
import org.jspecify.annotations.Nullable;

/** How the servers of streams are talked to, as the API shows it. */
@Schema(name = "StreamProxySettings", description = "How the servers of streams are talked to.")
@JsonInclude(JsonInclude.Include.NON_NULL)
record StreamProxyView(
        @Schema(description = "To connect.", defaultValue = "60s")
        String connectTimeout,

        @Schema(
                description = "Between two reads or writes on either side, after which the session ends.",
                defaultValue = "10m")
        String timeout,

        @Schema(
                description = "tcp: whether a side that has sent its last byte still gets what the other one sends;"
                        + " otherwise the session ends with the last byte of either.",
                defaultValue = "false")
        @Nullable
        Boolean halfClose,

        @Schema(description = "Whether another server is tried when one cannot be connected to.", defaultValue = "true")
        boolean nextUpstream,

        @Schema(description = "Most attempts; 0 for all servers.", defaultValue = "0")
        int nextUpstreamTries,

        @Schema(description = "After which no attempt begins; 0s for no limit.", defaultValue = "0s")
        String nextUpstreamTimeout,

        @Schema(
                description = "udp: datagrams of a client after which its next one begins a new session; 0 for any"
                        + " number.",
                defaultValue = "0")
        @Nullable
        Integer requests,

        @Schema(
                description = "udp: datagrams expected in answer to each of a client's, after which the session ends;"
                        + " without it, any number until the timeout.")
        @Nullable
        Integer responses,

        @Schema(description = "Bytes a second that are read from a client; 0 for no limit.", defaultValue = "0")
        String uploadRate,

        @Schema(description = "Bytes a second that are read from a server; 0 for no limit.", defaultValue = "0")
        String downloadRate,

        @Schema(description = "For each direction, 1k to 16m.", defaultValue = "16k")
        String bufferSize,

        @Schema(
                description = "Version of the PROXY protocol header that a server gets first; without it, none.",
                allowableValues = {"v1", "v2"})
        @Nullable
        String proxyProtocol,

        @Schema(
                description = "Whether sessions end when their server is removed or set down; otherwise they go on.",
                defaultValue = "false")
        boolean sessionDrop) {

    /** @param datagrams whether it is of UDP; what goes with the other protocol alone is left out */
    static StreamProxyView of(StreamSettings config, boolean datagrams) {
        ProxyHeaderVersion header = config.proxyProtocol();
        return new StreamProxyView(
                config.connectTimeout().text(),
                config.timeout().text(),
                datagrams ? null : config.halfClose(),
                config.nextUpstream(),
                config.nextUpstreamTries(),
                config.nextUpstreamTimeout().text(),
                datagrams ? config.requests() : null,
                config.responses(),
                config.uploadRate().text(),
                config.downloadRate().text(),
                config.bufferSize().text(),
                header == null ? null : header.word(),
                config.sessionDrop());
    }

    /** What a client wants; what is wrong is in the checks of {@code fields}, and the default is read in its place. */
    static StreamSettings read(@Nullable Fields fields) {
        StreamSettings standard = StreamSettings.DEFAULT;
        if (fields == null) {
            return standard;
        }
        TimeSpan connectTimeout = fields.parsed("connectTimeout", standard.connectTimeout(), TimeSpan::parse);
        TimeSpan timeout = fields.parsed("timeout", standard.timeout(), TimeSpan::parse);
        boolean halfClose = fields.flag("halfClose", standard.halfClose());
        boolean nextUpstream = fields.flag("nextUpstream", standard.nextUpstream());
        int tries = fields.integer("nextUpstreamTries", standard.nextUpstreamTries());
        TimeSpan nextTimeout = fields.parsed("nextUpstreamTimeout", standard.nextUpstreamTimeout(), TimeSpan::parse);
        int requests = fields.unbounded("requests", standard.requests());
        Integer responses = fields.has("responses") ? Integer.valueOf(fields.unbounded("responses", 0)) : null;
        ByteSize uploadRate = fields.parsed("uploadRate", standard.uploadRate(), ByteSize::parse);
        ByteSize downloadRate = fields.parsed("downloadRate", standard.downloadRate(), ByteSize::parse);
        ByteSize bufferSize = fields.parsed("bufferSize", standard.bufferSize(), ByteSize::parse);
        String version = fields.text("proxyProtocol");
        ProxyHeaderVersion header = version == null
                ? null
                : fields.checks().attempt(fields.at("proxyProtocol"), () -> headerVersion(version));
        boolean sessionDrop = fields.flag("sessionDrop", standard.sessionDrop());
        fields.end();
        StreamSettings settings = fields.checks()
                .attempt(
                        fields.path(),
                        () -> new StreamSettings(
                                connectTimeout,
                                timeout,
                                halfClose,
                                nextUpstream,
                                tries,
                                nextTimeout,
                                requests,
                                responses,
                                uploadRate,
                                downloadRate,
                                bufferSize,
                                header,
                                sessionDrop));
        return settings == null ? standard : settings;
    }

    private static ProxyHeaderVersion headerVersion(String text) {
        for (ProxyHeaderVersion version : ProxyHeaderVersion.values()) {
            if (version.word().equals(text)) {
                return version;
            }
        }
        throw new InvalidConfigException("", "must be v1 or v2");
    }
}
