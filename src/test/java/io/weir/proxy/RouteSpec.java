package io.weir.proxy;

import io.weir.config.ByteSize;
import io.weir.config.ErrorPage;
import io.weir.config.HeaderRules;
import io.weir.config.HttpVersion;
import io.weir.config.PathMatch;
import io.weir.config.ProxySettings;
import io.weir.config.RedirectRule;
import io.weir.config.RequestBuffering;
import io.weir.config.ResponseBuffering;
import io.weir.config.RouteConfig;
import io.weir.config.RouteTarget;
import io.weir.config.Template;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A route as a test describes it: everything that is not said has its default. */
public final class RouteSpec {

    private final String name;
    private final RouteTarget target;
    private List<String> hosts = List.of();
    private PathMatch path = PathMatch.ALL;
    private List<String> methods = List.of();
    private final Map<String, String> headers = new LinkedHashMap<>();
    private String rewritePrefix;
    private ProxySettings proxy = ProxySettings.DEFAULT;
    private String maxBodySize = "1m";
    private final Map<String, Template> requestSet = new LinkedHashMap<>();
    private final List<String> requestRemove = new ArrayList<>();
    private final Map<String, Template> responseSet = new LinkedHashMap<>();
    private final List<String> responseRemove = new ArrayList<>();
    private final List<ErrorPage> errorPages = new ArrayList<>();
    private boolean accessLog = true;

    private RouteSpec(String name, RouteTarget target) {
        this.name = name;
        this.target = target;
    }

    /** To a group. */
    public static RouteSpec to(String group) {
        return named("all", new RouteTarget.Upstream(group));
    }

    /** To an implicit group. */
    public static RouteSpec toAddress(String url) {
        return named("all", new RouteTarget.Address(Template.parse(url)));
    }

    /** A fixed answer, whose name is its body. */
    public static RouteSpec answering(String body) {
        return named(body, new RouteTarget.Respond(200, Template.parse(body), "text/plain"));
    }

    public static RouteSpec answering(int status, String body) {
        return named("fixed", new RouteTarget.Respond(status, Template.parse(body), "text/plain"));
    }

    public static RouteSpec named(String name, RouteTarget target) {
        return new RouteSpec(name, target);
    }

    public RouteSpec hosts(String... values) {
        hosts = List.of(values);
        return this;
    }

    public RouteSpec exact(String value) {
        path = new PathMatch(PathMatch.Type.EXACT, value, false);
        return this;
    }

    public RouteSpec prefix(String value) {
        path = new PathMatch(PathMatch.Type.PREFIX, value, false);
        return this;
    }

    public RouteSpec prefixWithoutRegex(String value) {
        path = new PathMatch(PathMatch.Type.PREFIX, value, true);
        return this;
    }

    public RouteSpec regex(String value) {
        path = new PathMatch(PathMatch.Type.REGEX, value, false);
        return this;
    }

    public RouteSpec methods(String... values) {
        methods = List.of(values);
        return this;
    }

    public RouteSpec header(String field, String value) {
        headers.put(field, value);
        return this;
    }

    public RouteSpec rewritePrefix(String value) {
        rewritePrefix = value;
        return this;
    }

    public RouteSpec proxy(ProxySettings value) {
        proxy = value;
        return this;
    }

    /** Bodies of requests are passed on as they come. */
    public RouteSpec streamingRequests() {
        return requestBuffering(false, "64k");
    }

    public RouteSpec requestBuffering(boolean enabled, String bufferSize) {
        proxy = proxy.with(new RequestBuffering(enabled, ByteSize.parse(bufferSize)));
        return this;
    }

    public RouteSpec buffering(ResponseBuffering value) {
        proxy = proxy.with(value);
        return this;
    }

    public RouteSpec httpVersion(String value) {
        proxy = proxy.with(HttpVersion.parse(value));
        return this;
    }

    public RouteSpec redirect(String value) {
        proxy = proxy.with(RedirectRule.parse(value));
        return this;
    }

    public RouteSpec interceptingErrors() {
        proxy = proxy.interceptingErrors();
        return this;
    }

    public RouteSpec ignoringClientAbort() {
        proxy = proxy.ignoringClientAbort();
        return this;
    }

    /** @param status null for that of the error */
    public RouteSpec errorPage(String template, Integer status, Integer... codes) {
        errorPages.add(new ErrorPage(List.of(codes), Template.parse(template), "text/html", status));
        return this;
    }

    public RouteSpec maxBodySize(String value) {
        maxBodySize = value;
        return this;
    }

    public RouteSpec setRequest(String field, String template) {
        requestSet.put(field, Template.parse(template));
        return this;
    }

    public RouteSpec removeRequest(String field) {
        requestRemove.add(field);
        return this;
    }

    public RouteSpec setResponse(String field, String template) {
        responseSet.put(field, Template.parse(template));
        return this;
    }

    public RouteSpec removeResponse(String field) {
        responseRemove.add(field);
        return this;
    }

    /** Tells the client which peers were tried, with what result. */
    public RouteSpec telling() {
        return setResponse("X-Upstream", "$upstream_addr").setResponse("X-Attempts", "$upstream_status");
    }

    public RouteSpec accessLog(boolean value) {
        accessLog = value;
        return this;
    }

    public RouteConfig route() {
        return new RouteConfig(
                name,
                hosts,
                path,
                methods,
                headers,
                target,
                rewritePrefix,
                proxy,
                ByteSize.parse(maxBodySize),
                new HeaderRules(requestSet, requestRemove),
                new HeaderRules(responseSet, responseRemove),
                errorPages,
                accessLog);
    }
}
