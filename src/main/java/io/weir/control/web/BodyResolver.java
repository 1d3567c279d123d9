package io.weir.control.web;

import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.http.server.ServletServerHttpRequest;
import org.springframework.web.bind.support.WebDataBinderFactory;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.method.support.ModelAndViewContainer;

/** Reads the parameters that have {@link Body}, up to a limit, however the body is framed. */
class BodyResolver implements HandlerMethodArgumentResolver {

    static final int MOST_BYTES = 2 * 1024 * 1024;

    @Override
    public boolean supportsParameter(MethodParameter parameter) {
        return parameter.hasParameterAnnotation(Body.class);
    }

    @Override
    public Object resolveArgument(
            MethodParameter parameter,
            @Nullable ModelAndViewContainer container,
            NativeWebRequest webRequest,
            @Nullable WebDataBinderFactory binders) {
        HttpServletRequest request = (HttpServletRequest) webRequest.getNativeRequest();
        if (request.getContentLengthLong() > MOST_BYTES) {
            throw new BodyTooLargeException(MOST_BYTES);
        }
        byte[] body;
        try {
            body = request.getInputStream().readNBytes(MOST_BYTES + 1);
        } catch (IOException e) {
            throw new HttpMessageNotReadableException(
                    "the body could not be read", e, new ServletServerHttpRequest(request));
        }
        if (body.length > MOST_BYTES) {
            throw new BodyTooLargeException(MOST_BYTES);
        }
        return StrictJson.parse(body);
    }
}
