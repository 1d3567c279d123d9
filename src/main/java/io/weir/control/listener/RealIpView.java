package io.weir.control.listener;

import io.swagger.v3.oas.annotations.media.Schema;
import io.weir.config.Cidr;
import io.weir.config.RealIpConfig;
import io.weir.control.web.Fields;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Whose word is taken for a client's address, as the API shows it. */
@Schema(name = "RealIp", description = "Lets trusted proxies in front say who the client is.")
record RealIpView(
        @Schema(
                description = "Addresses and ranges of the proxies that are believed, at least one.",
                example = "[\"10.0.0.0/8\", \"::1\"]")
        List<String> trusted,

        @Schema(
                description = "A request header field with the address; the last one of a list. Or proxy_protocol, with"
                        + " proxyProtocol; tcp knows no other.",
                defaultValue = RealIpConfig.DEFAULT_HEADER)
        String header,

        @Schema(
                description = "Whether trusted addresses of the list are passed over, from its end.",
                defaultValue = "false")
        boolean recursive) {

    static @Nullable RealIpView of(@Nullable RealIpConfig config) {
        return config == null
                ? null
                : new RealIpView(
                        config.trusted().stream().map(Cidr::text).toList(), config.header(), config.recursive());
    }

    /**
     * What a client wants; null if nothing, or something that is wrong.
     *
     * @param defaultHeader where the address stands unless told
     */
    static @Nullable RealIpConfig read(@Nullable Fields fields, String defaultHeader) {
        if (fields == null) {
            return null;
        }
        List<Cidr> trusted = fields.parsedTexts("trusted", List.of(), Cidr::parse);
        String header = fields.text("header", defaultHeader);
        boolean recursive = fields.flag("recursive", false);
        fields.end();
        return fields.checks().attempt(fields.path(), () -> new RealIpConfig(trusted, header, recursive));
    }
}
