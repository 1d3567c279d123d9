package io.weir.control.web;

import io.weir.config.InvalidConfigException;
import io.weir.config.Violation;
import io.weir.control.change.Refusal;
import io.weir.control.store.StoreException;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.ServletWebRequest;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;

/** Turns everything that a controller or Spring MVC throws into a {@link Problem}. */
@RestControllerAdvice
class Problems extends ResponseEntityExceptionHandler {

    private static final Logger log = LoggerFactory.getLogger(Problems.class);

    /** Long enough for a database to be restarted, short enough for a script that waits. */
    private static final String RETRY_AFTER_SECONDS = "5";

    @ExceptionHandler
    ResponseEntity<Problem> invalid(InvalidConfigException e, HttpServletRequest request) {
        List<Violation> errors = e.violations();
        String detail = errors.stream()
                .limit(3)
                .map(v -> v.field().isEmpty() ? v.message() : v.field() + " " + v.message())
                .collect(Collectors.joining("; ", "", errors.size() > 3 ? "; and more" : ""));
        return answer(HttpStatus.BAD_REQUEST, "INVALID", detail, errors, new HttpHeaders(), request);
    }

    @ExceptionHandler
    ResponseEntity<Problem> refused(Refusal e, HttpServletRequest request) {
        HttpHeaders headers = new HttpHeaders();
        HttpStatus status = switch (e.reason()) {
            case NOT_FOUND -> HttpStatus.NOT_FOUND;
            case NAME_TAKEN, ADDRESS_TAKEN, AMBIGUOUS_ADDRESS, IN_USE -> HttpStatus.CONFLICT;
            case PRECONDITION_FAILED -> HttpStatus.PRECONDITION_FAILED;
            case BUSY -> HttpStatus.SERVICE_UNAVAILABLE;
        };
        if (status == HttpStatus.SERVICE_UNAVAILABLE) {
            headers.set(HttpHeaders.RETRY_AFTER, RETRY_AFTER_SECONDS);
        }
        return answer(status, e.reason().name(), message(e), List.of(), headers, request);
    }

    @ExceptionHandler
    ResponseEntity<Problem> storeFailed(StoreException e, HttpServletRequest request) {
        log.error("Request {}: {}", RequestIds.of(request), e.getMessage());
        HttpHeaders headers = new HttpHeaders();
        headers.set(HttpHeaders.RETRY_AFTER, RETRY_AFTER_SECONDS);
        String detail = "The change could not be stored and was not applied; the running configuration is as it was: "
                + message(e);
        return answer(HttpStatus.SERVICE_UNAVAILABLE, "STORE_DOWN", detail, List.of(), headers, request);
    }

    @ExceptionHandler
    ResponseEntity<Problem> tooLarge(BodyTooLargeException e, HttpServletRequest request) {
        return answer(HttpStatus.CONTENT_TOO_LARGE, "TOO_LARGE", message(e), List.of(), new HttpHeaders(), request);
    }

    @ExceptionHandler
    ResponseEntity<Problem> unexpected(Exception e, HttpServletRequest request) {
        log.error("Request {} failed", RequestIds.of(request), e);
        String detail = "Weir failed on this request; its log says more under the request id.";
        return answer(HttpStatus.INTERNAL_SERVER_ERROR, "INTERNAL", detail, List.of(), new HttpHeaders(), request);
    }

    /** What Spring MVC itself refuses: methods, media types, unknown paths and so on. */
    @Override
    protected @Nullable ResponseEntity<Object> handleExceptionInternal(
            Exception e, @Nullable Object body, HttpHeaders headers, HttpStatusCode status, WebRequest webRequest) {
        HttpServletRequest request = ((ServletWebRequest) webRequest).getRequest();
        Object told = body == null && e instanceof ErrorResponse response ? response.getBody() : body;
        String detail = told instanceof ProblemDetail problem && problem.getDetail() != null ? problem.getDetail() : "";
        ResponseEntity<Problem> answer = answer(status, code(status), detail, List.of(), headers, request);
        return ResponseEntity.status(answer.getStatusCode())
                .headers(answer.getHeaders())
                .body(answer.getBody());
    }

    private static String code(HttpStatusCode status) {
        HttpStatus known = HttpStatus.resolve(status.value());
        return known == null ? "ERROR" : known.name().toUpperCase(Locale.ROOT);
    }

    private static String message(Exception e) {
        return e.getMessage() == null ? "" : e.getMessage();
    }

    private static ResponseEntity<Problem> answer(
            HttpStatusCode status,
            String code,
            String detail,
            List<Violation> errors,
            HttpHeaders headers,
            HttpServletRequest request) {
        HttpHeaders all = new HttpHeaders();
        all.putAll(headers);
        // set here, so that the Accept of a client that asked for something else does not stand in the way
        all.setContentType(MediaType.APPLICATION_PROBLEM_JSON);
        return new ResponseEntity<>(Problem.of(status, code, detail, errors, RequestIds.of(request)), all, status);
    }
}
