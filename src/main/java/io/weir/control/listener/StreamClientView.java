package io.weir.control.listener;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.swagger.v3.oas.annotations.media.Schema;
import io.weir.config.AccessRule;
import io.weir.config.ByteSize;
import io.weir.config.StreamClientSettings;
import io.weir.config.TimeSpan;
import io.weir.control.web.Fields;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What clients of streams are granted, as the API shows it. */
@Schema(name = "StreamClient", description = "Who is let in, and times and limits of clients.")
record StreamClientView(
        @Schema(description = "The first rule that is about a client's address counts; without one it is let in.")
        List<Access> access,

        @Schema(description = "tcp: for an incoming PROXY protocol header.", defaultValue = "30s")
        String proxyProtocolTimeout,

        @Schema(description = "tcp: for all of a ClientHello, with sslPreread.", defaultValue = "30s")
        String prereadTimeout,

        @Schema(description = "tcp: for it, 1k to 1m.", defaultValue = "16k")
        String prereadBufferSize,

        @Schema(description = "Most sessions at one time, 0 for no limit.", defaultValue = "0")
        int maxConnections,

        @Schema(description = "Most sessions from one address at one time, 0 for no limit.", defaultValue = "0")
        int maxConnectionsPerAddress) {

    private static final String ALLOW = "allow";
    private static final String DENY = "deny";

    /** A rule of access. */
    @Schema(name = "AccessRule", description = "Exactly one of allow and deny: an address, a range of them, or all.")
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Access(
            @Schema(example = "10.0.0.0/8") @Nullable String allow,
            @Schema(example = "all") @Nullable String deny) {

        static Access of(AccessRule rule) {
            return rule.allow() ? new Access(rule.rangeText(), null) : new Access(null, rule.rangeText());
        }

        static @Nullable AccessRule read(Fields fields) {
            boolean allow = fields.has(ALLOW);
            String word = allow ? ALLOW : DENY;
            if (allow == fields.has(DENY)) {
                fields.checks().check(false, fields.path(), "must have exactly one of allow and deny");
                return null;
            }
            String range = fields.text(word);
            fields.end();
            return range == null
                    ? null
                    : fields.checks().attempt(fields.at(word), () -> AccessRule.parse(allow, range));
        }
    }

    static StreamClientView of(StreamClientSettings config) {
        return new StreamClientView(
                config.access().stream().map(Access::of).toList(),
                config.proxyProtocolTimeout().text(),
                config.prereadTimeout().text(),
                config.prereadBufferSize().text(),
                config.maxConnections(),
                config.maxConnectionsPerAddress());
    }

    /** What a client wants; what is wrong is in the checks of {@code fields}, and the default is read in its place. */
    static StreamClientSettings read(@Nullable Fields fields) {
        StreamClientSettings standard = StreamClientSettings.DEFAULT;
        if (fields == null) {
            return standard;
        }
        List<AccessRule> access = access(fields.objects("access"));
        TimeSpan header = fields.parsed("proxyProtocolTimeout", standard.proxyProtocolTimeout(), TimeSpan::parse);
        TimeSpan preread = fields.parsed("prereadTimeout", standard.prereadTimeout(), TimeSpan::parse);
        ByteSize buffer = fields.parsed("prereadBufferSize", standard.prereadBufferSize(), ByteSize::parse);
        int connections = fields.unbounded("maxConnections", standard.maxConnections());
        int perAddress = fields.unbounded("maxConnectionsPerAddress", standard.maxConnectionsPerAddress());
        fields.end();
        StreamClientSettings read = fields.checks()
                .attempt(
                        fields.path(),
                        () -> new StreamClientSettings(access, header, preread, buffer, connections, perAddress));
        return read == null ? standard : read;
    }

    private static List<AccessRule> access(@Nullable List<Fields> rules) {
        List<AccessRule> read = new ArrayList<>();
        for (Fields fields : rules == null ? List.<Fields>of() : rules) {
            AccessRule rule = Access.read(fields);
            if (rule != null) {
                read.add(rule);
            }
        }
        return read;
    }
}
