package io.weir.config;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One route of an HTTP listener: which requests it takes, and what becomes of them.
 *
 * @param hosts exact names, {@code *.example.org} or {@code www.example.*}, lower case; none means any host
 * @param methods request methods it takes; none means any
 * @param headers request header fields with the exact values it asks for
 * @param rewritePrefix put in place of the matched prefix, or null to pass the request target byte for byte
 * @param maxBodySize greatest request body, 0 for no limit; a larger one is answered with 413
 * @param errorPages what clients get in place of errors
 * @param accessLog whether its requests are logged where the listener's are
 */
public record RouteConfig(
        String name,
        List<String> hosts,
        PathMatch path,
        List<String> methods,
        Map<String, String> headers,
        RouteTarget target,
        @Nullable String rewritePrefix,
        ProxySettings proxy,
        ByteSize maxBodySize,
        HeaderRules requestHeaders,
        HeaderRules responseHeaders,
        List<ErrorPage> errorPages,
        boolean accessLog)
        implements ListenerRoute {

    public static final ByteSize DEFAULT_MAX_BODY_SIZE = ByteSize.parse("1m");

    public RouteConfig {
        hosts = List.copyOf(hosts);
        methods = List.copyOf(methods);
        headers = Collections.unmodifiableMap(new LinkedHashMap<>(headers));
        Checks checks = new Checks().name("name", name);
        HostNames.check(checks, "hosts", hosts);
        for (int i = 0; i < methods.size(); i++) {
            checks.check(HttpSyntax.isToken(methods.get(i)), "methods[" + i + "]", "must be a request method");
        }
        headers.forEach((header, value) -> checks.check(
                        HttpSyntax.isToken(header), "headers." + header, "must be a header field name")
                .check(HttpSyntax.isFieldValue(value), "headers." + header, "must not have control characters"));
        if (rewritePrefix != null) {
            checks.check(
                            rewritePrefix.startsWith("/")
                                    && rewritePrefix.chars().allMatch(c -> c > ' ' && c < 127 && c != '?' && c != '#'),
                            "rewritePrefix",
                            "must begin with / and be a path in printable ASCII")
                    .check(
                            path.type() != PathMatch.Type.REGEX,
                            "rewritePrefix",
                            "does not go with a regular expression")
                    .check(
                            !(target instanceof RouteTarget.Respond),
                            "rewritePrefix",
                            "does not go with a fixed answer");
        }
        requestHeaders.checkForRequests(checks, "requestHeaders");
        responseHeaders.checkForResponses(checks, "responseHeaders");
        errorPages = List.copyOf(errorPages);
        ErrorPage.checkCodes(checks, errorPages);
        checks.done();
    }

    /** A route without error pages, whose requests are logged. */
    public RouteConfig(
            String name,
            List<String> hosts,
            PathMatch path,
            List<String> methods,
            Map<String, String> headers,
            RouteTarget target,
            @Nullable String rewritePrefix,
            ProxySettings proxy,
            ByteSize maxBodySize,
            HeaderRules requestHeaders,
            HeaderRules responseHeaders) {
        this(
                name,
                hosts,
                path,
                methods,
                headers,
                target,
                rewritePrefix,
                proxy,
                maxBodySize,
                requestHeaders,
                responseHeaders,
                List.of(),
                true);
    }
}
