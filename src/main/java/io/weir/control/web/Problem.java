package io.weir.control.web;

import io.swagger.v3.oas.annotations.media.Schema;
import io.weir.config.Violation;
import java.util.ArrayList;
import java.util.List;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;

/**
 * Why a request was refused.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc9457">RFC 9457, problem details</a>
 */
@Schema(description = "Why a request was refused (RFC 9457).")
public record Problem(
        String type,
        String title,
        int status,
        String detail,

        @Schema(description = "A word for programs.", example = "INVALID")
        String code,

        @Schema(description = "Each fault, with the path of its field in the request.")
        List<Violation> errors,

        @Schema(description = "The same as in the header X-Request-Id and in the log.")
        String requestId) {

    /** Enough to work with; a document full of unknown fields must not make an answer many times its size. */
    private static final int MOST_ERRORS = 100;

    public static Problem of(HttpStatusCode status, String code, String detail, String requestId) {
        return of(status, code, detail, List.of(), requestId);
    }

    public static Problem of(
            HttpStatusCode status, String code, String detail, List<Violation> errors, String requestId) {
        HttpStatus known = HttpStatus.resolve(status.value());
        return new Problem(
                "about:blank",
                known == null ? "Error" : known.getReasonPhrase(),
                status.value(),
                detail,
                code,
                limit(errors),
                requestId);
    }

    private static List<Violation> limit(List<Violation> errors) {
        if (errors.size() <= MOST_ERRORS) {
            return List.copyOf(errors);
        }
        List<Violation> first = new ArrayList<>(errors.subList(0, MOST_ERRORS));
        first.add(new Violation("", "and " + (errors.size() - MOST_ERRORS) + " more"));
        return first;
    }
}
