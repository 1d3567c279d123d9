package io.weir.control.listener;

import io.weir.config.ByteSize;
import io.weir.config.Checks;
import io.weir.config.ErrorPage;
import io.weir.config.HeaderRules;
import io.weir.config.HttpVersion;
import io.weir.config.InvalidConfigException;
import io.weir.config.NextUpstream;
import io.weir.config.PathMatch;
import io.weir.config.ProxySettings;
import io.weir.config.RedirectRule;
import io.weir.config.RequestBuffering;
import io.weir.config.ResponseBuffering;
import io.weir.config.RouteConfig;
import io.weir.config.RouteTarget;
import io.weir.config.Template;
import io.weir.config.TimeSpan;
import io.weir.control.web.Fields;
import io.weir.control.web.Names;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Reads routes as clients want them. */
final class RouteRequest {

    private static final Template NOTHING = Template.parse("");

    private RouteRequest() {}

    /**
     * Reads a whole document.
     *
     * @param name that the path gives, null if it gives none
     * @throws InvalidConfigException with all that is wrong
     */
    static RouteConfig read(JsonNode document, @Nullable String name) {
        Checks checks = new Checks();
        RouteConfig route = read(Fields.of(document, checks), name);
        checks.done();
        if (route == null) {
            throw new InvalidConfigException("", "is not a route");
        }
        return route;
    }

    /** Reads one of many; null if something is wrong, which is then in the checks of {@code fields}. */
    static @Nullable RouteConfig read(Fields fields, @Nullable String name) {
        String named = Names.read(fields, name);
        // names of hosts have no case; config compares them in lower case
        List<String> hosts = fields.texts("hosts").stream()
                .map(host -> host.toLowerCase(Locale.ROOT))
                .toList();
        PathMatch path = path(fields.object("path"));
        List<String> methods = fields.texts("methods");
        Map<String, String> headers = fields.textMap("headers", text -> text);
        RouteTarget target = target(fields);
        String rewritePrefix = fields.text("rewritePrefix");
        ProxySettings proxy = proxy(fields.object("proxy"));
        ByteSize maxBodySize = fields.parsed("maxBodySize", RouteConfig.DEFAULT_MAX_BODY_SIZE, ByteSize::parse);
        HeaderRules requestHeaders = headers(fields.object("requestHeaders"));
        HeaderRules responseHeaders = headers(fields.object("responseHeaders"));
        List<ErrorPage> errorPages = errorPages(fields.objects("errorPages"));
        boolean accessLog = fields.flag("accessLog", true);
        fields.end();
        // a name and a target that are always right, where those have been judged and found wrong
        String checkedName = Names.isName(named) ? named : "-";
        RouteTarget checkedTarget = target == null ? new RouteTarget.Upstream("-") : target;
        return fields.checks()
                .attempt(
                        fields.path(),
                        () -> new RouteConfig(
                                checkedName,
                                hosts,
                                path,
                                methods,
                                headers,
                                checkedTarget,
                                rewritePrefix,
                                proxy,
                                maxBodySize,
                                requestHeaders,
                                responseHeaders,
                                errorPages,
                                accessLog));
    }

    private static PathMatch path(@Nullable Fields fields) {
        if (fields == null) {
            return PathMatch.ALL;
        }
        PathMatch.Type type = fields.parsed("type", PathMatch.ALL.type(), RouteRequest::pathType);
        String value = fields.text("value", PathMatch.ALL.value());
        boolean noRegex = fields.flag("noRegex", PathMatch.ALL.noRegex());
        fields.end();
        PathMatch path = fields.checks().attempt(fields.path(), () -> new PathMatch(type, value, noRegex));
        return path == null ? PathMatch.ALL : path;
    }

    private static PathMatch.Type pathType(String text) {
        for (PathMatch.Type type : PathMatch.Type.values()) {
            if (type.name().toLowerCase(Locale.ROOT).equals(text)) {
                return type;
            }
        }
        throw new InvalidConfigException("", "must be exact, prefix or regex");
    }

    private static @Nullable RouteTarget target(Fields fields) {
        String upstream = fields.text("upstream");
        String address = fields.text("address");
        Fields respond = fields.object("respond");
        RouteTarget group = upstream == null ? null : new RouteTarget.Upstream(upstream);
        RouteTarget url = address == null
                ? null
                : fields.checks().attempt(fields.at("address"), () -> new RouteTarget.Address(Template.parse(address)));
        RouteTarget fixed = respond == null ? null : respond(respond);
        long given =
                Stream.of("upstream", "address", "respond").filter(fields::has).count();
        if (given == 0) {
            fields.fault("upstream", "is required, or else address or respond");
        } else if (given > 1) {
            fields.fault(
                    Stream.of("respond", "address")
                            .filter(fields::has)
                            .findFirst()
                            .orElseThrow(),
                    "does not go with another target: give one of upstream, address and respond");
        }
        return group != null ? group : url != null ? url : fixed;
    }

    private static @Nullable RouteTarget respond(Fields fields) {
        int status = fields.integer("status", 200);
        Template body = fields.parsed("body", NOTHING, Template::parse);
        String contentType = fields.text("contentType", "text/plain");
        fields.end();
        return fields.checks().attempt(fields.path(), () -> new RouteTarget.Respond(status, body, contentType));
    }

