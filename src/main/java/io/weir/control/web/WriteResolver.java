package io.weir.control.web;

import io.weir.config.Checks;
import io.weir.config.TimeSpan;
import io.weir.control.change.Precondition;
import io.weir.control.change.Write;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.http.HttpHeaders;
import org.springframework.util.MultiValueMap;
import org.springframework.web.bind.support.WebDataBinderFactory;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.method.support.ModelAndViewContainer;
import org.springframework.web.util.UriComponentsBuilder;

/**
 * Reads how a write is to be done. A query parameter that no write has is refused: {@code dryrun=true} must not write.
 */
class WriteResolver implements HandlerMethodArgumentResolver {

    private static final String DRY_RUN = "dryRun";
    private static final String WAIT = "wait";
    private static final String TIMEOUT = "timeout";

    private static final Set<String> PARAMETERS = Set.of(DRY_RUN, WAIT, TIMEOUT);

    private static final Duration DEFAULT_PATIENCE = Duration.ofSeconds(10);

    /** A waiting request holds a thread of Tomcat's. */
    private static final Duration MOST_PATIENCE = Duration.ofSeconds(60);

    @Override
    public boolean supportsParameter(MethodParameter parameter) {
        return parameter.getParameterType() == Write.class;
    }

    @Override
    public Object resolveArgument(
            MethodParameter parameter,
            @Nullable ModelAndViewContainer container,
            NativeWebRequest webRequest,
            @Nullable WebDataBinderFactory binders) {
        HttpServletRequest request = (HttpServletRequest) webRequest.getNativeRequest();
        Checks checks = new Checks();
        boolean dryRun = false;
        MultiValueMap<String, String> query = UriComponentsBuilder.newInstance()
                .query(request.getQueryString())
                .build()
                .getQueryParams();
        for (String name : query.keySet()) {
            checks.check(PARAMETERS.contains(name), name, "is not a query parameter here");
        }
        List<String> values = query.get(DRY_RUN);
        if (values != null) {
            dryRun = values.equals(List.of("true"));
            checks.check(dryRun || values.equals(List.of("false")), DRY_RUN, "must be true or false");
        }
        Duration patience = patience(query, checks);
        Precondition precondition = checks.attempt(
                "",
                () -> Precondition.parse(
                        header(request, HttpHeaders.IF_MATCH), header(request, HttpHeaders.IF_NONE_MATCH)));
        checks.done();
        return new Write(dryRun, precondition == null ? Precondition.NONE : precondition, patience);
    }

    private static @Nullable Duration patience(MultiValueMap<String, String> query, Checks checks) {
        List<String> wait = query.get(WAIT);
        List<String> timeout = query.get(TIMEOUT);
        if (wait == null) {
            checks.check(timeout == null, TIMEOUT, "has no meaning without wait=applied");
            return null;
        }
        checks.check(wait.equals(List.of("applied")), WAIT, "must be applied");
        if (timeout == null) {
            return DEFAULT_PATIENCE;
        }
        String text = timeout.size() == 1 && timeout.get(0) != null ? timeout.get(0) : "";
        TimeSpan span = checks.attempt(TIMEOUT, () -> TimeSpan.parse(text));
        if (span == null) {
            return null;
        }
        checks.check(
                !span.isZero() && span.value().compareTo(MOST_PATIENCE) <= 0,
                TIMEOUT,
                "must be more than 0 and at most " + MOST_PATIENCE.toSeconds() + "s");
        return span.value();
    }

    private static @Nullable String header(HttpServletRequest request, String name) {
        List<String> values = Collections.list(request.getHeaders(name));
        return values.isEmpty() ? null : String.join(",", values);
    }
}
