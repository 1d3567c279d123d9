package io.weir.control.listener;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.swagger.v3.oas.annotations.media.Schema;
import io.weir.config.ByteSize;
import io.weir.config.ErrorPage;
import io.weir.config.HeaderRules;
import io.weir.config.NextUpstream;
import io.weir.config.PathMatch;
import io.weir.config.ProxySettings;
import io.weir.config.ResponseBuffering;
import io.weir.config.RouteConfig;
import io.weir.config.RouteTarget;
import io.weir.config.Template;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A route as the API shows it. */
@Schema(
        name = "Route",
        description = "Which requests it takes, and where they go: exactly one of upstream, address and respond.")
@JsonInclude(JsonInclude.Include.NON_NULL)
record RouteView(
        @Schema(description = "1 to 64 characters of A-Z a-z 0-9 . _ -")
        String name,

        @Schema(description = "Names, *.name or name.*, kept in lower case; none for any host.")
        List<String> hosts,

        Path path,

        @Schema(description = "Request methods; none for any.")
        List<String> methods,

        @Schema(description = "Request header fields and the values they must have.")
        Map<String, String> headers,

        @Schema(description = "An upstream group.") @Nullable
        String upstream,

        @Schema(description = "A server that is no group, such as http://127.0.0.1:9001; variables are allowed.")
        @Nullable
        String address,

        @Schema(description = "A fixed answer.") @Nullable Respond respond,

        @Schema(description = "Put in place of the path's prefix; without it the request target goes through as it is.")
        @Nullable
        String rewritePrefix,

        Proxy proxy,

        @Schema(description = "Greatest request body; 0 for no limit.", defaultValue = "1m")
        String maxBodySize,

        Headers requestHeaders,
        Headers responseHeaders,

        @Schema(description = "What clients get in place of errors.")
        List<Page> errorPages,

        @Schema(description = "Whether its requests are logged as the listener says.", defaultValue = "true")
        boolean accessLog)
        implements ListenerRouteView {

    /** Which paths. */
    @Schema(name = "PathMatch", description = "Exact, then the longest prefix, regular expressions in order.")
    record Path(
            @Schema(
                    allowableValues = {"exact", "prefix", "regex"},
                    defaultValue = "prefix")
            String type,

            @Schema(defaultValue = "/") String value,

            @Schema(
                    description = "On a prefix: if it is the longest, no regular expression is tried.",
                    defaultValue = "false")
            boolean noRegex) {

        static Path of(PathMatch path) {
            return new Path(path.type().name().toLowerCase(Locale.ROOT), path.value(), path.noRegex());
        }
    }

    /** A fixed answer. */
    @Schema(name = "Respond")
    record Respond(
            @Schema(description = "200 to 599.", defaultValue = "200")
            int status,

            @Schema(description = "Variables are allowed.", defaultValue = "")
            String body,

            @Schema(defaultValue = "text/plain") String contentType) {}

    /** What a client gets in place of an error. */
    @Schema(name = "ErrorPage", description = "What a client gets in place of an error.")
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Page(
            @Schema(
                    description = "Statuses that it stands for, 300 to 599 but 499; each once among the pages of a"
                            + " route.",
                    example = "[502, 504]")
            List<Integer> codes,

            @Schema(description = "Variables are allowed.", defaultValue = "")
            String body,

            @Schema(defaultValue = "text/plain") String contentType,

            @Schema(description = "200 to 599; that of the error unless given.") @Nullable
            Integer status) {

        static Page of(ErrorPage page) {
            return new Page(page.codes(), page.body().text(), page.contentType(), page.status());
        }
    }

    /** How servers are talked to. */
    @Schema(name = "ProxySettings", description = "How the servers are talked to.")
    record Proxy(
            @Schema(defaultValue = "60s") String connectTimeout,
            @Schema(defaultValue = "60s") String sendTimeout,
            @Schema(defaultValue = "60s") String readTimeout,

            @Schema(
                    description = "When the next server is tried: error, timeout, invalid_header, http_403, http_404,"
                            + " http_429, http_500, http_502, http_503, http_504, non_idempotent; or off.",
                    example = "[\"error\", \"timeout\"]")
            List<String> nextUpstream,

            @Schema(description = "Most attempts; 0 for all servers.", defaultValue = "0")
            int nextUpstreamTries,

            @Schema(description = "After which no attempt begins; 0s for no limit.", defaultValue = "0s")
            String nextUpstreamTimeout,

            @Schema(
                    description = "Whether all of a request's body is read before a server is chosen; otherwise it is"
                            + " passed on as it comes.",
                    defaultValue = "true")
            boolean requestBuffering,

            @Schema(
                    description = "Up to which a request's body is read into memory; a longer one goes to a temporary"
                            + " file. More than 0, at most 1g.",
                    defaultValue = "64k")
            String requestBufferSize,

            @Schema(
                    description = "Whether a response is read while the client falls behind; otherwise the server waits"
                            + " for the client.",
                    defaultValue = "true")
            boolean buffering,

            @Schema(
                    description = "Memory of a response on top of buffers; without buffering, all of it. At most 1g.",
                    defaultValue = "8k")
            String bufferSize,

            Buffers buffers,

            @Schema(
                    description =
                            "How much of a response that is in a temporary file waits in memory for the client, at"
                                    + " the most. At least bufferSize and buffers.size, at most all buffers but one; twice the"
                                    + " larger of bufferSize and buffers.size unless given.",
                    defaultValue = "16k")
            String busyBuffersSize,

            @Schema(
                    description = "Greatest size of the temporary file of a response; 0 for no file, then the server"
                            + " waits for the client.",
                    defaultValue = "1g")
            String maxTempFileSize,

            @Schema(
                    description = "Bytes a second that are read of a response; 0 for no limit. Without effect if"
                            + " buffering is off.",
                    defaultValue = "0")
            String limitRate,

            @Schema(
                    description = "The version of HTTP that the servers are asked in. With 1.0, no connection is used"
                            + " twice.",
                    allowableValues = {"1.0", "1.1"},
                    defaultValue = "1.1")
            String httpVersion,

            @Schema(
                    description = "Whether a server's response with a status of 300 or more is replaced too, if the"
                            + " route has an error page for it.",
                    defaultValue = "false")
            boolean interceptErrors,

            @Schema(
                    description = "Whether a request that is with a server goes on there when its client leaves.",
                    defaultValue = "false")
            boolean ignoreClientAbort,

            @Schema(
                    description = "default: in Location and Refresh, the address that requests are sent to becomes the"
                            + " path that they came by. off: passed on as they are.",
                    allowableValues = {"default", "off"},
                    defaultValue = "default")
            String redirect) {

        /** Whether {@code busyBuffersSize} is what it would be if nobody had given it. */
        boolean followsBuffers() {
            ByteSize standard =
                    ResponseBuffering.standardBusySize(ByteSize.parse(bufferSize), ByteSize.parse(buffers.size()));
            return busyBuffersSize.equals(standard.text());
        }

        static Proxy of(ProxySettings settings) {
            return new Proxy(
                    settings.connectTimeout().text(),
                    settings.sendTimeout().text(),
                    settings.readTimeout().text(),
                    settings.nextUpstream().stream().map(NextUpstream::text).toList(),
                    settings.nextUpstreamTries(),
                    settings.nextUpstreamTimeout().text(),
                    settings.requestBuffering().enabled(),
                    settings.requestBuffering().bufferSize().text(),
                    settings.buffering().enabled(),
                    settings.buffering().bufferSize().text(),
                    Buffers.of(settings.buffering().buffers()),
                    settings.buffering().busyBuffersSize().text(),
                    settings.buffering().maxTempFileSize().text(),
                    settings.buffering().limitRate().text(),
                    settings.httpVersion().text(),
                    settings.interceptErrors(),
                    settings.ignoreClientAbort(),
                    settings.redirect().text());
        }
    }

    /** The memory of a response. */
    @Schema(name = "Buffers", description = "The memory of a response that the client does not take at once.")
    record Buffers(
            @Schema(description = "2 to 1000000.", defaultValue = "8")
            int count,

            @Schema(description = "Of each.", defaultValue = "8k")
            String size) {

        static Buffers of(ResponseBuffering.Buffers buffers) {
            return new Buffers(buffers.count(), buffers.size().text());
        }
    }

    /** Changes to header fields. */
    @Schema(name = "HeaderRules", description = "Changes to header fields.")
    record Headers(
            @Schema(
                    description = "Set in place of any of that name; variables are allowed, an empty value removes.",
                    example = "{\"X-Real-IP\": \"$remote_addr\"}")
            Map<String, String> set,

            @Schema(description = "Left out.") List<String> remove) {

        static Headers of(HeaderRules rules) {
            Map<String, String> set = new LinkedHashMap<>();
            rules.set().forEach((name, value) -> set.put(name, value.text()));
            return new Headers(set, rules.remove());
        }
    }

    static RouteView of(RouteConfig route) {
        RouteTarget target = route.target();
        return new RouteView(
                route.name(),
                route.hosts(),
                Path.of(route.path()),
                route.methods(),
                route.headers(),
                target instanceof RouteTarget.Upstream group ? group.name() : null,
                target instanceof RouteTarget.Address url ? url.url().text() : null,
                target instanceof RouteTarget.Respond fixed ? respond(fixed) : null,
                route.rewritePrefix(),
                Proxy.of(route.proxy()),
                route.maxBodySize().text(),
                Headers.of(route.requestHeaders()),
                Headers.of(route.responseHeaders()),
                route.errorPages().stream().map(Page::of).toList(),
                route.accessLog());
    }

    private static Respond respond(RouteTarget.Respond fixed) {
        Template body = fixed.body();
        return new Respond(fixed.status(), body.text(), fixed.contentType());
    }
}
