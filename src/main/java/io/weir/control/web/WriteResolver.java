package io.weir.control.web;

import io.weir.config.Checks;
import io.weir.control.change.Precondition;
import io.weir.control.change.Write;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;
import java.util.List;
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
            checks.check(name.equals(DRY_RUN), name, "is not a query parameter here");
        }
        List<String> values = query.get(DRY_RUN);
        if (values != null) {
            dryRun = values.equals(List.of("true"));
            checks.check(dryRun || values.equals(List.of("false")), DRY_RUN, "must be true or false");
        }
        Precondition precondition = checks.attempt(
                "",
                () -> Precondition.parse(
                        header(request, HttpHeaders.IF_MATCH), header(request, HttpHeaders.IF_NONE_MATCH)));
        checks.done();
        return new Write(dryRun, precondition == null ? Precondition.NONE : precondition);
    }

    private static @Nullable String header(HttpServletRequest request, String name) {
        List<String> values = Collections.list(request.getHeaders(name));
        return values.isEmpty() ? null : String.join(",", values);
    }
}