    private static ProxySettings proxy(@Nullable Fields fields) {
        ProxySettings standard = ProxySettings.DEFAULT;
        if (fields == null) {
            return standard;
        }
        TimeSpan connectTimeout = fields.parsed("connectTimeout", standard.connectTimeout(), TimeSpan::parse);
        TimeSpan sendTimeout = fields.parsed("sendTimeout", standard.sendTimeout(), TimeSpan::parse);
        TimeSpan readTimeout = fields.parsed("readTimeout", standard.readTimeout(), TimeSpan::parse);
        List<NextUpstream> conditions =
                fields.parsedTexts("nextUpstream", List.copyOf(standard.nextUpstream()), NextUpstream::parse);
        Set<NextUpstream> nextUpstream = EnumSet.noneOf(NextUpstream.class);
        nextUpstream.addAll(conditions);
        int tries = fields.integer("nextUpstreamTries", standard.nextUpstreamTries());
        TimeSpan timeout = fields.parsed("nextUpstreamTimeout", standard.nextUpstreamTimeout(), TimeSpan::parse);
        RequestBuffering requestBuffering = requestBuffering(fields);
        ResponseBuffering buffering = buffering(fields);
        HttpVersion version = fields.parsed("httpVersion", standard.httpVersion(), HttpVersion::parse);
        boolean intercept = fields.flag("interceptErrors", standard.interceptErrors());
        boolean ignoreAbort = fields.flag("ignoreClientAbort", standard.ignoreClientAbort());
        RedirectRule redirect = fields.parsed("redirect", standard.redirect(), RedirectRule::parse);
        fields.end();
        ProxySettings settings = fields.checks()
                .attempt(
                        fields.path(),
                        () -> new ProxySettings(
                                connectTimeout,
                                sendTimeout,
                                readTimeout,
                                nextUpstream,
                                tries,
                                timeout,
                                requestBuffering,
                                buffering,
                                version,
                                intercept,
                                ignoreAbort,
                                redirect));
        return settings == null ? standard : settings;
    }

    private static RequestBuffering requestBuffering(Fields fields) {
        RequestBuffering standard = RequestBuffering.DEFAULT;
        boolean enabled = fields.flag("requestBuffering", standard.enabled());
        ByteSize size = fields.parsed("requestBufferSize", standard.bufferSize(), ByteSize::parse);
        RequestBuffering buffering = fields.checks().attempt(fields.path(), () -> new RequestBuffering(enabled, size));
        return buffering == null ? standard : buffering;
    }

    private static ResponseBuffering buffering(Fields fields) {
        ResponseBuffering standard = ResponseBuffering.DEFAULT;
        boolean enabled = fields.flag("buffering", standard.enabled());
        ByteSize size = fields.parsed("bufferSize", standard.bufferSize(), ByteSize::parse);
        ResponseBuffering.Buffers buffers = buffers(fields.object("buffers"));
        String busy = fields.text("busyBuffersSize");
        ByteSize busySize =
                busy == null ? null : fields.checks().attempt(fields.at("busyBuffersSize"), () -> ByteSize.parse(busy));
        ByteSize fileSize = fields.parsed("maxTempFileSize", standard.maxTempFileSize(), ByteSize::parse);
        ByteSize rate = fields.parsed("limitRate", standard.limitRate(), ByteSize::parse);
        ResponseBuffering buffering = fields.checks()
                .attempt(fields.path(), () -> ResponseBuffering.of(enabled, size, buffers, busySize, fileSize, rate));
        return buffering == null ? standard : buffering;
    }

    private static ResponseBuffering.Buffers buffers(@Nullable Fields fields) {
        ResponseBuffering.Buffers standard = ResponseBuffering.DEFAULT.buffers();
        if (fields == null) {
            return standard;
        }
        int count = fields.integer("count", standard.count());
        ByteSize size = fields.parsed("size", standard.size(), ByteSize::parse);
        fields.end();
        ResponseBuffering.Buffers buffers =
                fields.checks().attempt(fields.path(), () -> new ResponseBuffering.Buffers(count, size));
        return buffers == null ? standard : buffers;
    }

    private static List<ErrorPage> errorPages(@Nullable List<Fields> pages) {
        List<ErrorPage> read = new ArrayList<>();
        for (Fields fields : pages == null ? List.<Fields>of() : pages) {
            List<Integer> codes = fields.integers("codes");
            Template body = fields.parsed("body", NOTHING, Template::parse);
            String contentType = fields.text("contentType", "text/plain");
            Integer status = fields.integer("status");
            fields.require("codes");
            fields.end();
            ErrorPage page = codes == null
                    ? null
                    : fields.checks().attempt(fields.path(), () -> new ErrorPage(codes, body, contentType, status));
            if (page != null) {
                read.add(page);
            }
        }
        return read;
    }

    private static HeaderRules headers(@Nullable Fields fields) {
        if (fields == null) {
            return HeaderRules.NONE;
        }
        Map<String, Template> set = fields.textMap("set", Template::parse);
        List<String> remove = fields.texts("remove");
        fields.end();
        HeaderRules rules = fields.checks().attempt(fields.path(), () -> new HeaderRules(set, remove));
        return rules == null ? HeaderRules.NONE : rules;
    }
}
